package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"twinrig/eval"
	"twinrig/eval/stats"
)

func evalCompareCommand() *cobra.Command {
	var paired string
	var asJSON bool
	c := &cobra.Command{
		Use:   "compare HITS/TRIALS HITS/TRIALS",
		Short: "Compare two success rates: intervals, difference, tests",
		Long: `compare prints two success rates with their intervals (Wilson, and Clopper and
Pearson's exact one), the second's minus the first's with Newcombe's interval,
Fisher's and Barnard's exact tests, and the Bayesian probability that the second
is better (uniform priors). One-sided tests ask whether the second is better.

If both met the same placements, --paired gives the numbers of pairs in which
one alone succeeded, in either order: the rates tell which is whose. Then the
interval is of pairs, and McNemar's exact test is the one to go by.`,
		Example: "  twinrig eval compare 26/120 90/120\n  twinrig eval compare 26/120 90/120 --paired 15,79 --json",
		Args:    exactly(2, "two rates, such as 26/120 90/120"),
		RunE: func(cmd *cobra.Command, args []string) error {
			got, err := compare(args[0], args[1], paired)
			if err != nil {
				return usageError{err}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), got)
			}
			return printComparison(cmd.OutOrStdout(), &got)
		},
	}
	c.Flags().StringVar(&paired, "paired", "", "`b,c`: pairs in which one alone succeeded")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func compare(first, second, paired string) (eval.Comparison, error) {
	a, err := stats.ParseRate(first)
	if err != nil {
		return eval.Comparison{}, err
	}
	b, err := stats.ParseRate(second)
	if err != nil {
		return eval.Comparison{}, err
	}
	if paired == "" {
		return eval.Compare(a, b), nil
	}
	pairs, err := parsePairs(paired, a, b)
	if err != nil {
		return eval.Comparison{}, err
	}
	return eval.ComparePairs(pairs), nil
}

// parsePairs fills the table of pairs from its discordant cells, in either
// order, and its margins.
func parsePairs(text string, a, b stats.Rate) (stats.Pairs, error) {
	x, y, found := strings.Cut(text, ",")
	onlyA, errA := strconv.ParseUint(strings.TrimSpace(x), 10, 31)
	onlyB, errB := strconv.ParseUint(strings.TrimSpace(y), 10, 31)
	if !found || errA != nil || errB != nil {
		return stats.Pairs{}, fmt.Errorf("--paired %q: want two counts, such as 15,79", text)
	}
	if a.N != b.N {
		return stats.Pairs{}, fmt.Errorf("--paired: %d trials against %d: pairs need equally many", a.N, b.N)
	}
	if int(onlyA)-int(onlyB) != a.K-b.K {
		onlyA, onlyB = onlyB, onlyA
	}
	p := stats.Pairs{Both: a.K - int(onlyA), OnlyA: int(onlyA), OnlyB: int(onlyB)}
	p.Neither = a.N - p.Both - p.OnlyA - p.OnlyB
	switch {
	case p.A() != a || p.B() != b:
		return stats.Pairs{}, fmt.Errorf("--paired %q: %d/%d and %d/%d differ by %d successes, so the two counts must too",
			text, a.K, a.N, b.K, b.N, max(a.K-b.K, b.K-a.K))
	case p.Both < 0 || p.Neither < 0:
		return stats.Pairs{}, fmt.Errorf("--paired %q: more than %d/%d and %d/%d leave room for", text, a.K, a.N, b.K, b.N)
	}
	return p, nil
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func printComparison(w io.Writer, c *eval.Comparison) error {
	var out strings.Builder
	for _, r := range []struct {
		name string
		of   eval.RateSummary
	}{{"first", c.A}, {"second", c.B}} {
		fmt.Fprintf(&out, "%-22s %d/%d = %s   95 %%: Wilson %s, exact (Clopper-Pearson) %s\n", r.name,
			r.of.K, r.of.N, digits(r.of.Rate), rangeText(r.of.Interval), rangeText(r.of.Exact))
	}
	kind := "Newcombe"
	if c.Difference.Paired {
		kind = "Newcombe, paired"
	}
	fmt.Fprintf(&out, "%-22s %s   95 %%: %s (%s)\n", "second minus first", digits(c.Difference.Value), rangeText(c.Difference.Newcombe), kind)
	if m := c.McNemar; m != nil {
		fmt.Fprintf(&out, "%-22s p = %s, one-sided %s (%d pairs the first's alone, %d the second's)\n", "McNemar, exact",
			pText(m.TwoSided), pText(m.OneSided), m.OnlyA, m.OnlyB)
	}
	fmt.Fprintf(&out, "%-22s p = %s, one-sided %s\n", "Barnard", pText(c.Barnard.TwoSided), pText(c.Barnard.OneSided))
	fmt.Fprintf(&out, "%-22s p = %s, one-sided %s\n", "Fisher", pText(c.Fisher.TwoSided), pText(c.Fisher.OneSided))
	fmt.Fprintf(&out, "%-22s P(second better) = %s, P(first better) = %s\n", "Bayes, uniform priors", pText(c.BBetter), pText(c.ABetter))
	if c.McNemar != nil {
		out.WriteString("The trials are in pairs: go by McNemar; Barnard, Fisher and Bayes take them as independent.\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func digits(v *float64) string {
	if v == nil {
		return eval.None
	}
	return fmt.Sprintf("%.4f", *v)
}

func rangeText(iv *[2]float64) string {
	if iv == nil {
		return eval.None
	}
	return fmt.Sprintf("[%.4f, %.4f]", iv[0], iv[1])
}

// pText keeps the digits of small probabilities.
func pText(p *float64) string {
	if p == nil {
		return "not computed"
	}
	return fmt.Sprintf("%.3g", *p)
}
