package twinrig

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// UnmarshalJSON reads what AppendJSON wrote; null becomes NaN.
func (r *Report) UnmarshalJSON(data []byte) error {
	type goal struct {
		Joints   []number `json:"joints_rad"`
		Velocity []number `json:"velocity_rad_s"`
		Grip     number   `json:"grip_ratio"`
		Effort   []number `json:"effort_nm"`
	}
	var in struct {
		Tick  uint64        `json:"tick"`
		Now   time.Duration `json:"now_ns"`
		State struct {
			Stamp         time.Duration          `json:"stamp_ns"`
			Measured      []number               `json:"measured_rad"`
			Velocity      []number               `json:"velocity_rad_s"`
			Effort        []number               `json:"effort_nm"`
			Load          []number               `json:"load_ratio"`
			Grip          number                 `json:"grip_ratio"`
			Age           [NumAxes]time.Duration `json:"age_ns"`
			HardwareError [NumAxes]int           `json:"hardware_error"`
		} `json:"state"`
		Asked  goal          `json:"asked"`
		Sent   goal          `json:"sent"`
		Guard  []string      `json:"guard"`
		Late   time.Duration `json:"late_ns"`
		Misses uint64        `json:"misses"`
		Step   int           `json:"step"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	out := Report{
		Tick: in.Tick, Now: in.Now, Late: in.Late, Misses: in.Misses, Step: in.Step,
		State: State{Stamp: in.State.Stamp, Grip: Grip(in.State.Grip), Age: in.State.Age},
	}
	out.Asked.Grip, out.Sent.Grip = Grip(in.Asked.Grip), Grip(in.Sent.Grip)
	for i, v := range in.State.HardwareError {
		out.State.HardwareError[i] = uint8(v)
	}
	guard, err := interventionOf(in.Guard)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	out.Guard = guard
	for _, f := range []struct {
		key string
		dst []float64
		src []number
	}{
		{"state.measured_rad", out.State.Measured[:], in.State.Measured},
		{"state.velocity_rad_s", out.State.Velocity[:], in.State.Velocity},
		{"state.effort_nm", out.State.Effort[:], in.State.Effort},
		{"state.load_ratio", out.State.Load[:], in.State.Load},
		{"asked.joints_rad", out.Asked.Joints[:], in.Asked.Joints},
		{"asked.velocity_rad_s", out.Asked.Velocity[:], in.Asked.Velocity},
		{"sent.joints_rad", out.Sent.Joints[:], in.Sent.Joints},
		{"sent.velocity_rad_s", out.Sent.Velocity[:], in.Sent.Velocity},
		{"sent.effort_nm", out.Sent.Effort[:], in.Sent.Effort},
	} {
		if err := copyNumbers(f.dst, f.src); err != nil {
			return fmt.Errorf("report: %s: %w", f.key, err)
		}
	}
	*r = out
	return nil
}

// UnmarshalJSON reads what AppendJSON wrote; null becomes NaN.
func (g *Gap) UnmarshalJSON(data []byte) error {
	var in struct {
		Stamp       time.Duration `json:"stamp_ns"`
		Step        int           `json:"step"`
		Joints      []number      `json:"joints_rad"`
		Velocity    []number      `json:"velocity_rad_s"`
		Translation number        `json:"translation_m"`
		Rotation    number        `json:"rotation_rad"`
		Grip        number        `json:"grip_ratio"`
		Behind      time.Duration `json:"behind_ns"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("gap: %w", err)
	}
	out := Gap{
		Stamp: in.Stamp, Step: in.Step, Behind: in.Behind, Grip: Grip(in.Grip),
		Translation: float64(in.Translation), Rotation: float64(in.Rotation),
	}
	if err := copyNumbers(out.Joints[:], in.Joints); err != nil {
		return fmt.Errorf("gap: joints_rad: %w", err)
	}
	if err := copyNumbers(out.Velocity[:], in.Velocity); err != nil {
		return fmt.Errorf("gap: velocity_rad_s: %w", err)
	}
	*g = out
	return nil
}

// UnmarshalJSON reads what AppendJSON wrote.
func (e *Event) UnmarshalJSON(data []byte) error {
	var in struct {
		Stamp  time.Duration `json:"stamp_ns"`
		Kind   string        `json:"kind"`
		Trial  string        `json:"trial"`
		Detail string        `json:"detail"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	*e = Event{in.Stamp, in.Kind, in.Trial, in.Detail}
	return nil
}

// number is a float64 whose JSON null is NaN.
type number float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = number(math.NaN())
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

func copyNumbers(dst []float64, src []number) error {
	if len(src) != len(dst) {
		return fmt.Errorf("has %d values, not %d", len(src), len(dst))
	}
	for i, v := range src {
		dst[i] = float64(v)
	}
	return nil
}

// interventionOf is the inverse of Names.
func interventionOf(names []string) (Intervention, error) {
	var v Intervention
next:
	for _, name := range names {
		for i, known := range interventionNames {
			if name == known {
				v |= 1 << i
				continue next
			}
		}
		return 0, fmt.Errorf("guard: no intervention is called %q", name)
	}
	return v, nil
}
