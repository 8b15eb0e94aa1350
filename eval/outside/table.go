package outside

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// column is a column by the name that errors use, and the other names that it
// may have. Names are compared without case.
type column struct {
	name  string
	alias []string
}

// rows is a CSV file by column names.
type rows struct {
	header  []string
	at      map[string]int // of a column's name
	unknown []string
	rows    []row
}

// row is one line. Line counts from 1, the header's.
type row struct {
	line  int
	cells []string
	of    *rows
}

// readRows reads a file; columns it does not know are left aside and named.
func readRows(r io.Reader) (*rows, error) {
	in := csv.NewReader(r)
	in.TrimLeadingSpace = true
	in.Comment = '#'
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("line 1: no header: the file is empty")
	}
	if err != nil {
		return nil, err
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	t := &rows{header: header}
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err // csv's errors name the line
		}
		line, _ := in.FieldPos(0)
		t.rows = append(t.rows, row{line, cells, t})
	}
	if len(t.rows) == 0 {
		return nil, errors.New("line 2: no rows below the header")
	}
	return t, nil
}

// bind finds the columns.
func (t *rows) bind(columns []column) error {
	t.at, t.unknown = map[string]int{}, nil
	for i, h := range t.header {
		h = strings.TrimSpace(h)
		k := slices.IndexFunc(columns, func(c column) bool {
			return strings.EqualFold(c.name, h) || slices.ContainsFunc(c.alias, func(a string) bool { return strings.EqualFold(a, h) })
		})
		if k < 0 {
			t.unknown = append(t.unknown, h)
			continue
		}
		name := columns[k].name
		if at, twice := t.at[name]; twice {
			return fmt.Errorf("line 1: columns %q and %q are both %s", t.header[at], h, name)
		}
		t.at[name] = i
	}
	return nil
}

func (t *rows) has(name string) bool { _, ok := t.at[name]; return ok }

// need names the columns that are missing.
func (t *rows) need(names ...string) error {
	for _, n := range names {
		if !t.has(n) {
			return fmt.Errorf("line 1: no column %s; there are %s", n, strings.Join(t.header, ", "))
		}
	}
	return nil
}

// text is a cell, empty without the column.
func (r *row) text(name string) string {
	if !r.of.has(name) {
		return ""
	}
	return strings.TrimSpace(r.cells[r.of.at[name]])
}

// wrong says where and what.
func (r *row) wrong(name, format string, args ...any) error {
	shown := name
	if r.of.has(name) {
		shown = strings.TrimSpace(r.of.header[r.of.at[name]])
	}
	return fmt.Errorf("line %d: column %s: %s", r.line, shown, fmt.Sprintf(format, args...))
}

// number is a cell as a number; nil when empty.
func (r *row) number(name string, least, most float64) (*float64, error) {
	text := r.text(name)
	if text == "" || text == "-" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, r.wrong(name, "%q is not a number", text)
	}
	if v < least || v > most {
		return nil, r.wrong(name, "%s is not %v to %v", text, least, most)
	}
	return &v, nil
}

// count is a cell as a whole number; nil when empty.
func (r *row) count(name string, least, most int) (*int, error) {
	v, err := r.number(name, float64(least), float64(most))
	if v == nil || err != nil {
		return nil, err
	}
	n := int(*v)
	if float64(n) != *v {
		return nil, r.wrong(name, "%s is not a whole number", r.text(name))
	}
	return &n, nil
}

// yes is a cell as yes or no; nil when empty.
func (r *row) yes(name string) (*bool, error) {
	var v bool
	switch text := strings.ToLower(r.text(name)); text {
	case "":
		return nil, nil
	case "1", "true", "yes", "y", "1.0", "success":
		v = true
	case "0", "false", "no", "n", "0.0", "failure":
	default:
		return nil, r.wrong(name, "%q is neither 1 nor 0", text)
	}
	return &v, nil
}
