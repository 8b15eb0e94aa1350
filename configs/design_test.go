package configs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The shipped plan is the evaluation of 240 trials, and reads back as it was
// written: a study keeps it as text.
func TestShippedPlan(t *testing.T) {
	d, err := LoadPlan("")
	require.NoError(t, err)
	scenes, err := d.Study.LoadScenes()
	require.NoError(t, err)
	require.Equal(t, 240, len(scenes)*len(d.Study.Policies)*d.Study.Trials)
	require.Greater(t, d.Study.Timeout, 30*time.Second)
	require.True(t, d.Design.Blind)
	text, err := yaml.Marshal(&d)
	require.NoError(t, err)
	again, err := ParseDemo(text, ".")
	require.NoError(t, err)
	same, err := yaml.Marshal(&again)
	require.NoError(t, err)
	require.Equal(t, string(text), string(same))
}

func TestBadDesigns(t *testing.T) {
	good, err := Shipped.ReadFile(PlanFile)
	require.NoError(t, err)
	for change, want := range map[string]string{
		"primary: sr|primary: psr":                           `design: primary: "psr" is not sr`,
		"max_attempts: 3|max_attempts: 0":                    "design: max_attempts: 0 is outside 1 to 100",
		"rule: fixed|rule: peek":                             `design: stop: rule: "peek" is neither fixed nor e-process`,
		"test: paired|test: t":                               `design: stop: test: "t" is neither`,
		"alpha: 0.05|alpha: 0.5":                             "design: stop: alpha: 0.5 is outside 0 to 0.5",
		"rule: fixed|between: [hold, x], rule: e-process":    `between: "hold" is none of [expert clumsy]`,
		"rule: fixed|between: [hold, hold], rule: e-process": "between: must name two different policies",
		"blind: true|guess: [0.5, 2]":                        "design: guess: 2 is outside 0 to 1",
		"blind: true|guess: [0.5]":                           "design: guess: 1 numbers, must be two",
		"scenes: [table2]|scenes: []":                        "study: scenes",
	} {
		from, to, _ := strings.Cut(change, "|")
		require.Contains(t, string(good), from)
		path := filepath.Join(t.TempDir(), "plan.yaml")
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(good), from, to, 1)), 0o600))
		_, err := LoadPlan(path)
		require.ErrorContains(t, err, want, change)
	}
}
