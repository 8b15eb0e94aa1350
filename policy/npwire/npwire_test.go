package npwire

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vectors are messages as openpi-client 0.1.2 packs them.
var vectors = map[string]struct {
	v    any
	want string
	read any // nil where it reads as it was
}{
	"empty map": {Object{}, "80", map[string]any{}},
	"float32": {
		Float32s([]int{2}, 1, 2),
		"84c40b5f5f6e6461727261795f5fc3c40464617461c4080000803f00000040c4056474797065a33c6634c40573686170659102", nil,
	},
	"uint8": {
		Uint8s([]int{2, 2}, []byte{1, 2, 3, 4}),
		"84c40b5f5f6e6461727261795f5fc3c40464617461c40401020304c4056474797065a37c7531c4057368617065920202", nil,
	},
	"observation": {
		Object{{"prompt", "go"}, {"observation/state", Float32s([]int{2}, 1, 2)}},
		"82a670726f6d7074a2676fb16f62736572766174696f6e2f7374617465" +
			"84c40b5f5f6e6461727261795f5fc3c40464617461c4080000803f00000040c4056474797065a33c6634c40573686170659102",
		map[string]any{"prompt": "go", "observation/state": Float32s([]int{2}, 1, 2)},
	},
	"scalar": {Float64s(nil, 1.5), "83c40d5f5f6e7067656e657269635f5fc3c40464617461cb3ff8000000000000c4056474797065a33c6638", nil},
	"plain": {
		[]any{nil, true, int64(-3), 0.5, "a", []byte{7}},
		"96c0c3fdcb3fe0000000000000a161c40107", nil,
	},
}

func TestMsgpackVectors(t *testing.T) {
	for name, tc := range vectors {
		t.Run(name, func(t *testing.T) {
			got, err := Msgpack(tc.v)
			require.NoError(t, err)
			require.Equal(t, tc.want, hex.EncodeToString(got))
			back, err := FromMsgpack(got)
			require.NoError(t, err)
			want := tc.read
			if want == nil {
				want = tc.v
			}
			require.Equal(t, want, back)
		})
	}
}

func TestJSONVectors(t *testing.T) {
	for name, tc := range map[string]struct {
		v    any
		text string
		read any
	}{
		"array":  {Float32s([]int{1, 2}, 1, 2), `{"__numpy__":"AACAPwAAAEA=","dtype":"<f4","shape":[1,2]}`, nil},
		"scalar": {Float64s(nil, 1.5), `{"__numpy__":"AAAAAAAA+D8=","dtype":"<f8","shape":[]}`, nil},
		"object": {
			Object{{"instruction", "put \"it\" there"}, {"n", int64(2)}},
			`{"instruction":"put \"it\" there","n":2}`,
			map[string]any{"instruction": "put \"it\" there", "n": int64(2)},
		},
		"list": {[]any{0.25, nil, true, []any{}}, `[0.25,null,true,[]]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := JSON(tc.v)
			require.NoError(t, err)
			require.Equal(t, tc.text, string(got))
			back, err := FromJSON(got)
			require.NoError(t, err)
			want := tc.read
			if want == nil {
				want = tc.v
			}
			require.Equal(t, want, back)
		})
	}
}

func TestFloatsOfEveryKind(t *testing.T) {
	for dtype, tc := range map[string]struct {
		data []byte
		want float64
	}{
		"|b1": {[]byte{1}, 1}, "|u1": {[]byte{200}, 200}, "|i1": {[]byte{0xfd}, -3},
		"<u2": {[]byte{1, 2}, 513}, ">u2": {[]byte{2, 1}, 513}, "<i2": {[]byte{0xfe, 0xff}, -2},
		"<u4": {[]byte{1, 0, 0, 0x80}, 0x80000001}, ">i4": {[]byte{0xff, 0xff, 0xff, 0xfb}, -5},
		"<u8": {[]byte{6, 0, 0, 0, 0, 0, 0, 0}, 6}, "<i8": {[]byte{0xf9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, -7},
		"<f2": {[]byte{0x00, 0xc5}, -5}, ">f4": {[]byte{0x3f, 0xc0, 0, 0}, 1.5}, "=f8": {[]byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, 1.5},
	} {
		got, err := (&Array{DType: dtype, Shape: []int{1}, Data: tc.data}).Floats()
		require.NoError(t, err, dtype)
		require.InDelta(t, tc.want, got[0], 0, dtype)
	}
	require.InDelta(t, math.Ldexp(1, -24), half(1), 0)
	require.InDelta(t, math.Inf(-1), half(0xfc00), 0)
	require.True(t, math.IsNaN(half(0x7e00)))
}

func TestMatrix(t *testing.T) {
	want := [][]float64{{1, 2}, {3, 4}}
	for name, v := range map[string]any{
		"array": Float64s([]int{2, 2}, 1, 2, 3, 4),
		"lists": []any{[]any{int64(1), 2.0}, []any{3.0, int64(4)}},
		"mixed": []any{Float32s([]int{2}, 1, 2), []any{3.0, Float64s(nil, 4)}},
	} {
		got, err := Matrix(v)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	row, err := Matrix(Float64s([]int{3}, 1, 2, 3))
	require.NoError(t, err)
	require.Equal(t, [][]float64{{1, 2, 3}}, row)
	for says, v := range map[string]any{
		"string is not an array":       "x",
		"row 1: npwire: string":        []any{[]any{1.0}, "x"},
		"row 0 is not a row":           []any{[]any{[]any{1.0}, []any{1.0}}},
		"number 1: npwire: <nil>":      []any{1.0, nil},
		"shape [1 1 1], not one or tw": Float64s([]int{1, 1, 1}, 5),
		"array of shape [0 7] is empt": Float64s([]int{0, 7}),
	} {
		_, err := Matrix(v)
		require.ErrorContains(t, err, says)
	}
}

// What a server may send instead of a value.
var malformed = map[string]struct{ msgpack, json, says string }{
	"nothing":           {"", "", "EOF"},
	"cut":               {"84c40b5f5f6e64", `{"a":`, "EOF"},
	"more":              {"8080", `{} {}`, "malformed"},
	"extension":         {"c70105ff", "", "type 0xc7 is not spoken"},
	"number as key":     {"810101", "", "key is int64"},
	"huge list":         {"ddffffffff", "", "values in"},
	"huge map":          {"dfffffffff", "", "values in"},
	"text for numbers":  {arrayOf("a161", "a33c6634", "9101"), `{"__numpy__":"!","dtype":"<f4","shape":[1]}`, "data"},
	"too short":         {arrayOf("c40400000000", "a33c6634", "9102"), `{"__numpy__":"AAAAAA==","dtype":"<f4","shape":[2]}`, "4 bytes for shape [2] of <f4"},
	"negative shape":    {arrayOf("c40400000000", "a33c6634", "91ff"), `{"__numpy__":"AAAAAA==","dtype":"<f4","shape":[-1]}`, "dimension -1"},
	"shape beyond all":  {arrayOf("c40400000000", "a33c6634", "92ce7fffffffce7fffffff"), `{"__numpy__":"AAAAAA==","dtype":"<f4","shape":[2147483647,2147483647]}`, "shape [2147483647 2147483647]"},
	"shape of text":     {arrayOf("c40400000000", "a33c6634", "a131"), `{"__numpy__":"AAAAAA==","dtype":"<f4","shape":"1"}`, "shape is string"},
	"objects":           {arrayOf("c40400000000", "a37c4f38", "9101"), `{"__numpy__":"AAAAAA==","dtype":"|O8","shape":[1]}`, `dtype "|O8" is not spoken`},
	"no such type":      {arrayOf("c40400000000", "a17f", "9101"), `{"__numpy__":"AAAAAA==","dtype":"?","shape":[1]}`, "dtype"},
	"scalar of text":    {"83c40d5f5f6e7067656e657269635f5fc3c40464617461a161c4056474797065a33c6638", "", "scalar: npwire: string is not a number"},
	"NaN as a word":     {"", `[NaN]`, "invalid character 'N'"},
	"number beyond all": {"", `1e999`, "number"},
}

func arrayOf(data, dtype, shape string) string {
	return "84c40b5f5f6e6461727261795f5fc3c40464617461" + data + "c4056474797065" + dtype + "c4057368617065" + shape
}

func TestMalformed(t *testing.T) {
	for name, tc := range malformed {
		t.Run(name, func(t *testing.T) {
			if tc.msgpack != "" || name == "nothing" {
				b, err := hex.DecodeString(tc.msgpack)
				require.NoError(t, err)
				_, err = FromMsgpack(b)
				require.ErrorContains(t, err, tc.says)
			}
			if tc.json != "" || name == "nothing" {
				_, err := FromJSON([]byte(tc.json))
				require.ErrorContains(t, err, tc.says)
			}
		})
	}
	_, err := FromMsgpack([]byte(strings.Repeat("\x91", 1000) + "\xc0"))
	require.ErrorContains(t, err, "more than 32 values in each other")
	_, err = FromJSON([]byte(strings.Repeat("[", 1000) + strings.Repeat("]", 1000)))
	require.ErrorContains(t, err, "more than 32 values in each other")
}

func FuzzMsgpack(f *testing.F) {
	for _, tc := range vectors {
		b, _ := hex.DecodeString(tc.want)
		f.Add(b)
	}
	for _, tc := range malformed {
		b, _ := hex.DecodeString(tc.msgpack)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := FromMsgpack(b); err == nil {
			use(t, v)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, tc := range malformed {
		f.Add([]byte(tc.json))
	}
	f.Add([]byte(`{"a":{"__numpy__":"AACAPwAAAEA=","dtype":"<f4","shape":[1,2]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := FromJSON(b); err == nil {
			use(t, v)
		}
	})
}

// use does with a decoded value what a client does.
func use(t *testing.T, v any) {
	if a, ok := v.(*Array); ok {
		f, err := a.Floats()
		require.NoError(t, err, "a decoded array can be read")
		n := 1
		for _, d := range a.Shape {
			n *= d
		}
		require.Len(t, f, n)
	}
	_, _ = Matrix(v)
	_, _ = Number(v)
}

// A message of many small values takes many times its size: it is refused before it
// does.
func TestTooManyValues(t *testing.T) {
	const n = 1 << 20
	nils := append([]byte{0xdd, 0, 0x10, 0, 0}, bytes.Repeat([]byte{0xc0}, n)...)
	_, err := FromMsgpack(nils)
	require.ErrorIs(t, err, ErrFormat)
	require.ErrorContains(t, err, "more than 1048576 values")
	nils[2] = 0x0f // fewer by 65536
	_, err = FromMsgpack(nils[:len(nils)-1<<16])
	require.NoError(t, err)

	_, err = FromJSON([]byte("[" + strings.Repeat("0,", n) + "0]"))
	require.ErrorIs(t, err, ErrFormat)
	_, err = FromJSON([]byte("[" + strings.Repeat("0,", 640*480*3-1) + "0]"))
	require.NoError(t, err)
}
