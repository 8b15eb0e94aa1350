package page

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The inks that plots are drawn in: stand-ins which Drawing replaces by the
// page's style sheet variables, so that one drawing suits light, dark and paper.
var (
	Ink  = color.NRGBA{R: 0x11, A: 0xff} // text and axes
	Soft = color.NRGBA{R: 0x22, A: 0xff} // ticks and what is beside the point
	Rule = color.NRGBA{R: 0x33, A: 0xff} // grid
	One  = color.NRGBA{G: 0x11, A: 0xff} // first kind of thing
	Two  = color.NRGBA{G: 0x22, A: 0xff} // second kind
)

// Width of a drawing that fills the page, in points; the page scales it.
const Width = 800 * vg.Length(1)

var (
	inks      = strings.NewReplacer("#110000", "var(--ink)", "#220000", "var(--soft)", "#330000", "var(--rule)", "#001100", "var(--one)", "#002200", "var(--two)")
	svgProlog = regexp.MustCompile(`(?s)^.*?<svg width="[^"]*" height="[^"]*"`)
	svgFont   = regexp.MustCompile(`font-family:[^"]*?;font-size`)
)

// Drawing renders a plot. label is read out to who cannot see it.
func Drawing(p *plot.Plot, w, h vg.Length, label string) (template.HTML, error) {
	c := vgsvg.New(w, h)
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", fmt.Errorf("page: plot: %w", err)
	}
	svg := svgProlog.ReplaceAllString(inks.Replace(b.String()),
		`<svg role="img" aria-label="`+template.HTMLEscapeString(label)+`"`)
	return template.HTML(svgFont.ReplaceAllString(svg, "font-size")), nil // #nosec G203: drawn here, label escaped
}

// NewPlot is an empty plot in the page's style.
func NewPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	for axis, label := range map[*plot.Axis]string{&p.X: x, &p.Y: y} {
		axis.Label.Text = label
		axis.Label.TextStyle.Font = font.From(sans, 11)
		axis.Label.TextStyle.Color = Ink
		axis.Label.Padding = 4
		axis.Tick.Label.Font = font.From(sans, 10)
		axis.Tick.Label.Color = Soft
		axis.Color, axis.Tick.Color = Soft, Soft
		axis.Width, axis.Tick.Width = 0.6, 0.6
		axis.Tick.Length = 4
		axis.Padding = 0
	}
	p.Legend.TextStyle.Font = font.From(sans, 10)
	p.Legend.TextStyle.Color = Ink
	return p
}

// Ticks marks lo to hi at a round step, about six times.
func Ticks(lo, hi float64) plot.ConstantTicks {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/6)))
	for _, k := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(k*step) <= 7 {
			step *= k
			break
		}
	}
	var marks plot.ConstantTicks
	for i := int(math.Ceil(lo/step - 1e-9)); float64(i)*step <= hi+1e-9*step; i++ {
		v := float64(i) * step
		marks = append(marks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return marks
}
