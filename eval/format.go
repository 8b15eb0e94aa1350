package eval

import (
	"fmt"

	"twinrig/eval/stats"
)

// None is printed for what there is no number for.
const None = "-"

// FormatRate prints a rate with so many decimals.
func FormatRate(r stats.Rate, decimals int) string {
	p, ok := r.Value()
	if !ok {
		return None
	}
	return fmt.Sprintf("%.*f", decimals, p)
}

// FormatInterval prints the 95 % Wilson interval of a rate.
func FormatInterval(r stats.Rate, decimals int) string {
	iv, ok := r.Wilson(0.95)
	if !ok {
		return None
	}
	return fmt.Sprintf("[%.*f, %.*f]", decimals, iv.Lo, decimals, iv.Hi)
}

// FormatMoments prints "mean ± population std", the mean alone for one value.
func FormatMoments(m stats.Moments) string {
	switch m.N {
	case 0:
		return None
	case 1:
		return fmt.Sprintf("%.1f", m.Mean)
	}
	return fmt.Sprintf("%.1f ± %.1f", m.Mean, m.Std)
}
