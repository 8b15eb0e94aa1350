package eval

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fullResult has another value in every field.
func fullResult(tr Trial) *Result {
	return &Result{
		Trial: tr, Termination: Success, Note: "note", Start: 1.5, End: 14.25, ControlSteps: 63,
		TGrasp: ptr(3.2), TLift: ptr(3.6), TSuccess: ptr(12.5),
		Recovered: []Label{MissedGrasp, Dropped}, Unstable: true,
		Verdict: &Verdict{Success: true, Partial: true, Source: "operator", Who: "ann"},
		Mirror:  &Mirror{Success: false, Partial: true},
		Gap: &Gap{
			Steps: 62, EERMSMM: 1, EEP95MM: 2, EEMaxMM: 3, EERotRMSDeg: 4,
			JointRMS: [6]float64{5, 6, 7, 8, 9, 10}, JointVelRMS: [6]float64{11, 12, 13, 14, 15, 16},
			GripRMSMM: 17, Divergence: ptr(18.0),
		},
		Loop:       &Loop{Ticks: 1275, Hz: 100.5, LateP50US: 20, LateP99US: 90, Misses: 2},
		Provenance: Provenance{ConfigSHA256: "c", Software: "v1", MuJoCo: "3", Seed: 1<<53 - 1},
	}
}

func TestLedgerGivesBackWhatItGot(t *testing.T) {
	s := sampleStudy(2, 1, 1)
	l, dir := openSample(t, s)
	plan := s.Plan()
	full := fullResult(plan[0])
	bare := &Result{Trial: plan[1], Termination: HardwareFault, Note: "bus gone"}
	for _, r := range []*Result{bare, full} {
		require.NoError(t, l.Begin(r.Trial))
		require.NoError(t, l.Finish(r))
	}
	want := []Result{*full, *bare} // in the study's order, not in time's
	got, err := l.Results()
	require.NoError(t, err)
	require.Equal(t, want, got)

	again, err := OpenLedger(dir)
	require.NoError(t, err)
	defer again.Close()
	got, err = again.Results()
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestNothingIsThereTwice(t *testing.T) {
	s := sampleStudy(1, 1, 2)
	l, _ := openSample(t, s)
	tr := s.Plan()[0]
	v := truth(false, false, Dropped)

	require.Error(t, l.Finish(&Result{Trial: tr, Termination: Timeout}), "not begun")
	require.NoError(t, l.Begin(tr))
	require.ErrorIs(t, l.Begin(tr), ErrDuplicate)
	require.ErrorContains(t, l.Judge(tr.ID, v), "has not ended")
	require.NoError(t, l.Finish(&Result{Trial: tr, Termination: Timeout, ControlSteps: 5}))
	require.ErrorIs(t, l.Finish(&Result{Trial: tr, Termination: Success}), ErrDuplicate)

	// The process could have died here: the trial is kept, unlabelled.
	results, err := l.Results()
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.False(t, results[0].Labelled())
	require.Equal(t, 5, results[0].ControlSteps)

	require.NoError(t, l.Judge(tr.ID, v))
	require.ErrorIs(t, l.Judge(tr.ID, truth(true, true)), ErrDuplicate)
	require.ErrorContains(t, l.Judge("nothing", v), "no such trial")
	results, err = l.Results()
	require.NoError(t, err)
	require.Equal(t, v, results[0].Verdict)

	_, err = l.db.Exec(`UPDATE verdicts SET success = 1`)
	require.ErrorContains(t, err, "amended, never changed")
}

func TestAmendments(t *testing.T) {
	s := sampleStudy(1, 1, 2)
	l, _ := openSample(t, s)
	l.Now = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	tr := s.Plan()[0]
	require.ErrorContains(t, l.Amend(tr.ID, Amendment{}), "no such trial")
	require.NoError(t, l.Begin(tr))
	require.NoError(t, l.Finish(&Result{
		Trial: tr, Termination: Timeout, End: 20, Verdict: truth(false, false, Dropped),
	}))
	better := truth(false, true, Dropped, WrongTarget)
	require.ErrorContains(t, l.Amend(tr.ID, Amendment{Reason: "video", Verdict: better}), "without who")
	require.ErrorContains(t, l.Amend(tr.ID, Amendment{Who: "bob", Verdict: better}), "without a reason")
	require.ErrorContains(t, l.Amend(tr.ID, Amendment{Who: "bob", Reason: "video"}), "changes nothing")
	require.ErrorContains(t, l.Amend(tr.ID, Amendment{Who: "bob", Reason: "video", Verdict: truth(true, true, Dropped)}), "failure label")

	require.NoError(t, l.Amend(tr.ID, Amendment{Who: "bob", Reason: "video", Verdict: better}))
	results, err := l.Results()
	require.NoError(t, err)
	require.Equal(t, better, results[0].Verdict)
	require.Equal(t, []Amendment{{Who: "bob", Reason: "video", At: "2026-03-01T12:00:00Z", Verdict: better}}, results[0].Amendments)
	p, err := l.Progress(s)
	require.NoError(t, err)
	require.Equal(t, 1, p.Done)

	// Found invalid afterwards: it runs again, with another id and seed.
	require.NoError(t, l.Amend(tr.ID, Amendment{Who: "bob", Reason: "wrong placement", Termination: Invalid}))
	results, err = l.Results()
	require.NoError(t, err)
	require.Equal(t, Invalid, results[0].Termination)
	require.Nil(t, results[0].Verdict)
	require.Len(t, results[0].Amendments, 2)
	p, err = l.Progress(s)
	require.NoError(t, err)
	require.Equal(t, 0, p.Done)
	require.Equal(t, tr.PlacementID, p.Next.PlacementID)
	require.Equal(t, 1, p.Next.Attempt)
	require.NotEqual(t, tr.ID, p.Next.ID)
	require.NotEqual(t, tr.Seed, p.Next.Seed)
}

func TestOutcomesViewSaysTheSame(t *testing.T) {
	s := sampleStudy(1, 1, 2)
	l, _ := openSample(t, s)
	tr := s.Plan()[0]
	require.NoError(t, l.Begin(tr))
	require.NoError(t, l.Finish(&Result{Trial: tr, Termination: Timeout, Verdict: truth(false, true, Dropped)}))
	read := func() (termination, labels string, success, partial bool) {
		require.NoError(t, l.db.QueryRow(`SELECT termination, labels, success, partial FROM outcomes`).
			Scan(&termination, &labels, &success, &partial))
		return
	}
	termination, labels, success, partial := read()
	require.Equal(t, []any{"timeout", `["dropped"]`, false, true}, []any{termination, labels, success, partial})
	require.NoError(t, l.Amend(tr.ID, Amendment{
		Who: "bob", Reason: "the banana lay on it", Verdict: &Verdict{Success: true, Labels: []Label{}, Source: "video"},
	}))
	var amended sql.NullBool
	require.NoError(t, l.db.QueryRow(`SELECT success FROM outcomes`).Scan(&amended))
	require.Equal(t, sql.NullBool{Bool: true, Valid: true}, amended)
}

func TestLedgerBelongsToItsPlan(t *testing.T) {
	s := sampleStudy(1, 1, 2)
	_, dir := openSample(t, s)
	path := filepath.Join(dir, StudyFile)
	plan, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(plan, "# harmless?\n"...), 0o644))
	_, err = OpenLedger(dir)
	require.ErrorContains(t, err, "study.yaml was changed after the study began")
}

func TestLedgerOfALaterSchemaIsRefused(t *testing.T) {
	l, dir := openSample(t, sampleStudy(1, 1, 1))
	_, err := l.db.Exec(`PRAGMA user_version = 3`)
	require.NoError(t, err)
	_, err = OpenLedger(dir)
	require.ErrorContains(t, err, "schema version is 3, this program knows 2")
}

func TestLedgerIsDurable(t *testing.T) {
	l, _ := openSample(t, sampleStudy(1, 1, 1))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
		var got string
		require.NoError(t, l.db.QueryRow("PRAGMA "+pragma).Scan(&got))
		require.Equal(t, want, got, pragma)
	}
}

// TestClockStep sets the wall clock back during a trial: no number changes.
func TestClockStep(t *testing.T) {
	s := sampleStudy(1, 1, 2)
	l, _ := openSample(t, s)
	now := time.Date(2026, 3, 29, 3, 0, 0, 0, time.UTC)
	l.Now = func() time.Time { now = now.Add(-time.Hour); return now }
	for _, tr := range s.Plan() {
		require.NoError(t, l.Begin(tr))
		r := outcome(tr, truth(true, true), float64(4+tr.Order))
		require.NoError(t, l.Finish(&r))
	}
	results, err := l.Results()
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, []int{results[0].Trial.Order, results[1].Trial.Order})
	a, err := Analyse(s, results, nil)
	require.NoError(t, err)
	require.Equal(t, "4.5 ± 0.5", FormatMoments(a.Pooled[0].TF))
	events, err := l.Events()
	require.NoError(t, err)
	require.Equal(t, []string{"trial_start", "trial_end", "trial_start", "trial_end"},
		[]string{events[0].Kind, events[1].Kind, events[2].Kind, events[3].Kind})
}
