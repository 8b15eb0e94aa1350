package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Plots are drawn in inks: opaque stand-in colours that paint replaces by the
// page's style sheet variables, so that one drawing suits light, dark and
// paper.
var (
	ink     = color.NRGBA{R: 0x11, A: 0xff} // text and axes
	soft    = color.NRGBA{R: 0x22, A: 0xff} // tick labels
	rule    = color.NRGBA{R: 0x33, A: 0xff} // grid
	paper   = color.NRGBA{R: 0x44, A: 0xff} // what is behind
	variant = []string{"--p0", "--p1", "--p2", "--p3", "--p4", "--p5"}
)

// policyInk is the i-th policy's colour, faint for lines of which there are
// many. Beyond six policies they repeat.
func policyInk(i int, faint bool) color.Color {
	c := color.NRGBA{G: uint8(0x11 * (1 + i%len(variant))), A: 0xff}
	if faint {
		c.B = 0xff
	}
	return c
}

// paint puts the style sheet's variables where the inks are.
func paint(svg string) string {
	pairs := []string{hex(ink), "var(--ink)", hex(soft), "var(--soft)", hex(rule), "var(--rule)", hex(paper), "var(--paper)"}
	for i, name := range variant {
		pairs = append(pairs,
			hex(policyInk(i, false)), "var("+name+")",
			hex(policyInk(i, true)), "var("+name+"-faint)")
	}
	return strings.NewReplacer(pairs...).Replace(svg)
}

// hex is a colour as the SVG canvas writes it.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8)
}

var (
	svgProlog = regexp.MustCompile(`(?s)^.*?<svg width="[^"]*" height="[^"]*"`)
	svgFont   = regexp.MustCompile(`font-family:[^"]*?;font-size`)
)

// drawSVG renders a plot of so many points size into the page. The page's style
// sheet scales it and gives it its font; label is read out to who cannot see it.
func drawSVG(p *plot.Plot, w, h vg.Length, label string) (template.HTML, error) {
	c := vgsvg.New(w, h)
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", fmt.Errorf("report: plot: %w", err)
	}
	svg := svgProlog.ReplaceAllString(paint(b.String()),
		`<svg role="img" aria-label="`+template.HTMLEscapeString(label)+`"`)
	svg = svgFont.ReplaceAllString(svg, "font-size")
	return template.HTML(svg), nil // #nosec G203: drawn here, label escaped
}

// newPlot is an empty plot in the page's style.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	for axis, label := range map[*plot.Axis]string{&p.X: x, &p.Y: y} {
		axis.Label.Text = label
		axis.Label.TextStyle.Font = font.From(sans, 11)
		axis.Label.TextStyle.Color = ink
		axis.Label.Padding = 4
		axis.Tick.Label.Font = font.From(sans, 10)
		axis.Tick.Label.Color = soft
		axis.Color = soft
		axis.Width = 0.6
		axis.Tick.Color = soft
		axis.Tick.Width = 0.6
		axis.Tick.Length = 4
		axis.Padding = 0
	}
	return p
}
