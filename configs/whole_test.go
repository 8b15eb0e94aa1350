package configs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A whole number is written as one: 4.5 is not taken for 4.
func TestWholeNumbers(t *testing.T) {
	for text, says := range map[string]string{
		"remote: {horizon: 4.5}":                            "remote: horizon: 4.5 must be a whole number (line 1)",
		"policy:\n  ahead: 0.5":                             "policy: ahead: 0.5 must be a whole number (line 2)",
		"camera: {width_px: 640.5}":                         "camera: width_px: 640.5",
		"arm: {health_every_cycles: 1.0e-1}":                "health_every_cycles: 1.0e-1",
		"policy: {ensemble_decay: &a 2.5, max_refused: *a}": "max_refused: 2.5",
	} {
		r := DefaultRig()
		err := decode([]byte(text), &r)
		require.ErrorContains(t, err, says)
	}
	for _, text := range []string{"", "policy: {ahead: 2.0}", "policy: {ahead: 2, timeout: 1500ms}", "loop: {rate_hz: 250.5}"} {
		r := DefaultRig()
		err := decode([]byte(text), &r)
		require.NoError(t, err, text)
	}
	_, err := ParseDemo([]byte("study: {scenes: [red_cube_blue_bowl], policies: [hold], placements: 1, trials: 2.5, timeout: 10s, frame_every_steps: 5}"), "")
	require.ErrorContains(t, err, "study: trials: 2.5 must be a whole number")
}
