package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/eval"
	"twinrig/policy"
	"twinrig/policy/hold"
	"twinrig/policy/openpi"
	"twinrig/policy/remote"
	"twinrig/policy/replay"
)

// A server that is lost between two trials, or comes back as another policy, is the
// policy's fault in the next one: what was done stands, and the study stops after
// three.
func TestStudyOfAServerLostBetweenTrials(t *testing.T) {
	first, err := remote.Serve(hold.New(), "openpi", 0)
	require.NoError(t, err)
	other, err := replay.New(replay.Motion{Space: policy.JointPosition, RateHz: 5, Actions: make([]twinrig.Action, 9)})
	require.NoError(t, err)
	second, err := remote.Serve(other, "openpi", 0)
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		then http.Handler
		says string
	}{
		"gone":    {http.NotFoundHandler(), "HTTP 404"},
		"another": {openpi.NewHandler(second, ""), "came back as another policy: space was bridge_delta_continuous and is joint_position"},
	} {
		t.Run(name, func(t *testing.T) {
			good := openpi.NewHandler(first, "")
			var clients atomic.Int32 // one greeting, then one a trial
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if clients.Add(1) <= 2 {
					good.ServeHTTP(w, r)
					return
				}
				tc.then.ServeHTTP(w, r)
			}))
			defer server.Close()
			d := small(t, "p=openpi+ws"+strings.TrimPrefix(server.URL, "http"))
			d.Study.Placements, d.Study.Trials = 1, 2
			dir := filepath.Join(t.TempDir(), "study")
			err := demo(t.Context(), d, demoFlags{lockstep: true, asJSON: true, out: dir}, &strings.Builder{}, &strings.Builder{})
			require.ErrorContains(t, err, "fault 3 times in a row, last policy fault")
			require.ErrorContains(t, err, tc.says)
			results := resultsOf(t, dir)
			require.Len(t, results, 4)
			require.Equal(t, eval.Timeout, results[0].Termination)
			for _, r := range results[1:] {
				require.Equal(t, eval.PolicyFault, r.Termination)
				require.Contains(t, r.Note, tc.says)
			}
		})
	}
}

// A policy that the rig file's way of chunking does not suit is refused before anything
// moves, and no trial is made of it.
func TestStudyOfAPolicyThatDoesNotSuit(t *testing.T) {
	d := small(t, "p="+silentServer(t, "openpi", nil))
	d.Rig.Policy.Chunking = policy.Ensemble
	d.Rig.Remote = remote.Contract{Space: policy.EEPose, RateHz: 5, Horizon: 4, Execute: 4}
	dir := filepath.Join(t.TempDir(), "study")
	err := demo(t.Context(), d, demoFlags{lockstep: true, asJSON: true, out: dir}, &strings.Builder{}, &strings.Builder{})
	require.ErrorContains(t, err, "no mean of the rotations")
	require.Empty(t, resultsOf(t, dir))
}

// In a blinded study nothing that is written says which server it was.
func TestFaultsOfServersAreBlinded(t *testing.T) {
	server := &remote.ServerError{Err: errors.New("openpi: ws://pi0:8000: connection lost")}
	fault := fmt.Errorf("%w: 5 chunks refused in a row: policy: no answer in 2s: %w", policy.ErrFault, server)
	own := fmt.Errorf("%w: 10 control steps in a row did not advance", policy.ErrFault)
	for _, blinded := range []bool{false, true} {
		tr := trial{runner: &runner{blinded: blinded}}
		res, err := tr.fault(eval.Result{}, fault)
		require.NoError(t, err)
		require.Equal(t, eval.PolicyFault, res.Termination)
		require.Contains(t, res.Note, "no answer in 2s")
		require.Equal(t, !blinded, strings.Contains(res.Note, "pi0"))
		res, err = tr.fault(eval.Result{}, own)
		require.NoError(t, err)
		require.Equal(t, own.Error(), res.Note)
	}
}
