package npwire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// The keys of msgpack-numpy, all of them binary.
const (
	keyArray   = "__ndarray__"
	keyGeneric = "__npgeneric__"
)

// Msgpack encodes a value as openpi-client does: maps in order, arrays as maps with
// binary keys.
func Msgpack(v any) ([]byte, error) {
	var b bytes.Buffer
	e := packer{msgpack.NewEncoder(&b)}
	e.UseCompactInts(true)
	if err := e.put(v, 0); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

type packer struct{ *msgpack.Encoder }

func (e packer) put(v any, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("npwire: more than %d values in each other", maxDepth)
	}
	switch v := v.(type) {
	case nil, bool, string, []byte, int64, float64:
		return e.Encode(v)
	case int:
		return e.EncodeInt(int64(v))
	case *Array:
		return e.array(v)
	case Object:
		err := e.EncodeMapLen(len(v))
		for _, f := range v {
			err = errors.Join(err, e.EncodeString(f.Key), e.put(f.Value, depth+1))
		}
		return err
	case []any:
		err := e.EncodeArrayLen(len(v))
		for _, x := range v {
			err = errors.Join(err, e.put(x, depth+1))
		}
		return err
	default:
		return fmt.Errorf("npwire: %T cannot be encoded", v)
	}
}

func (e packer) array(a *Array) error {
	if a.Shape == nil {
		n, err := Number(a)
		return errors.Join(err,
			e.EncodeMapLen(3),
			e.EncodeBytes([]byte(keyGeneric)), e.EncodeBool(true),
			e.EncodeBytes([]byte("data")), e.EncodeFloat64(n),
			e.EncodeBytes([]byte("dtype")), e.EncodeString(a.DType))
	}
	err := errors.Join(
		e.EncodeMapLen(4),
		e.EncodeBytes([]byte(keyArray)), e.EncodeBool(true),
		e.EncodeBytes([]byte("data")), e.EncodeBytes(a.Data),
		e.EncodeBytes([]byte("dtype")), e.EncodeString(a.DType),
		e.EncodeBytes([]byte("shape")), e.EncodeArrayLen(len(a.Shape)))
	for _, d := range a.Shape {
		err = errors.Join(err, e.EncodeInt(int64(d)))
	}
	return err
}

// FromMsgpack decodes one value that is the whole message. Keys may be texts or
// binary; other keys, extension types and what is cut short are refused.
func FromMsgpack(b []byte) (any, error) {
	r := bytes.NewReader(b)
	d := unpacker{Decoder: msgpack.NewDecoder(r), left: r, values: new(int)}
	v, err := d.get(0)
	if err != nil {
		return nil, fmt.Errorf("npwire: msgpack: %w", err)
	}
	if r.Len() > 0 {
		return nil, fmt.Errorf("%w: msgpack: %d bytes after the message", ErrFormat, r.Len())
	}
	return v, nil
}

type unpacker struct {
	*msgpack.Decoder
	left   *bytes.Reader
	values *int // so far
}

func (d unpacker) get(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: more than %d values in each other", ErrFormat, maxDepth)
	}
	if *d.values++; *d.values > maxValues {
		return nil, errTooMany
	}
	c, err := d.PeekCode()
	if err != nil {
		return nil, err
	}
	switch {
	case c == msgpcode.Nil:
		return nil, d.DecodeNil()
	case c == msgpcode.True || c == msgpcode.False:
		return d.DecodeBool()
	case msgpcode.IsFixedNum(c), c >= msgpcode.Uint8 && c <= msgpcode.Int64:
		if c == msgpcode.Uint64 {
			n, err := d.DecodeUint64()
			if n > math.MaxInt64 {
				return float64(n), err
			}
			return int64(n), err
		}
		return d.DecodeInt64()
	case c == msgpcode.Float, c == msgpcode.Double:
		return d.DecodeFloat64()
	case msgpcode.IsString(c):
		return d.DecodeString()
	case msgpcode.IsBin(c):
		return d.DecodeBytes()
	case msgpcode.IsFixedArray(c), c == msgpcode.Array16, c == msgpcode.Array32:
		return d.list(depth)
	case msgpcode.IsFixedMap(c), c == msgpcode.Map16, c == msgpcode.Map32:
		return d.dict(depth)
	default:
		return nil, fmt.Errorf("%w: type 0x%02x is not spoken", ErrFormat, c)
	}
}

// fits refuses a count of values that the rest of the message cannot hold.
func (d unpacker) fits(n int) error {
	if n < 0 || n > d.left.Len() {
		return fmt.Errorf("%w: %d values in %d bytes", ErrFormat, n, d.left.Len())
	}
	return nil
}

func (d unpacker) list(depth int) (any, error) {
	n, err := d.DecodeArrayLen()
	if err == nil {
		err = d.fits(n)
	}
	if err != nil {
		return nil, err
	}
	list := make([]any, 0, min(n, 1024))
	for range n {
		v, err := d.get(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (d unpacker) dict(depth int) (any, error) {
	n, err := d.DecodeMapLen()
	if err == nil {
		err = d.fits(n)
	}
	if err != nil {
		return nil, err
	}
	m := make(map[string]any, min(n, 1024))
	for range n {
		k, err := d.get(depth + 1)
		if err != nil {
			return nil, err
		}
		key, ok := k.(string)
		if b, bin := k.([]byte); bin {
			key, ok = string(b), true
		}
		if !ok {
			return nil, fmt.Errorf("%w: key is %T", ErrFormat, k)
		}
		if m[key], err = d.get(depth + 1); err != nil {
			return nil, fmt.Errorf("%s: %w", clip(key), err)
		}
	}
	return special(m)
}

// special makes arrays and scalars of the maps that stand for them.
func special(m map[string]any) (any, error) {
	dtype, _ := text(m["dtype"])
	switch {
	case m[keyArray] == true:
		data, ok := m["data"].([]byte)
		if !ok {
			return nil, fmt.Errorf("%w: array data is %T", ErrFormat, m["data"])
		}
		shape, err := shapeOf(m["shape"])
		if err != nil {
			return nil, err
		}
		return checked(&Array{DType: dtype, Shape: shape, Data: data})
	case m[keyGeneric] == true:
		return generic(dtype, m["data"])
	default:
		return m, nil
	}
}

// checked returns an array whose type is known and whose data is as long as it says.
func checked(a *Array) (any, error) {
	size, _, _, err := a.reader()
	if err == nil {
		err = a.check(size)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// generic is a NumPy scalar, which travels as msgpack's own number.
func generic(dtype string, data any) (any, error) {
	if b, ok := data.(bool); ok {
		data = int64(0)
		if b {
			data = int64(1)
		}
	}
	n, err := Number(data)
	if err != nil {
		return nil, fmt.Errorf("%w: scalar: %w", ErrFormat, err)
	}
	if _, _, _, err := (&Array{DType: dtype}).reader(); err != nil {
		return nil, err
	}
	return &Array{DType: "<f8", Data: binary.LittleEndian.AppendUint64(nil, math.Float64bits(n))}, nil
}

func text(v any) (string, bool) {
	switch s := v.(type) {
	case string:
		return s, true
	case []byte:
		return string(s), true
	}
	return "", false
}

// clip shortens what a stranger wrote for a message.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		s = s[:most] + "..."
	}
	return fmt.Sprintf("%q", s)
}
