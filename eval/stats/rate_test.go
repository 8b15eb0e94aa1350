package stats

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseRate(t *testing.T) {
	for _, c := range []struct {
		text, err string
		want      Rate
	}{
		{text: "26/120", want: Rate{26, 120}},
		{text: " 0 / 1\t", want: Rate{0, 1}},
		{text: "10/10", want: Rate{10, 10}},
		{text: "0/1000000", want: Rate{0, 1_000_000}},
		{text: "11/10", err: `rate "11/10": more hits than trials: want hits/trials`},
		{text: "0/0", err: `rate "0/0": 0 trials: want 1 to 1000000`},
		{text: "1/1000001", err: `rate "1/1000001": 1000001 trials: want 1 to 1000000`},
		{text: "-1/10", err: `rate "-1/10": want hits/trials, such as 26/120`},
		{text: "+1/10", err: `rate "+1/10": want hits/trials, such as 26/120`},
		{text: "0.5", err: `rate "0.5": want hits/trials, such as 26/120`},
		{text: "1/2/3", err: `rate "1/2/3": want hits/trials, such as 26/120`},
		{text: "1/99999999999", err: `rate "1/99999999999": want hits/trials, such as 26/120`},
		{text: "", err: `rate "": want hits/trials, such as 26/120`},
	} {
		got, err := ParseRate(c.text)
		if c.err != "" {
			require.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// FuzzParseRate: what is read is a rate of trials, and reads the same again.
func FuzzParseRate(f *testing.F) {
	f.Add("26/120")
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRate(s)
		if err != nil {
			require.Equal(t, Rate{}, r)
			return
		}
		p, ok := r.Value()
		require.True(t, ok)
		require.True(t, isProbability(p))
		again, err := ParseRate(fmt.Sprintf("%d/%d", r.K, r.N))
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}

// FuzzIntervals: every interval of every rate holds the rate, lies in 0 to 1,
// and mirrors when hits and misses change places.
func FuzzIntervals(f *testing.F) {
	f.Add(uint32(0), uint32(10), 0.95)
	f.Add(uint32(10), uint32(10), 0.999999)
	f.Add(uint32(1), uint32(1_000_000), 0.5)
	f.Add(uint32(0), uint32(0), 0.95)
	f.Fuzz(func(t *testing.T, k, n uint32, level float64) {
		r := Rate{K: int(k % (maxTrials + 1)), N: int(n % (maxTrials + 1))}
		for name, of := range map[string]func(Rate, float64) (Interval, bool){
			"Wilson": Rate.Wilson, "Clopper-Pearson": Rate.ClopperPearson, "Jeffreys": Rate.Jeffreys,
		} {
			iv, ok := of(r, level)
			require.Equal(t, r.valid() && isLevel(level), ok, name)
			if !ok || level < 0.5 || level > 0.999999 {
				continue
			}
			const rounding = 1e-9
			p, _ := r.Value()
			require.GreaterOrEqual(t, iv.Lo, 0.0, name)
			require.LessOrEqual(t, iv.Hi, 1.0, name)
			require.LessOrEqual(t, iv.Lo, p+rounding, name)
			require.GreaterOrEqual(t, iv.Hi, p-rounding, name)
			mirror, _ := of(Rate{r.N - r.K, r.N}, level)
			require.InDelta(t, 1-iv.Hi, mirror.Lo, rounding, name)
			require.InDelta(t, 1-iv.Lo, mirror.Hi, rounding, name)
		}
	})
}

// TestCountsThatAreNoRates: no statistic answers for them, none panics.
func TestCountsThatAreNoRates(t *testing.T) {
	fine := Rate{3, 10}
	for _, bad := range []Rate{{}, {1, 0}, {-1, 10}, {11, 10}, {0, -1}} {
		for _, pair := range [][2]Rate{{bad, fine}, {fine, bad}} {
			a, b := pair[0], pair[1]
			_, ok := NewcombeDifference(a, b, 0.95)
			require.False(t, ok)
			_, ok = ProbGreater(a, b)
			require.False(t, ok)
			for _, alt := range []Alternative{TwoSided, Greater, Less} {
				_, ok = Fisher(a, b, alt)
				require.False(t, ok)
				_, ok = Barnard(a, b, alt)
				require.False(t, ok)
			}
		}
	}
}
