package page

import (
	"bytes"
	"fmt"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"
)

func TestPageEscapesAndNeedsNothingElse(t *testing.T) {
	p := NewPlot("x", "y")
	dots, err := plotter.NewScatter(plotter.XYs{{X: 1, Y: 2}, {X: 3, Y: 4}})
	require.NoError(t, err)
	dots.Color = One
	p.Add(dots)
	svg, err := Drawing(p, Width, 200, `"dots" & more`)
	require.NoError(t, err)
	require.Contains(t, string(svg), `aria-label="&#34;dots&#34; &amp; more"`)
	require.Contains(t, string(svg), "var(--one)")
	require.NotContains(t, string(svg), "font-family")

	pg := Page{
		Kind: "Lens", Title: "<b>", Verdict: "Not saved", Warnings: []string{"a < b"},
		Facts:   []Fact{{"fx", "533.3 px", "± 0.6"}},
		Figures: []Figure{{Title: "Dots", Drawing: svg, Caption: "two of them", Narrow: true}},
		Tables:  []Table{{Title: "Views", Head: []string{"view", "px"}, Rows: [][]string{{"left<01>.jpg", "0.2"}}}},
	}
	var b bytes.Buffer
	require.NoError(t, pg.HTML(&b))
	for _, want := range []string{"&lt;b&gt;", `class="verdict bad"`, "a &lt; b", "left&lt;01&gt;.jpg", "<svg role"} {
		require.Contains(t, b.String(), want)
	}
	require.NotRegexp(t, `(src|href)=`, b.String())
}

// Every ink must be one that Drawing replaces.
func TestInksAreReplaced(t *testing.T) {
	for _, c := range []color.NRGBA{Ink, Soft, Rule, One, Two} {
		p := NewPlot("", "")
		line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
		require.NoError(t, err)
		line.Color = c
		p.Add(line)
		svg, err := Drawing(p, 100, 100, "line")
		require.NoError(t, err)
		require.NotContains(t, string(svg), fmt.Sprintf("#%02X%02X00", c.R, c.G))
	}
}

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   []string
	}{
		{0, 0.27, []string{"0", "0.05", "0.1", "0.15", "0.2", "0.25"}},
		{-0.55, 0.55, []string{"-0.4", "-0.2", "0", "0.2", "0.4"}},
		{0, 7, []string{"0", "1", "2", "3", "4", "5", "6", "7"}},
		{0, 1200, []string{"0", "200", "400", "600", "800", "1000", "1200"}},
	} {
		var got []string
		for _, m := range Ticks(c.lo, c.hi) {
			got = append(got, m.Label)
		}
		require.Equal(t, c.want, got)
	}
}
