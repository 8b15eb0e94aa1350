// Package npwire is NumPy on the wire: the values that policy servers written in
// Python exchange, as msgpack-numpy (openpi-client's dialect of it) and as
// json-numpy. A decoded value is one of nil, bool, int64, float64, string, []byte,
// []any, map[string]any and *Array. Nothing that is decoded is ever executed, and a
// message cannot make the decoder take more memory than a few times its own size, and
// that of a million single values.
package npwire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Array is a NumPy array, or with no dimensions a NumPy scalar.
type Array struct {
	DType string // NumPy's array-protocol string: "<f4", "|u1"
	Shape []int
	Data  []byte // row-major
}

// Object is a map with an order, for encoding.
type Object []Field

// Field is one entry of an Object.
type Field struct {
	Key   string
	Value any
}

// ErrFormat is returned for what is not the format's.
var ErrFormat = errors.New("npwire: malformed")

// Float32s makes an array of a shape out of numbers.
func Float32s(shape []int, v ...float64) *Array {
	a := &Array{DType: "<f4", Shape: shape, Data: make([]byte, 0, 4*len(v))}
	for _, x := range v {
		a.Data = binary.LittleEndian.AppendUint32(a.Data, math.Float32bits(float32(x)))
	}
	return a
}

// Float64s makes an array of a shape out of numbers.
func Float64s(shape []int, v ...float64) *Array {
	a := &Array{DType: "<f8", Shape: shape, Data: make([]byte, 0, 8*len(v))}
	for _, x := range v {
		a.Data = binary.LittleEndian.AppendUint64(a.Data, math.Float64bits(x))
	}
	return a
}

// Uint8s makes an array of a shape, a picture's [H, W, 3] say, that shares data.
func Uint8s(shape []int, data []byte) *Array { return &Array{DType: "|u1", Shape: shape, Data: data} }

// Floats returns the numbers of an array of booleans, integers or floats. Integers
// beyond 2^53 are rounded.
func (a *Array) Floats() ([]float64, error) {
	size, order, read, err := a.reader()
	if err != nil {
		return nil, err
	}
	if err := a.check(size); err != nil {
		return nil, err
	}
	out := make([]float64, len(a.Data)/size)
	for i := range out {
		out[i] = read(order, a.Data[i*size:])
	}
	return out, nil
}

// check holds the shape against the data.
func (a *Array) check(size int) error {
	n := size
	for _, d := range a.Shape {
		if d < 0 || d > 0 && n > math.MaxInt32/d {
			return fmt.Errorf("%w: shape %v", ErrFormat, a.Shape)
		}
		n *= d
	}
	if n != len(a.Data) {
		return fmt.Errorf("%w: %d bytes for shape %v of %s, which are %d", ErrFormat, len(a.Data), a.Shape, a.DType, n)
	}
	return nil
}

type number func(binary.ByteOrder, []byte) float64

// reader tells how to read one element. The kinds are NumPy's: b i u f; objects,
// records, complex numbers and texts are refused.
func (a *Array) reader() (size int, order binary.ByteOrder, read number, err error) {
	if len(a.DType) < 3 {
		return 0, nil, nil, fmt.Errorf("%w: dtype %q", ErrFormat, a.DType)
	}
	order = binary.LittleEndian
	switch a.DType[0] {
	case '<', '|', '=':
	case '>':
		order = binary.BigEndian
	default:
		return 0, nil, nil, fmt.Errorf("%w: dtype %q", ErrFormat, a.DType)
	}
	size, err = strconv.Atoi(a.DType[2:])
	if err != nil {
		return 0, nil, nil, fmt.Errorf("%w: dtype %q", ErrFormat, a.DType)
	}
	if read = readers[a.DType[1:]]; read == nil {
		return 0, nil, nil, fmt.Errorf("npwire: dtype %q is not spoken (b1, i1 to i8, u1 to u8, f2 to f8 are)", a.DType)
	}
	return size, order, read, nil
}

var readers = map[string]number{
	"b1": func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) },
	"u1": func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) },
	"i1": func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) },
	"u2": func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint16(b)) },
	"i2": func(o binary.ByteOrder, b []byte) float64 { return float64(int16(o.Uint16(b))) },
	"u4": func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint32(b)) },
	"i4": func(o binary.ByteOrder, b []byte) float64 { return float64(int32(o.Uint32(b))) },
	"u8": func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint64(b)) },
	"i8": func(o binary.ByteOrder, b []byte) float64 { return float64(int64(o.Uint64(b))) },
	"f2": func(o binary.ByteOrder, b []byte) float64 { return half(o.Uint16(b)) },
	"f4": func(o binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) },
	"f8": func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) },
}

// half is IEEE 754's binary16.
func half(h uint16) float64 {
	sign, exp, frac := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 != 0 {
		sign = -1
	}
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// shapeOf reads a decoded shape.
func shapeOf(v any) ([]int, error) {
	list, ok := v.([]any)
	if !ok || len(list) > maxDims {
		return nil, fmt.Errorf("%w: shape is %T", ErrFormat, v)
	}
	shape := make([]int, len(list))
	for i, d := range list {
		n, err := Number(d)
		if err != nil || n != math.Trunc(n) || n < 0 || n > math.MaxInt32 {
			return nil, fmt.Errorf("%w: dimension %v", ErrFormat, d)
		}
		shape[i] = int(n)
	}
	return shape, nil
}

// maxDims is NumPy's limit, maxDepth ours for values within values, maxValues for all
// values that are not in an array: a picture of 640x480 fits even as lists.
const (
	maxDims   = 64
	maxDepth  = 32
	maxValues = 1 << 20
)

var errTooMany = fmt.Errorf("%w: more than %d values: send arrays as arrays", ErrFormat, maxValues)

// Number reads a decoded number, a NumPy scalar too.
func Number(v any) (float64, error) {
	switch n := v.(type) {
	case int64:
		return float64(n), nil
	case float64:
		return n, nil
	case *Array:
		if f, err := n.Floats(); err != nil {
			return 0, err
		} else if len(f) == 1 {
			return f[0], nil
		}
	}
	return 0, fmt.Errorf("npwire: %T is not a number", v)
}

// Matrix reads a decoded array, or lists of numbers, of one or two dimensions as
// rows; one dimension is one row.
func Matrix(v any) ([][]float64, error) {
	switch m := v.(type) {
	case *Array:
		return m.rows()
	case []any:
		if len(m) > 0 {
			if _, err := Number(m[0]); err == nil {
				row, err := numbers(m)
				return [][]float64{row}, err
			}
		}
		rows := make([][]float64, 0, len(m))
		for i, r := range m {
			part, err := Matrix(r)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", i, err)
			}
			if len(part) != 1 {
				return nil, fmt.Errorf("npwire: row %d is not a row of numbers", i)
			}
			rows = append(rows, part[0])
		}
		return rows, nil
	default:
		return nil, fmt.Errorf("npwire: %T is not an array", v)
	}
}

func (a *Array) rows() ([][]float64, error) {
	f, err := a.Floats()
	switch {
	case err != nil:
		return nil, err
	case len(a.Shape) == 1:
		return [][]float64{f}, nil
	case len(a.Shape) != 2:
		return nil, fmt.Errorf("npwire: array has shape %v, not one or two dimensions", a.Shape)
	case len(f) == 0:
		return nil, fmt.Errorf("npwire: array of shape %v is empty", a.Shape)
	}
	rows := make([][]float64, a.Shape[0])
	for i := range rows {
		rows[i] = f[i*a.Shape[1] : (i+1)*a.Shape[1]]
	}
	return rows, nil
}

func numbers(list []any) ([]float64, error) {
	row := make([]float64, len(list))
	for i, v := range list {
		var err error
		if row[i], err = Number(v); err != nil {
			return nil, fmt.Errorf("number %d: %w", i, err)
		}
	}
	return row, nil
}
