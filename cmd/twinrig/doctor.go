package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"twinrig/cmd/twinrig/doctor"
	"twinrig/configs"
)

func doctorCommand() *cobra.Command {
	var rig, studies string
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor --rig FILE",
		Short: "Is everything from here to the gripper as it should be? What to fix, and how",
		Long: `doctor looks at the port, the servos, the camera, this machine and the servers
that a study needs, and says for each what it measured and what to type where
it is not as it should be. It only looks: nothing moves, no torque is taken on
or off, and no permanent servo setting is written.

It ends with 0 if a study may start, with 1 if not.`,
		Example: "  twinrig doctor --rig configs/widowx250s.yaml\n  twinrig doctor --rig rig.yaml --json",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if rig == "" {
				return usageError{errors.New("doctor wants a rig file: --rig configs/widowx250s.yaml")}
			}
			cfg, err := configs.LoadRig(rig)
			if err != nil {
				return usageError{err}
			}
			hint := newHint(cmd.ErrOrStderr(), asJSON)
			r, err := doctor.Run(cmd.Context(), doctor.Options{Rig: cfg, Studies: studies, Before: hint.say})
			hint.clear()
			if err != nil {
				return err
			}
			return printDoctor(cmd.OutOrStdout(), &r, asJSON)
		},
	}
	c.Flags().StringVar(&rig, "rig", "", "the rig file")
	c.Flags().StringVar(&studies, "studies", "studies", "where studies will be written")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// printDoctor prints what was found; its error is what makes the exit code.
func printDoctor(w io.Writer, r *doctor.Report, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			return err
		}
	} else if err := printChecks(w, r, "A study may start.", "No study may start yet."); err != nil {
		return err
	}
	return failures("doctor", r)
}

// failures is nil if no check failed.
func failures(of string, r *doctor.Report) error {
	if r.MayStart {
		return nil
	}
	failed := 0
	for i := range r.Checks {
		if c := &r.Checks[i]; c.Verdict == doctor.Fail && c.Needs == "" {
			failed++
		}
	}
	return fmt.Errorf("%s: %d of %d checks failed", of, failed, len(r.Checks))
}

// printChecks prints the table, then the fixes, each on a line of its own that
// can be copied, then the sentence that matters: all is well, or ill.
func printChecks(w io.Writer, r *doctor.Report, well, ill string) error {
	paint := newPaint(w)
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 3, WidthMax: paint.width, WidthMaxEnforcer: text.WrapSoft}})
	var toFix, toKnow string
	for i := 0; i < len(r.Checks); i++ {
		c := &r.Checks[i]
		if c.Needs != "" {
			skipped := i
			for i+1 < len(r.Checks) && r.Checks[i+1].Needs == c.Needs {
				i++
			}
			t.AppendRow(table.Row{paint.word("-", text.Faint), count(i+1-skipped, "check"), "not made without " + c.Needs})
			continue
		}
		verdict := paint.verdict(c.Verdict)
		t.AppendRow(table.Row{verdict, c.Name, c.Value})
		line := fmt.Sprintf(" %s %s: %s\n", verdict, c.Name, c.Fix)
		switch c.Verdict {
		case doctor.Fail:
			toFix += line
		case doctor.Warn:
			toKnow += line
		}
	}
	out := trailing.ReplaceAllString(t.Render(), "") + "\n\n"
	if toFix+toKnow != "" {
		out += "What to do:\n" + toFix + toKnow + "\n"
	}
	if first, failed := r.First(); failed {
		out += fmt.Sprintf("%s Fix %s first: %s\n", ill, first.Name, first.Value)
	} else {
		out += well + "\n"
	}
	_, err := io.WriteString(w, out)
	return err
}

// trailing is the padding of the table's last column.
var trailing = regexp.MustCompile(`(?m) +$`)

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// paint colours verdicts for a person, and keeps the table within the window.
type paint struct {
	colour bool
	width  int // of the last column; 0 is any
}

// besideValue is what the columns before the values take.
const besideValue = 26

func newPaint(w io.Writer) paint {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return paint{}
	}
	p := paint{colour: os.Getenv("NO_COLOR") == ""}
	if cols, _, err := term.GetSize(int(f.Fd())); err == nil {
		p.width = max(40, cols-besideValue)
	}
	return p
}

func (p paint) verdict(v doctor.Verdict) string {
	colour := text.FgGreen
	switch v {
	case doctor.Warn:
		colour = text.FgYellow
	case doctor.Fail:
		colour = text.FgRed
	}
	return p.word(string(v), colour)
}

func (p paint) word(word string, colour text.Color) string {
	if word = fmt.Sprintf("%-4s", word); !p.colour {
		return word
	}
	// The library would look at the environment; the terminal was asked above.
	return colour.EscapeSeq() + word + text.Reset.EscapeSeq()
}

// hint is the line that tells a person what is being looked at, on a terminal
// only.
type hint struct{ w io.Writer }

func newHint(w io.Writer, quiet bool) hint {
	if f, ok := w.(*os.File); quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return hint{io.Discard}
	}
	return hint{w}
}

// eraseLine goes back to the line's beginning and clears it.
const eraseLine = "\r\x1b[K"

func (h hint) say(name string) { fmt.Fprint(h.w, eraseLine+"looking at "+name+" ...") }
func (h hint) clear()          { fmt.Fprint(h.w, eraseLine) }
