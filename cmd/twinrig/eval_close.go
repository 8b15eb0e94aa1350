package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"twinrig/eval"
)

// closeJSON is the command's JSON.
type closeJSON struct {
	StudyDir string `json:"study_dir"`
	eval.Closing
	// Policies are the names behind the letters; null for an open study.
	Policies   map[string]string `json:"policies"`
	Commitment string            `json:"commitment,omitempty"`
	Sealed     string            `json:"sealed_text,omitempty"`
}

func evalCloseCommand() *cobra.Command {
	var who string
	var asJSON bool
	c := &cobra.Command{
		Use:   "close STUDY",
		Short: "End a study, and tell which policy was which",
		Long: `close ends a study whose trials are all done and labelled: nothing runs any
more, and verdicts can only be amended, with a reason. For a blinded study it
shows which policy each letter was, and the text whose SHA-256 is the commitment
that the plan showed before the first trial.`,
		Example: "  twinrig eval close studies/week12",
		Args:    exactly(1, "a study's folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStudy(args[0], func(s *eval.Study, l *eval.Ledger) error {
				return closeStudy(s, l, args[0], who, asJSON, cmd.OutOrStdout())
			})
		},
	}
	c.Flags().StringVar(&who, "who", loginName(), "who closes it")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func closeStudy(s *eval.Study, l *eval.Ledger, dir, who string, asJSON bool, w io.Writer) error {
	changes, err := l.Changes()
	if err != nil {
		return err
	}
	// Who closed it already only wants to see it again.
	if err := l.Conclude(s.With(changes), who); err != nil && !errors.Is(err, eval.ErrClosed) {
		return err
	}
	closed, err := l.Closed()
	if err != nil {
		return err
	}
	out := closeJSON{StudyDir: dir, Closing: *closed, Commitment: s.Commitment}
	if s.Commitment != "" {
		seal, err := l.Unseal(s)
		if err != nil {
			return err
		}
		out.Policies, out.Sealed = map[string]string{}, seal.Text()
		for _, p := range s.Policies {
			is, _ := seal.Policy(p.Name)
			out.Policies[p.Name] = is.Name
		}
	}
	if asJSON {
		return printJSON(w, out)
	}
	fmt.Fprintf(w, "%s: closed by %s at %s\n", dir, closed.Who, closed.At)
	if out.Sealed != "" {
		for _, p := range s.Policies {
			fmt.Fprintf(w, "%s was %s\n", p.Name, out.Policies[p.Name])
		}
		fmt.Fprintf(w, "\nThe plan committed to SHA-256 %s, which is that of these lines:\n%s\n", s.Commitment, out.Sealed)
	}
	_, err = fmt.Fprintf(w, "Next: twinrig eval report %s\n", dir)
	return err
}
