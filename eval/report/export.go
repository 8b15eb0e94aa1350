package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"twinrig"
	"twinrig/eval"
)

// JSON writes all attempts with everything that is known of them. With
// times_are_stand_ins only mean and spread of each cell's times are known.
func (r *Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	err := enc.Encode(struct {
		Study         string        `json:"study"`
		Virtual       bool          `json:"virtual"`
		VerdictSource string        `json:"verdict_source"`
		ConfigSHA256  string        `json:"config_sha256"`
		StandIns      bool          `json:"times_are_stand_ins,omitempty"`
		Trials        []eval.Result `json:"trials"`
	}{
		r.Study.Name, r.Study.Virtual, r.Study.VerdictSource, r.Study.ConfigSHA256,
		r.Study.Imported != nil && r.Study.Imported.MomentsOnly, r.Results,
	})
	if err != nil {
		return fmt.Errorf("report: json: %w", err)
	}
	return nil
}

// CSV writes one row for each attempt. A cell is empty where there is nothing
// to say, as for times of which only mean and spread are known.
func (r *Report) CSV(w io.Writer) error {
	header := []string{
		"trial_id", "virtual", "order", "attempt", "scene", "placement_id", "policy", "checkpoint", "seed",
		"termination", "counted", "success", "partial_success", "labels", "recovered_errors", "unstable_success",
		"start_s", "end_s", "control_steps", "t_grasp_s", "t_lift_s", "t_success_s",
		"verdict_source", "who", "mirror_success", "mirror_partial_success",
		"gap_steps", "gap_ee_rms_mm", "gap_ee_p95_mm", "gap_ee_max_mm", "gap_ee_rot_rms_deg", "gap_grip_rms_mm", "gap_divergence_s",
	}
	for _, name := range twinrig.AxisNames[:twinrig.NumJoints] {
		header = append(header, "gap_"+name+"_rms_rad")
	}
	for _, name := range twinrig.AxisNames[:twinrig.NumJoints] {
		header = append(header, "gap_"+name+"_vel_rms_rad_s")
	}
	header = append(header, "loop_hz", "late_p50_us", "late_p99_us", "misses", "config_sha256", "software", "mujoco", "note")

	out := csv.NewWriter(w)
	rows := [][]string{header}
	for i := range r.Results {
		rows = append(rows, r.csvRow(&r.Results[i]))
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("report: csv: %w", err)
	}
	return nil
}

func (r *Report) csvRow(res *eval.Result) []string {
	t := &res.Trial
	row := []string{
		t.ID, zeroOne(r.Study.Virtual), strconv.Itoa(t.Order), strconv.Itoa(t.Attempt),
		t.Scene, strconv.Itoa(t.PlacementID), t.Policy, t.Checkpoint, strconv.FormatUint(t.Seed, 10),
		string(res.Termination), zeroOne(res.Termination.Counted()),
	}
	if v := res.Verdict; v != nil {
		row = append(row, zeroOne(v.Success), zeroOne(v.Partial), labelText(v.Labels))
	} else {
		row = append(row, "", "", "")
	}
	row = append(row, labelText(res.Recovered), zeroOne(res.Unstable))
	if im := r.Study.Imported; im != nil && im.MomentsOnly {
		row = append(row, make([]string, 6)...)
	} else {
		row = append(row, number(res.Start), number(res.End), strconv.Itoa(res.ControlSteps),
			optional(res.TGrasp), optional(res.TLift), optional(res.TSuccess))
	}
	if v := res.Verdict; v != nil {
		row = append(row, v.Source, v.Who)
	} else {
		row = append(row, "", "")
	}
	if m := res.Mirror; m != nil {
		row = append(row, zeroOne(m.Success), zeroOne(m.Partial))
	} else {
		row = append(row, "", "")
	}
	row = append(row, gapRow(res.Gap)...)
	if l := res.Loop; l != nil {
		row = append(row, number(l.Hz), number(l.LateP50US), number(l.LateP99US), strconv.Itoa(l.Misses))
	} else {
		row = append(row, "", "", "", "")
	}
	p := &res.Provenance
	return append(row, p.ConfigSHA256, p.Software, p.MuJoCo, res.Note)
}

func gapRow(g *eval.Gap) []string {
	if g == nil {
		return make([]string, 7+2*twinrig.NumJoints)
	}
	row := []string{
		strconv.Itoa(g.Steps), number(g.EERMSMM), number(g.EEP95MM), number(g.EEMaxMM),
		number(g.EERotRMSDeg), number(g.GripRMSMM), optional(g.Divergence),
	}
	for _, joints := range []twinrig.Joints{g.JointRMS, g.JointVelRMS} {
		for _, v := range joints {
			row = append(row, number(v))
		}
	}
	return row
}

func zeroOne(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v)
}

func labelText(labels []eval.Label) string {
	words := make([]string, len(labels))
	for i, l := range labels {
		words[i] = string(l)
	}
	return strings.Join(words, " ")
}
