package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"twinrig"
	"twinrig/eval"
	"twinrig/eval/stats"
)

// Table writes the study's numbers for a terminal.
func (r *Report) Table(w io.Writer) error {
	parts := []string{r.headline(), r.pooledTable(), r.sceneTable(), r.gapTable()}
	parts = append(parts, strings.Join(r.testLines(), "\n"), strings.Join(r.PlanLines(), "\n"))
	for _, warning := range r.Warnings {
		parts = append(parts, "Note: "+warning)
	}
	var out strings.Builder
	for _, p := range parts {
		if p != "" {
			out.WriteString(p + "\n\n")
		}
	}
	if _, err := io.WriteString(w, strings.TrimRight(out.String(), "\n")+"\n"); err != nil {
		return fmt.Errorf("report: table: %w", err)
	}
	return nil
}

func (r *Report) headline() string {
	s := fmt.Sprintf("Study %s: %d trials", r.Study.Name, len(r.Counted))
	if n := len(r.Excluded); n > 0 {
		s += fmt.Sprintf(", %d excluded", n)
	}
	if r.Study.Virtual {
		s += "\nVIRTUAL RIG: every number below is about a simulated arm."
	}
	return s
}

// newTable begins a table whose columns, from the given one on, are numbers.
func newTable(title string, firstNumber int, header ...any) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Title.Align = text.AlignLeft
	t.SetTitle("%s", title)
	t.AppendHeader(header)
	var columns []table.ColumnConfig
	for i := firstNumber; i <= len(header); i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

func (r *Report) pooledTable() string {
	t := newTable("All scenes pooled, with 95 % Wilson intervals", 2, "policy", "n", "PSR", "SR", "DFR", "SFR", "TF s (n)")
	for i, c := range r.Pooled {
		row := table.Row{c.Policy, c.N()}
		for _, rate := range []stats.Rate{c.PSR, c.SR, c.DFR, c.SFR} {
			row = append(row, eval.FormatRate(rate, 3)+"\n"+eval.FormatInterval(rate, 3))
		}
		t.AppendRow(append(row, timeText(c.TF)))
		if !r.Balanced {
			m := r.SceneMeans[i]
			t.AppendRow(append(table.Row{"  mean of scenes", fmt.Sprintf("%d scenes", m.Scenes)}, meanTexts(m)...))
		}
		t.AppendSeparator()
	}
	return t.Render()
}

func (r *Report) sceneTable() string {
	t := newTable("By scene, with 95 % Wilson intervals of SR", 3,
		"scene", "policy", "n", "PSR", "SR", "SR 95 %", "DFR", "SFR", "TF s (n)")
	for i, c := range r.Cells {
		scene := c.Scene
		if i > 0 && r.Cells[i-1].Scene == scene {
			scene = ""
		} else if i > 0 {
			t.AppendSeparator()
		}
		t.AppendRow(table.Row{
			scene, c.Policy, c.N(), eval.FormatRate(c.PSR, 2), eval.FormatRate(c.SR, 2), eval.FormatInterval(c.SR, 2),
			eval.FormatRate(c.DFR, 2), eval.FormatRate(c.SFR, 2), timeText(c.TF),
		})
	}
	return t.Render()
}

func (r *Report) gapTable() string {
	g := r.Gap
	if g.Trials == 0 {
		return ""
	}
	t := newTable("Gap to the mirror", 2, "quantity", "value")
	t.AppendRows([]table.Row{
		{"end effector RMS", fmt.Sprintf("%.2f mm", g.EERMSMM)},
		{"end effector p95", orNone("%.2f mm", g.EEP95MM)},
		{"end effector max", fmt.Sprintf("%.2f mm", g.EEMaxMM)},
		{"hand rotation RMS", fmt.Sprintf("%.2f deg", g.EERotRMSDeg)},
		{"gripper opening RMS", fmt.Sprintf("%.2f mm", g.GripRMSMM)},
		{fmt.Sprintf("trials beyond %.0f mm", eval.DivergenceMM), fmt.Sprintf("%d of %d", g.Diverged.K, g.Diverged.N)},
	})
	t.AppendSeparator()
	for j, rms := range g.JointRMS {
		t.AppendRow(table.Row{twinrig.AxisNames[j] + " RMS", fmt.Sprintf("%.4f rad", rms)})
	}
	out := fmt.Sprintf("Between the %s and its mirror, %d trials, %d control steps:\n%s",
		r.arm(), g.Trials, g.Steps, t.Render())
	if n := r.Agreement.Agree(); n.N > 0 {
		out += fmt.Sprintf("\nOutcome: %s and mirror agree in %d of %d trials, kappa %s",
			r.arm(), n.K, n.N, kappaText(r.Agreement))
	}
	return out
}

// timeText prints a time to finish with its n.
func timeText(m stats.Moments) string {
	if m.N == 0 {
		return eval.None
	}
	return fmt.Sprintf("%s (%d)", eval.FormatMoments(m), m.N)
}

func kappaText(a stats.Agreement) string {
	kappa, ok := a.Kappa()
	if !ok {
		return "undefined"
	}
	return fmt.Sprintf("%.2f", kappa)
}

func orNone(format string, v *float64) string {
	if v == nil {
		return eval.None
	}
	return fmt.Sprintf(format, *v)
}

func meanTexts(m eval.SceneMean) []any {
	texts := make([]any, 0, 4)
	for _, p := range []float64{m.PSR, m.SR, m.DFR, m.SFR} {
		if m.Scenes == 0 {
			texts = append(texts, eval.None)
			continue
		}
		texts = append(texts, fmt.Sprintf("%.3f", p))
	}
	return texts
}
