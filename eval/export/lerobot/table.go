package lerobot

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// kind is what a cell holds.
type kind int

const (
	float32s kind = iota
	float64s
	integers
	booleans
	texts
)

// column is one column of a Parquet table. depth is how many lists are around
// its values, 0 for a plain cell; only the outermost list may have more than one
// element.
type column struct {
	name  string
	kind  kind
	depth int
}

func (c *column) node() parquet.Node {
	var n parquet.Node
	switch c.kind {
	case float32s:
		n = parquet.Leaf(parquet.FloatType)
	case float64s:
		n = parquet.Leaf(parquet.DoubleType)
	case integers:
		n = parquet.Int(64)
	case booleans:
		n = parquet.Leaf(parquet.BooleanType)
	case texts:
		n = parquet.String()
	}
	n = parquet.Encoded(n, &parquet.Plain)
	if c.kind == texts {
		n = parquet.Encoded(n, &parquet.RLEDictionary)
	}
	for range c.depth {
		n = parquet.List(n)
	}
	return n
}

func (c *column) value(v any) parquet.Value {
	switch x := v.(type) {
	case float64:
		if c.kind == float32s {
			return parquet.FloatValue(float32(x))
		}
		return parquet.DoubleValue(x)
	case int:
		return parquet.Int64Value(int64(x))
	case bool:
		return parquet.BooleanValue(x)
	case string:
		return parquet.ByteArrayValue([]byte(x))
	}
	panic(fmt.Sprintf("lerobot: column %s: a %T is no cell", c.name, v))
}

// cell appends one row's values of the column at an index.
func (c *column) cell(row parquet.Row, index int, v any) parquet.Row {
	if c.depth == 0 {
		return append(row, c.value(v).Level(0, 0, index))
	}
	list := elements(v)
	if len(list) == 0 {
		return append(row, parquet.NullValue().Level(0, 0, index))
	}
	for i, e := range list {
		row = append(row, c.value(e).Level(min(i, 1), c.depth, index))
	}
	return row
}

func elements(v any) []any {
	var list []any
	switch x := v.(type) {
	case []float64:
		for _, e := range x {
			list = append(list, e)
		}
	case []int:
		for _, e := range x {
			list = append(list, e)
		}
	case []string:
		for _, e := range x {
			list = append(list, e)
		}
	}
	return list
}

// table writes rows as Parquet, with Snappy.
type table struct {
	w       *parquet.GenericWriter[any]
	columns []column
	row     parquet.Row
}

// newTable begins a table. Its columns are in the order of their names, which is
// all that the library's schemas have; readers go by name.
func newTable(out io.Writer, columns []column, options ...parquet.WriterOption) *table {
	group := parquet.Group{}
	for i := range columns {
		group[columns[i].name] = columns[i].node()
	}
	columns = slices.SortedFunc(slices.Values(columns), func(a, b column) int { return strings.Compare(a.name, b.name) })
	options = append(options,
		parquet.NewSchema("schema", group), parquet.Compression(&parquet.Snappy), parquet.CreatedBy("twinrig", "", ""))
	return &table{w: parquet.NewGenericWriter[any](out, options...), columns: columns}
}

// put writes one row, which must have every column's cell.
func (t *table) put(cells map[string]any) error {
	t.row = t.row[:0]
	for i := range t.columns {
		c := &t.columns[i]
		v, ok := cells[c.name]
		if !ok {
			return fmt.Errorf("lerobot: column %s has no cell", c.name)
		}
		t.row = c.cell(t.row, i, v)
	}
	if _, err := t.w.WriteRows([]parquet.Row{t.row}); err != nil {
		return fmt.Errorf("lerobot: parquet: %w", err)
	}
	return nil
}

// flush ends a row group.
func (t *table) flush() error { return t.w.Flush() }

func (t *table) close() error { return t.w.Close() }
