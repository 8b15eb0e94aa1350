// Package page is the report of a calibration as one HTML file that needs
// nothing else: a verdict, facts, figures and tables. Every calibration fills it
// the same way, so that they read alike.
package page

import (
	_ "embed" // for the page
	"fmt"
	"html/template"
	"io"
)

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

// Page is a report.
type Page struct {
	// Kind is what was calibrated, Title which one, Lead the result in a
	// sentence or two.
	Kind, Title, Lead string
	// Verdict says whether it is good enough and was saved; Good colours it.
	Verdict  string
	Good     bool
	Warnings []string
	Facts    []Fact
	Figures  []Figure
	Tables   []Table
	// Footer says what made the page.
	Footer string
}

// Fact is a number worth a box of its own.
type Fact struct{ Name, Value, Note string }

// Figure is a drawing with its caption. A narrow one takes half of the page.
type Figure struct {
	Title   string
	Drawing template.HTML
	Caption string
	Narrow  bool
}

// Table has its first column left-aligned. Note stands above it.
type Table struct {
	Title, Note string
	Head        []string
	Rows        [][]string
}

// HTML writes the page.
func (p *Page) HTML(w io.Writer) error {
	t, err := template.New("page").Parse(pageText)
	if err == nil {
		err = t.Execute(w, struct {
			*Page
			Style template.CSS
		}{p, template.CSS(styleText)})
	}
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}
