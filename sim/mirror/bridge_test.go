package mirror

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
)

func TestReadBridge(t *testing.T) {
	segments, err := ReadBridge(RecordedSegments(t))
	require.NoError(t, err)
	require.Len(t, segments, 15)
	for _, s := range segments {
		require.InDelta(t, 5, s.Hz, 0, s.ID)
		require.Len(t, s.State, 10, s.ID)
	}
	require.Equal(t, "put_carrot_on_plate/0", segments[3].ID)
	require.Equal(t, "flip pot upright which is in sink", segments[0].Instruction)
	require.Equal(t, twinrig.Action{0.245939, -0.004689, 0.208941, -0.124293, -0.360293, 0.532462, 1.001477}, segments[0].State[0])
	require.Equal(t, twinrig.Action{0.003318, 0.003922, -0.005907, -0.065301, -0.014067, -0.023241, 1}, segments[0].Action[1])
}

func TestReadBridgeRefuses(t *testing.T) {
	const v = `[0,0,0,0,0,0,1]`
	good := `{"id":"a","instruction":"go","hz":5,"state":[` + v + `,` + v + `],"action":[` + v + `,` + v + `]}`
	for _, c := range []struct{ name, line, want string }{
		{"not json", `{`, "unexpected"},
		{"unknown key", strings.Replace(good, `"hz"`, `"rate"`, 1), `unknown field "rate"`},
		{"two values", good + good, "more than one value"},
		{"no id", strings.Replace(good, `"a"`, `""`, 1), "id: missing"},
		{"no rate", strings.Replace(good, `5`, `0`, 1), "hz: 0 is outside"},
		{"short vector", strings.Replace(good, v, `[0,0,0,0,0,0]`, 1), "state[0]: 6 numbers, must be 7"},
		{"long vector", strings.Replace(good, `"action":[`+v, `"action":[[0,0,0,0,0,0,1,2]`, 1), "action[0]: 8 numbers, must be 7"},
		{"unpaired", strings.Replace(good, v+`,`+v, v, 1), "1 states and 2 actions"},
		{"millimetres", strings.Replace(good, v, `[250,0,0,0,0,0,1]`, 1), "state[0][0]: 250 is no position"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bad.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(good+"\n\n"+c.line+"\n"), 0o600))
			_, err := ReadBridge(path)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, path+": line 3: ")
		})
	}
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	_, err := ReadBridge(empty)
	require.ErrorContains(t, err, "no segment")
	_, err = ReadBridge("testdata/none.jsonl")
	require.ErrorIs(t, err, os.ErrNotExist)
}
