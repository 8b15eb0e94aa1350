package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"twinrig/eval"
)

// labelling is the command's flags.
type labelling struct {
	success, partial, invalid bool
	failure                   []string
	who, reason               string
	asJSON                    bool
}

func evalLabelCommand() *cobra.Command {
	var f labelling
	c := &cobra.Command{
		Use:   "label STUDY [TRIAL]",
		Short: "Give a trial its verdict, or amend the one it has",
		Long: `label without a trial lists those that still need a verdict. With one it gives
the verdict: --success, or --failure with its labels, and --partial if the object
was grasped and lifted at any time. A trial that has a verdict keeps it on record:
the new one is an amendment and wants --reason. --invalid takes a trial out, which
is then run again with the same placement.

Labels of execution: ` + strings.Join(words(false), ", ") + `.
Labels of understanding: ` + strings.Join(words(true), ", ") + `.`,
		Example: "  twinrig eval label studies/week12\n" +
			"  twinrig eval label studies/week12 0003-00_banana_bowl-p2-A --failure dropped --partial\n" +
			"  twinrig eval label studies/week12 0004-00_banana_bowl-p2-B --success --reason 'seen in the video'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return nil
			}
			return usageError{fmt.Errorf("%s wants a study's folder and at most one trial, got %d arguments", cmd.CommandPath(), len(args))}
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStudy(args[0], func(_ *eval.Study, l *eval.Ledger) error {
				if len(args) == 1 {
					return listUnlabelled(l, f.asJSON, cmd.OutOrStdout())
				}
				what, err := f.apply(l, args[1])
				if err != nil {
					return err
				}
				if f.asJSON {
					return printJSON(cmd.OutOrStdout(), map[string]string{"trial": args[1], "was": what})
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", args[1], what)
				return err
			})
		},
	}
	c.Flags().BoolVar(&f.success, "success", false, "the task was done before the time-out")
	c.Flags().StringSliceVar(&f.failure, "failure", nil, "it was not: one or more labels")
	c.Flags().BoolVar(&f.partial, "partial", false, "the object was grasped and lifted")
	c.Flags().BoolVar(&f.invalid, "invalid", false, "the trial does not count and is run again")
	c.Flags().StringVar(&f.who, "who", loginName(), "who judges")
	c.Flags().StringVar(&f.reason, "reason", "", "why, where a verdict is amended")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return c
}

// words are the labels of one kind.
func words(semantic bool) []string {
	var out []string
	for _, l := range eval.Labels() {
		if l.Semantic() == semantic && l != eval.Unclassified {
			out = append(out, string(l))
		}
	}
	return out
}

func listUnlabelled(l *eval.Ledger, asJSON bool, w io.Writer) error {
	results, err := l.Results()
	if err != nil {
		return err
	}
	ids := eval.Unlabelled(results)
	if asJSON {
		return printJSON(w, append([]string{}, ids...))
	}
	if len(ids) == 0 {
		_, err = fmt.Fprintln(w, "every trial has its verdict")
		return err
	}
	_, err = fmt.Fprintln(w, strings.Join(ids, "\n"))
	return err
}

// verdict is what the flags say; nil for a trial that does not count.
func (f *labelling) verdict() (*eval.Verdict, error) {
	said := 0
	for _, yes := range []bool{f.success, len(f.failure) > 0, f.invalid} {
		if yes {
			said++
		}
	}
	switch {
	case said != 1:
		return nil, errors.New("one of --success, --failure LABELS, --invalid is needed")
	case f.who == "":
		return nil, errors.New("--who is needed: the name of the one who judges")
	case f.invalid:
		return nil, nil
	}
	v := &eval.Verdict{Success: f.success, Partial: f.partial || f.success, Source: "operator", Who: f.who}
	for _, l := range f.failure {
		v.Labels = append(v.Labels, eval.Label(l))
	}
	return v, v.Validate()
}

// apply gives or amends the verdict of a trial and says which.
func (f *labelling) apply(l *eval.Ledger, id string) (what string, err error) {
	v, err := f.verdict()
	if err != nil {
		return "", usageError{err}
	}
	results, err := l.Results()
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(results, func(r eval.Result) bool { return r.Trial.ID == id })
	if i < 0 {
		return "", usageError{fmt.Errorf("no trial %q has ended in this study", id)}
	}
	r := &results[i]
	if v != nil && r.Verdict == nil && r.Termination.Counted() {
		return "judged", l.Judge(id, v)
	}
	if f.reason == "" {
		return "", usageError{fmt.Errorf("%s has ended as %s and been judged: an amendment wants --reason", id, r.Termination)}
	}
	a := eval.Amendment{Who: f.who, Reason: f.reason, Verdict: v}
	switch {
	case v == nil:
		a.Termination = eval.Invalid
	case !r.Termination.Counted():
		a.Termination = eval.OperatorStop
	}
	return "amended", l.Amend(id, a)
}
