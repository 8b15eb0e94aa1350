package report

import (
	"fmt"
	"io"
	"strings"

	"twinrig/eval"
	"twinrig/eval/stats"
)

// Markdown writes the table of scenes and policies with the pooled rows last,
// and below it how the policies compare.
func (r *Report) Markdown(w io.Writer) error {
	var out strings.Builder
	out.WriteString("| scene | policy | trials | PSR | SR | DFR | SFR | TF, s |\n|---|---|--:|--:|--:|--:|--:|--:|\n")
	for i := range r.Cells {
		c := &r.Cells[i]
		markdownRow(&out, c.Scene, c, 2)
	}
	for i := range r.Pooled {
		markdownRow(&out, "All", &r.Pooled[i], 3)
	}
	out.WriteString("\n")
	for i := range r.Pooled {
		c := &r.Pooled[i]
		fmt.Fprintf(&out, "%s: SR %d/%d, 95 %% Wilson interval %s.\n", c.Policy, c.SR.K, c.SR.N, eval.FormatInterval(c.SR, 3))
	}
	for _, line := range r.testLines() {
		out.WriteString("\n" + line + "\n")
	}
	for _, line := range r.PlanLines() {
		out.WriteString("\n" + line + "\n")
	}
	if r.Study.Virtual {
		out.WriteString("\nVirtual rig: every number is about a simulated arm.\n")
	}
	if r.Digest != "" {
		fmt.Fprintf(&out, "\nComputed from %s.\n", r.Digest)
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("report: markdown: %w", err)
	}
	return nil
}

// markdownRow prints one row; ten trials have one decimal.
func markdownRow(out *strings.Builder, scene string, c *eval.Cell, decimals int) {
	if c.N() == 10 {
		decimals = 1
	}
	fmt.Fprintf(out, "| %s | %s | %d |", scene, c.Policy, c.N())
	for _, rate := range []stats.Rate{c.PSR, c.SR, c.DFR, c.SFR} {
		fmt.Fprintf(out, " %s |", eval.FormatRate(rate, decimals))
	}
	fmt.Fprintf(out, " %s |\n", eval.FormatMoments(c.TF))
}
