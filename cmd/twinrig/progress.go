package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"twinrig/eval"
)

// progress tells a person how far the study is: a bar on a terminal, a line per
// trial elsewhere, nothing when a program reads.
type progress struct {
	w     io.Writer
	quiet bool
	bar   *progressbar.ProgressBar
	tty   bool
}

func newProgress(w io.Writer, quiet bool) *progress {
	f, ok := w.(*os.File)
	return &progress{w: w, quiet: quiet, tty: ok && term.IsTerminal(int(f.Fd()))}
}

// say prints one line.
func (p *progress) say(line string) {
	if !p.quiet {
		fmt.Fprintln(p.w, line)
	}
}

// step is eval.Run's.
func (p *progress) step(s eval.Step) {
	switch {
	case p.quiet:
	case !p.tty:
		if s.Result != nil {
			fmt.Fprintf(p.w, "trial %d/%d %s: %s\n", s.Done, s.Total, s.Trial.ID, outcome(s.Result))
		}
	default:
		if p.bar == nil {
			p.bar = progressbar.NewOptions(s.Total,
				progressbar.OptionSetWriter(p.w), progressbar.OptionShowCount(),
				progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish())
		}
		p.bar.Describe(s.Trial.ID)
		_ = p.bar.Set(s.Done) // a bar that cannot be drawn is no reason to stop
	}
}

func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

func outcome(r *eval.Result) string {
	if r.Verdict != nil && r.TSuccess != nil {
		return fmt.Sprintf("%s after %.1f s", r.Termination, *r.TSuccess)
	}
	if r.Verdict != nil {
		return fmt.Sprintf("%s %v", r.Termination, r.Verdict.Labels)
	}
	return fmt.Sprintf("%s: %s", r.Termination, r.Note)
}
