package report

import (
	"fmt"

	"twinrig/eval"
	"twinrig/eval/stats"
)

// comparison is two policies' tests in words.
type comparison struct {
	PolicyA, PolicyB string
	Says             string
	Rows             [][2]string
}

func (r *Report) comparisons() []comparison {
	if r.Tests == nil {
		return nil
	}
	var all []comparison
	for i := range r.Tests.Comparisons {
		c := &r.Tests.Comparisons[i]
		all = append(all, comparison{
			PolicyA: c.PolicyA, PolicyB: c.PolicyB, Says: r.says(c), Rows: r.testRows(c),
		})
	}
	return all
}

// says what the comparison found, and no more.
func (r *Report) says(c *eval.PolicyComparison) string {
	if c.P == nil || c.Difference.Value == nil {
		return "There is nothing to compare yet."
	}
	better, worse, d := c.PolicyB, c.PolicyA, *c.Difference.Value
	if d < 0 {
		better, worse = worse, better
	}
	test := map[string]string{"mcnemar": "exact McNemar test on pairs", "barnard": "Barnard’s exact test", "fisher": "Fisher’s exact test"}[c.Test]
	p := "p = " + pText(c.P)
	if len(r.Tests.Comparisons) > 1 {
		p = fmt.Sprintf("p = %s, %s after Holm’s adjustment", pText(c.P), pText(c.Adjusted))
	}
	if *c.Adjusted > eval.Alpha {
		return fmt.Sprintf("No difference was found (%s, %s). That does not show that they are equal: the difference may be anything in %s.",
			test, p, rangeText(c.Difference.Newcombe))
	}
	return fmt.Sprintf("%s did better than %s (%s, %s). %s minus %s: %s, 95 %% interval %s.",
		better, worse, test, p, c.PolicyB, c.PolicyA, share(&d), rangeText(c.Difference.Newcombe))
}

// testRows lists every test of a comparison.
func (r *Report) testRows(c *eval.PolicyComparison) [][2]string {
	kind := "Newcombe, independent trials"
	if c.Difference.Paired {
		kind = "Newcombe, paired"
	}
	rows := [][2]string{{"difference of SR", fmt.Sprintf("%s, 95 %%: %s (%s)", share(c.Difference.Value), rangeText(c.Difference.Newcombe), kind)}}
	add := func(name, format string, args ...any) {
		rows = append(rows, [2]string{name, fmt.Sprintf(format, args...)})
	}
	if c.Scenes.Bootstrap != nil {
		add("scenes redrawn", "95 %%: %s (bootstrap over scenes)", rangeText(c.Scenes.Bootstrap))
	}
	if m := c.McNemar; m != nil {
		add("McNemar, exact", "p = %s; %s alone did it in %d pairs, %s alone in %d", pText(m.TwoSided), c.PolicyA, m.OnlyA, c.PolicyB, m.OnlyB)
	}
	add("Barnard", "p = %s", pText(c.Barnard.TwoSided))
	add("Fisher", "p = %s", pText(c.Fisher.TwoSided))
	add("Bayes, uniform priors", "probability that %s is better: %s", c.PolicyB, pText(c.BBetter))
	add("scenes’ signs flipped", "p = %s", pText(c.Scenes.SignFlip))
	if s := c.Sequential; s != nil {
		at := "not reached"
		if s.RejectedAt != nil {
			at = fmt.Sprintf("reached after %d", *s.RejectedAt)
		}
		add("e-process, "+s.Kind, "%d pairs: E = %.4g that %s is better, %.4g that %s is; anytime p = %s; %v %s",
			s.Pairs, s.EB, c.PolicyB, s.EA, c.PolicyA, pText(&s.P), eval.Alpha, at)
	}
	rows = append(rows, timeRow(c))
	return rows
}

// timeRow never claims a speed-up that no test found.
func timeRow(c *eval.PolicyComparison) [2]string {
	name := "time to finish"
	faster, p := c.Speedup()
	if p == nil {
		return [2]string{name, "too few successes to compare"}
	}
	says := "no difference found"
	switch faster {
	case -1:
		says = c.PolicyA + " was faster"
	case 1:
		says = c.PolicyB + " was faster"
	}
	t := &c.Time
	text := fmt.Sprintf("%s; Welch over successes: %s", says, meanTest(t.Welch))
	if t.Log != nil {
		text += "; of logarithms: " + meanTest(t.Log)
	}
	if t.Paired != nil {
		text += fmt.Sprintf("; over the %d placements where both succeeded: p = %s", t.Pairs, pText(t.Paired))
	}
	return [2]string{name, text}
}

func meanTest(t *stats.MeanTest) string {
	if t == nil {
		return eval.None
	}
	return fmt.Sprintf("t = %.2f, df = %.0f, p = %s", t.T, t.DF, pText(&t.P))
}

// testLines are the comparisons for a terminal.
func (r *Report) testLines() []string {
	var lines []string
	for _, c := range r.comparisons() {
		lines = append(lines, fmt.Sprintf("%s and %s: %s", c.PolicyA, c.PolicyB, c.Says))
	}
	if r.Tests != nil && r.Tests.Letters != nil {
		text := "Compact letters (policies that share one were not found to differ):"
		for _, p := range r.Study.Policies {
			text += fmt.Sprintf(" %s %s", p.Name, r.Tests.Letters[p.Name])
		}
		lines = append(lines, text)
	}
	return lines
}

// share prints a difference of rates.
func share(v *float64) string {
	if v == nil {
		return eval.None
	}
	return fmt.Sprintf("%.3f", *v)
}

func rangeText(iv *[2]float64) string {
	if iv == nil {
		return eval.None
	}
	return fmt.Sprintf("[%.3f, %.3f]", iv[0], iv[1])
}

// pText keeps the digits of small probabilities.
func pText(p *float64) string {
	if p == nil {
		return eval.None
	}
	return fmt.Sprintf("%.3g", *p)
}
