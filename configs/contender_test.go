package configs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/eval"
)

func TestContender(t *testing.T) {
	for text, want := range map[string]eval.Policy{
		"expert":                       {Name: "expert", Source: "scripted:expert", Checkpoint: "built in"},
		"scripted:":                    {Name: "expert", Source: "scripted:expert", Checkpoint: "built in"},
		"scripted:clumsy":              {Name: "clumsy", Source: "scripted:clumsy", Checkpoint: "built in"},
		"hold:":                        {Name: "hold", Source: "hold:", Checkpoint: "built in"},
		"nothing=hold":                 {Name: "nothing", Source: "hold:", Checkpoint: "built in"},
		"openpi+ws://gpu.lab:8000":     {Name: "openpi-gpu.lab-8000", Source: "openpi+ws://gpu.lab:8000", Checkpoint: "openpi+ws://gpu.lab:8000"},
		"rest+https://[::1]:7/act?a=b": {Name: "rest---1-7", Source: "rest+https://[::1]:7/act?a=b", Checkpoint: "rest+https://[::1]:7/act?a=b"},
		"pi0=openpi+wss://gpu":         {Name: "pi0", Source: "openpi+wss://gpu", Checkpoint: "openpi+wss://gpu"},
	} {
		got, err := Contender(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	file := filepath.Join(t.TempDir(), "s.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o600))
	got, err := Contender("replay:" + file + "#walk")
	require.NoError(t, err)
	require.Equal(t, eval.Policy{Name: "replay", Source: "replay:" + file + "#walk", Checkpoint: "sha256:" + eval.Digest("{}")}, got)
	for text, says := range map[string]string{
		"replay:/nowhere/x": "/nowhere/x",
		"":                  "none of expert, clumsy, hold",
		"oracle":            `"oracle" is none of expert, clumsy, hold`,
		"=hold":             "no name before =",
		"ws://gpu:8000":     "none of openpi+ws, openpi+wss, rest+http, rest+https",
		"openpi+ws://u:p@h": "api_key_env",
	} {
		_, err := Contender(text)
		require.ErrorContains(t, err, says, text)
	}
}
