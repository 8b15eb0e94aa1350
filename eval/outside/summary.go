package outside

import (
	"math"
	"strings"

	"twinrig/eval"
)

// summaryColumns are those of one row for each scene and policy.
var summaryColumns = []column{
	{"scene", nil},
	{"policy", nil},
	{"instruction", []string{"command"}},
	{"trials", []string{"n"}},
	{"PSR", nil},
	{"SR", nil},
	{"DFR", nil},
	{"SFR", nil},
	{"TF_mean_s", []string{"TF_mean"}},
	{"TF_std_s", []string{"TF_std"}},
	{"n_partial", nil},
	{"n_success", nil},
	{"n_dynamics", []string{"n_dfr"}},
	{"n_semantic", []string{"n_sfr"}},
}

// cellCounts is one such row as counts.
type cellCounts struct {
	scene, policy                          string
	n, partial, success, dynamic, semantic int
	mean, std                              float64
}

const mostTrials = 1_000_000

// readSummary makes the outcomes of every cell. Rows of all scenes are held
// against the sum of the others.
func readSummary(t *rows) ([]outcome, error) {
	if err := t.need("scene", "policy", "trials", "PSR", "SR", "DFR", "SFR"); err != nil {
		return nil, err
	}
	var all []outcome
	seen := map[[2]string]int{}
	sums := map[string]*cellCounts{}
	for i := range t.rows {
		r := &t.rows[i]
		c, err := readCounts(r)
		if err != nil {
			return nil, err
		}
		if strings.EqualFold(c.scene, "all") {
			if err := c.check(r, sums[c.policy]); err != nil {
				return nil, err
			}
			continue
		}
		if line, twice := seen[[2]string{c.scene, c.policy}]; twice {
			return nil, r.wrong("scene", "%s, %s is in line %d already", c.scene, c.policy, line)
		}
		seen[[2]string{c.scene, c.policy}] = r.line
		if sums[c.policy] == nil {
			sums[c.policy] = new(cellCounts)
		}
		sums[c.policy].add(&c)
		all = append(all, c.outcomes(r)...)
	}
	return all, nil
}

func readCounts(r *row) (cellCounts, error) {
	c := cellCounts{scene: r.text("scene"), policy: r.text("policy")}
	for _, name := range []string{"scene", "policy"} {
		if err := fitName(r, name); err != nil {
			return c, err
		}
	}
	n, err := r.count("trials", 1, mostTrials)
	if err != nil {
		return c, err
	}
	if n == nil {
		return c, r.wrong("trials", "must be a number of trials")
	}
	c.n = *n
	for _, k := range []struct {
		rate, count string
		into        *int
	}{
		{"SR", "n_success", &c.success},
		{"PSR", "n_partial", &c.partial},
		{"DFR", "n_dynamics", &c.dynamic},
		{"SFR", "n_semantic", &c.semantic},
	} {
		if *k.into, err = r.hits(k.rate, k.count, c.n, c.n == c.success); err != nil {
			return c, err
		}
	}
	return c, c.consistent(r)
}

// hits is the count behind a rate as printed. An empty one is 0 where nothing
// failed, as tables have it.
func (r *row) hits(rate, count string, n int, none bool) (int, error) {
	stated, err := r.count(count, 0, n)
	if err != nil {
		return 0, err
	}
	p, err := r.number(rate, 0, 1)
	if err != nil {
		return 0, err
	}
	if p == nil {
		switch {
		case stated != nil:
			return *stated, nil
		case none && (rate == "DFR" || rate == "SFR"):
			return 0, nil
		}
		return 0, r.wrong(rate, "must be a rate, 0 to 1")
	}
	_, decimals, _ := strings.Cut(r.text(rate), ".")
	half := 0.5*math.Pow(10, -float64(len(decimals))) + 1e-9
	if len(decimals) == 0 {
		half = 1e-9
	}
	k := int(math.Round(*p * float64(n)))
	off := func(k int) float64 { return math.Abs(float64(k)/float64(n) - *p) }
	switch {
	case stated != nil && off(*stated) > half:
		return 0, r.wrong(count, "%d of %d is not the %s of %s", *stated, n, rate, r.text(rate))
	case stated != nil:
		return *stated, nil
	case off(k) > half:
		return 0, r.wrong(rate, "%s is no whole number of %d trials", r.text(rate), n)
	case min(off(k-1), off(k+1)) < half-2e-9:
		return 0, r.wrong(rate, "%s of %d trials leaves open how many: add a column %s", r.text(rate), n, count)
	}
	return k, nil
}

func (c *cellCounts) consistent(r *row) (err error) {
	failed := c.n - c.success
	switch {
	case c.dynamic > failed:
		return r.wrong("DFR", "%d failures of execution, but only %d failed", c.dynamic, failed)
	case c.semantic > failed:
		return r.wrong("SFR", "%d failures of understanding, but only %d failed", c.semantic, failed)
	case c.dynamic+c.semantic < failed:
		return r.wrong("DFR", "DFR and SFR explain %d of %d failures; each needs at least one kind", c.dynamic+c.semantic, failed)
	}
	for _, t := range []struct {
		name string
		into *float64
		from int // successes for which it must be there
	}{{"TF_mean_s", &c.mean, 1}, {"TF_std_s", &c.std, 2}} {
		v, err := r.number(t.name, 0, 1e6)
		switch {
		case err != nil:
			return err
		case v != nil && c.success < t.from:
			return r.wrong(t.name, "%v for %d successes", *v, c.success)
		case v != nil:
			*t.into = *v
		case c.success >= t.from && r.of.has(t.name):
			return r.wrong(t.name, "is empty, but there are %d successes", c.success)
		}
	}
	return nil
}

func (c *cellCounts) add(other *cellCounts) {
	c.n += other.n
	c.partial += other.partial
	c.success += other.success
	c.dynamic += other.dynamic
	c.semantic += other.semantic
}

// check holds a row of all scenes against the sum of the rows above it.
func (c *cellCounts) check(r *row, sum *cellCounts) error {
	if sum == nil {
		return r.wrong("policy", "%s has no scene above its row of all scenes", c.policy)
	}
	for _, k := range []struct {
		name      string
		got, want int
	}{
		{"trials", c.n, sum.n},
		{"PSR", c.partial, sum.partial},
		{"SR", c.success, sum.success},
		{"DFR", c.dynamic, sum.dynamic},
		{"SFR", c.semantic, sum.semantic},
	} {
		if k.got != k.want {
			return r.wrong(k.name, "%d in all scenes, but the scenes above have %d together", k.got, k.want)
		}
	}
	return nil
}

// outcomes are trials that have the counts: successes first, failures with both
// kinds where there are more kinds than failures. As many trials are partial
// successes as stated, successes before failures.
func (c *cellCounts) outcomes(r *row) []outcome {
	var all []outcome
	failed := c.n - c.success
	for i := range c.n {
		o := outcome{line: r.line, scene: c.scene, policy: c.policy, placement: i, instruction: r.text("instruction")}
		v := &eval.Verdict{Success: i < c.success, Partial: i < c.partial}
		if v.Success {
			o.termination = eval.Success
			if r.of.has("TF_mean_s") {
				s := standIn(c.mean, c.std, i, c.success)
				o.seconds = &s
			}
		} else {
			o.termination = eval.Timeout
			k := i - c.success
			if k < c.dynamic {
				v.Labels = append(v.Labels, eval.OtherExecution)
			}
			if k >= failed-c.semantic {
				v.Labels = append(v.Labels, eval.OtherSemantic)
			}
		}
		o.verdict = v
		all = append(all, o)
	}
	return all
}

// standIn is the i-th of n times that have the given mean and population
// spread: two values as near to each other as can be.
func standIn(mean, std float64, i, n int) float64 {
	if n == 1 || std == 0 {
		return mean
	}
	low := float64(n / 2)
	high := float64(n) - low
	if float64(i) < low {
		return mean - std*math.Sqrt(high/low)
	}
	return mean + std*math.Sqrt(low/high)
}
