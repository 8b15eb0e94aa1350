package npwire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// keyJSON is json-numpy's.
const keyJSON = "__numpy__"

// JSON encodes a value as json-numpy does.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := putJSON(&b, v, 0); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func putJSON(b *bytes.Buffer, v any, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("npwire: more than %d values in each other", maxDepth)
	}
	switch v := v.(type) {
	case *Array:
		shape := v.Shape
		if shape == nil {
			shape = []int{}
		}
		return putJSON(b, Object{
			{keyJSON, base64.StdEncoding.EncodeToString(v.Data)},
			{"dtype", v.DType},
			{"shape", shape},
		}, depth)
	case Object:
		b.WriteByte('{')
		for i, f := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := putPlain(b, f.Key); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := putJSON(b, f.Value, depth+1); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := putJSON(b, x, depth+1); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case nil, bool, string, int, int64, float64, []int:
		return putPlain(b, v)
	default:
		return fmt.Errorf("npwire: %T cannot be encoded", v)
	}
}

func putPlain(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("npwire: json: %w", err)
	}
	b.Truncate(b.Len() - 1) // its newline
	return nil
}

// FromJSON decodes one value that is the whole message. Python's NaN and Infinity,
// which are no JSON, are refused like other noise.
func FromJSON(b []byte) (any, error) {
	// Between two values there is a comma. Those in texts count too: who has a million of
	// them is no policy either.
	if bytes.Count(b, []byte{','}) >= maxValues {
		return nil, errTooMany
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("npwire: json: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: json: more than one value", ErrFormat)
	}
	return fromPlain(v, 0)
}

func fromPlain(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: more than %d values in each other", ErrFormat, maxDepth)
	}
	var err error
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		f, err := v.Float64()
		if err != nil || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%w: number %s", ErrFormat, clip(v.String()))
		}
		return f, nil
	case []any:
		for i := range v {
			if v[i], err = fromPlain(v[i], depth+1); err != nil {
				return nil, err
			}
		}
		return v, nil
	case map[string]any:
		for k := range v {
			if v[k], err = fromPlain(v[k], depth+1); err != nil {
				return nil, fmt.Errorf("%s: %w", clip(k), err)
			}
		}
		return specialJSON(v)
	default:
		return v, nil
	}
}

func specialJSON(m map[string]any) (any, error) {
	coded, ok := m[keyJSON].(string)
	if !ok {
		return m, nil
	}
	data, err := base64.StdEncoding.DecodeString(coded)
	if err != nil {
		return nil, fmt.Errorf("%w: array data: %w", ErrFormat, err)
	}
	shape, err := shapeOf(m["shape"])
	if err != nil {
		return nil, err
	}
	if len(shape) == 0 {
		shape = nil
	}
	dtype, _ := m["dtype"].(string)
	return checked(&Array{DType: dtype, Shape: shape, Data: data})
}
