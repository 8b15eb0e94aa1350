package eval

import (
	"errors"
	"fmt"
	"slices"

	"twinrig"
)

// Termination is how a trial ended.
type Termination string

// The terminations. An emergency stop because the policy was about to do damage
// is EStop and counts as a failure; one because of a person is Invalid.
// PolicyFault is a policy that does not answer, or answers nonsense: what it would
// have done nobody knows.
const (
	Success       Termination = "success"
	Timeout       Termination = "timeout"
	OperatorStop  Termination = "operator_stop"
	EStop         Termination = "estop"
	HardwareFault Termination = "hardware_fault"
	PolicyFault   Termination = "policy_fault"
	Invalid       Termination = "invalid"
)

// Counted tells whether the trial is in the denominator. One that is not is
// listed and run again.
func (t Termination) Counted() bool {
	return slices.Contains([]Termination{Success, Timeout, OperatorStop, EStop}, t)
}

func (t Termination) validate() error {
	if !t.Counted() && t != HardwareFault && t != PolicyFault && t != Invalid {
		return fmt.Errorf("termination %q is unknown", t)
	}
	return nil
}

// Result is what became of one attempt at a trial. Times are s: Start and End
// by the rig's monotonic clock, the others after Start.
type Result struct {
	Trial       Trial       `json:"trial"`
	Termination Termination `json:"termination"`
	// Note says why, for a person; it may be empty.
	Note string `json:"note,omitempty"`
	// Start is when the first action was sent.
	Start        float64 `json:"start_s"`
	End          float64 `json:"end_s"`
	ControlSteps int     `json:"control_steps"`
	// TGrasp, TLift and TSuccess are when the source was grasped, lifted, and
	// when the success that met its dwell began; nil for never or not known.
	TGrasp   *float64 `json:"t_grasp_s"`
	TLift    *float64 `json:"t_lift_s"`
	TSuccess *float64 `json:"t_success_s"`
	// Recovered are the errors that a successful trial made on its way.
	Recovered []Label `json:"recovered_errors,omitempty"`
	// Unstable is a success that was lost again before the end. It counts.
	Unstable bool `json:"unstable_success,omitempty"`
	// Verdict is nil until somebody has judged. The ledger puts in the last
	// amendment's.
	Verdict *Verdict `json:"verdict"`
	// Mirror is what the mirror's simulation made of the same commands, nil
	// without a mirror.
	Mirror *Mirror `json:"mirror"`
	// Gap is how far the mirror was from the arm, nil without a mirror.
	Gap        *Gap       `json:"gap"`
	Loop       *Loop      `json:"loop"`
	Provenance Provenance `json:"provenance"`
	// Amendments are what was changed afterwards, oldest first.
	Amendments []Amendment `json:"amendments,omitempty"`
}

// Mirror is a trial's outcome in the mirror.
type Mirror struct {
	Success bool `json:"success"`
	Partial bool `json:"partial_success"`
}

// Gap sums up a trial's gap between mirror and arm over its control steps.
type Gap struct {
	// Steps is the number of control steps compared.
	Steps int `json:"steps"`
	// The distance between the two end effectors.
	EERMSMM float64 `json:"ee_rms_mm"`
	EEP95MM float64 `json:"ee_p95_mm"`
	EEMaxMM float64 `json:"ee_max_mm"`
	// EE counts that distance, in mm, over the steps; nil in older ledgers.
	EE Histogram `json:"ee_mm_bins,omitempty"`
	// EERotRMSDeg is of the true angle between the two hands.
	EERotRMSDeg float64 `json:"ee_rot_rms_deg"`
	// JointRMS is in rad, JointVelRMS in rad/s.
	JointRMS    twinrig.Joints `json:"joint_rms_rad"`
	JointVelRMS twinrig.Joints `json:"joint_vel_rms_rad_s"`
	// GripRMSMM is of the opening between the fingers.
	GripRMSMM float64 `json:"grip_rms_mm"`
	// Divergence is when the end effectors were first more than DivergenceMM
	// apart, in s after the first compared step; nil for never.
	Divergence *float64 `json:"divergence_s"`
}

// Provenance is what made the numbers.
type Provenance struct {
	ConfigSHA256 string `json:"config_sha256"`
	Software     string `json:"software"`
	MuJoCo       string `json:"mujoco"`
	Seed         uint64 `json:"seed"`
}

// Validate says what contradicts itself in a result.
func (r *Result) Validate() error {
	if err := r.Termination.validate(); err != nil {
		return err
	}
	if r.End < r.Start {
		return fmt.Errorf("end_s %.3f is before start_s %.3f", r.End, r.Start)
	}
	if t := r.TSuccess; t != nil && *t > r.Trial.Timeout+timeoutSlack.Seconds() {
		return fmt.Errorf("t_success_s %.3f is after the time-out of %.3f s", *t, r.Trial.Timeout)
	}
	if r.Verdict == nil {
		return nil
	}
	if !r.Termination.Counted() {
		return fmt.Errorf("a verdict on a trial that does not count (%s)", r.Termination)
	}
	if len(r.Recovered) > 0 && !r.Verdict.Success {
		return errors.New("recovered_errors on a failure: they are its labels")
	}
	return r.Verdict.Validate()
}

// settle makes a success that held before the first action what it is: no
// trial at all.
func (r *Result) settle() {
	if r.Termination.Counted() && r.TSuccess != nil && *r.TSuccess <= 0 {
		r.Termination, r.Verdict = Invalid, nil
		r.Note = "the task was done before the first action"
	}
}

// Labelled tells whether the result says all that the metrics need.
func (r *Result) Labelled() bool {
	return r.Verdict != nil && (r.Verdict.Success || len(r.Verdict.Labels) > 0)
}
