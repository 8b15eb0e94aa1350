package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"twinrig/eval/stats"
)

// powerQuestion is the command's flags: with N, its power; else how many trials
// have the power Want.
type powerQuestion struct {
	p1, p2, alpha, want float64
	n                   int
	search, twoSided    bool // search: for the number of trials
	asJSON              bool
}

// powerAnswer is the command's JSON. N is trials of each policy.
type powerAnswer struct {
	P1          float64 `json:"p1"`
	P2          float64 `json:"p2"`
	N           int     `json:"n"`
	Alpha       float64 `json:"alpha"`
	Alternative string  `json:"alternative"`
	Test        string  `json:"test"`
	Power       float64 `json:"power"`
	// Fisher is the power of Fisher's test, Paired of McNemar's with as many
	// placements, if the outcomes of a placement have nothing to do with each
	// other.
	Fisher float64 `json:"fisher_power"`
	Paired float64 `json:"mcnemar_power"`
}

func evalPowerCommand() *cobra.Command {
	var q powerQuestion
	c := &cobra.Command{
		Use:   "power --p1 RATE --p2 RATE (--n TRIALS | --power WANTED)",
		Short: "How likely is a difference to be found, or how many trials find it",
		Long: `power tells with which probability so many trials of each of two policies find a
difference that is truly there: exactly, by Barnard's test, one-sided (is the
policy with the larger rate better?) unless --two-sided. With --power instead of
--n it finds the number of trials. Beside it stand Fisher's test, and McNemar's
on as many shared placements if a placement's two outcomes were independent;
hard placements are hard for both, and then pairs find more.`,
		Example: "  twinrig eval power --p1 .6 --p2 .9 --n 10\n  twinrig eval power --p1 .6 --p2 .9 --power .8",
		Args:    exactly(0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{"p1", "p2"} {
				if !cmd.Flags().Changed(name) {
					return usageError{fmt.Errorf("--%s is needed: a true rate, as in --p1 .6 --p2 .9", name)}
				}
			}
			if cmd.Flags().Changed("n") == cmd.Flags().Changed("power") {
				return usageError{fmt.Errorf("either --n (trials of each policy) or --power (the wanted one) is needed")}
			}
			q.search = cmd.Flags().Changed("power")
			a, err := q.answer()
			if err != nil {
				return usageError{err}
			}
			if q.asJSON {
				return printJSON(cmd.OutOrStdout(), a)
			}
			return printPower(cmd.OutOrStdout(), &a)
		},
	}
	c.Flags().Float64Var(&q.p1, "p1", 0, "true rate of the first policy")
	c.Flags().Float64Var(&q.p2, "p2", 0, "true rate of the second policy")
	c.Flags().IntVar(&q.n, "n", 0, "trials of each policy")
	c.Flags().Float64Var(&q.want, "power", 0, "wanted power; prints how many trials have it")
	c.Flags().Float64Var(&q.alpha, "alpha", 0.05, "chance to find a difference that is not there")
	c.Flags().BoolVar(&q.twoSided, "two-sided", false, "either may be the better one")
	c.Flags().BoolVar(&q.asJSON, "json", false, "print one JSON object")
	return c
}

// mostTrials bounds a test (each policy) and the search for a number.
const (
	mostTrials = 2000
	mostSearch = 500
)

func (q *powerQuestion) validate() error {
	for _, v := range []struct {
		name  string
		value float64
	}{{"p1", q.p1}, {"p2", q.p2}} {
		if !(v.value >= 0 && v.value <= 1) {
			return fmt.Errorf("--%s is %v, must be 0 to 1", v.name, v.value)
		}
	}
	switch {
	case !(q.alpha > 0 && q.alpha < 1):
		return fmt.Errorf("--alpha is %v, must be between 0 and 1", q.alpha)
	case !q.search && (q.n < 1 || q.n > mostTrials):
		return fmt.Errorf("--n is %d, must be 1 to %d", q.n, mostTrials)
	case q.search && !(q.want > 0 && q.want < 1):
		return fmt.Errorf("--power is %v, must be between 0 and 1", q.want)
	case q.search && q.p1 == q.p2:
		return fmt.Errorf("--p1 and --p2 are both %v: no number of trials finds a difference that is not there", q.p1)
	}
	return nil
}

func (q *powerQuestion) answer() (powerAnswer, error) {
	if err := q.validate(); err != nil {
		return powerAnswer{}, err
	}
	alt := stats.Greater
	if q.p1 < q.p2 {
		alt = stats.Less
	}
	if q.twoSided {
		alt = stats.TwoSided
	}
	barnard := func(n int) (float64, bool) { return stats.BarnardPower(q.p1, q.p2, n, n, alt, q.alpha) }
	n := q.n
	if q.search {
		var ok bool
		if n, ok = stats.SampleSize(q.want, mostSearch, barnard); !ok {
			return powerAnswer{}, fmt.Errorf("--power %v: %d trials of each policy have less", q.want, mostSearch)
		}
	}
	a := powerAnswer{P1: q.p1, P2: q.p2, N: n, Alpha: q.alpha, Alternative: "one-sided", Test: "barnard"}
	if q.twoSided {
		a.Alternative = "two-sided"
	}
	a.Power, _ = barnard(n)
	a.Fisher, _ = stats.FisherPower(q.p1, q.p2, n, n, alt, q.alpha)
	only1, only2 := stats.IndependentPairs(q.p1, q.p2)
	a.Paired, _ = stats.McNemarPower(only1, only2, n, alt, q.alpha)
	return a, nil
}

func printPower(w io.Writer, a *powerAnswer) error {
	_, err := fmt.Fprintf(w, `%d trials of each policy, true rates %v and %v, %s at %v:
Barnard's test finds the difference with probability %.2f
Fisher's with %.2f, McNemar's on %d shared placements with %.2f if their outcomes are independent
`, a.N, a.P1, a.P2, a.Alternative, a.Alpha, a.Power, a.Fisher, a.N, a.Paired)
	return err
}
