package twinrig

import (
	"encoding/json"
	"fmt"
	"time"
)

// MaxServos is the most servos that a State can tell about: two for each axis.
const MaxServos = 2 * NumAxes

// ServoHealth is what is known of one servo beside its motion.
type ServoHealth struct {
	// Stamp is when it was put together.
	Stamp time.Duration
	// ID is the servo's address on the bus.
	ID uint8
	// Axis is an index into AxisNames; Shadow is the second servo of an axis.
	Axis   int
	Shadow bool
	// TorqueOn and HardwareError (Dynamixel register 70) are as last looked at.
	TorqueOn      bool
	HardwareError uint8
	// VoltageV and TemperatureC are NaN until first looked at.
	VoltageV, TemperatureC float64
	// CurrentA is the measured motor current, NaN where the servo senses none;
	// then Load is its output as a share of the maximum, else that is NaN.
	CurrentA, Load float64
	// Age is how old its last reading is. Silent says that it stopped answering
	// and is left out of the cyclic reading until it answers again.
	Age    time.Duration
	Silent bool
	// Missed counts its readings that did not come, Retries those that came
	// only when asked for again.
	Missed, Retries uint64
}

// AppendJSON appends h as one JSON object. It allocates only to grow b.
func (h *ServoHealth) AppendJSON(b []byte) []byte {
	b = appendInt(append(b, `{"stamp_ns":`...), h.Stamp)
	b = appendInt(append(b, `,"id":`...), h.ID)
	b = appendString(append(b, `,"axis":`...), AxisNames[h.Axis])
	b = appendBool(append(b, `,"shadow":`...), h.Shadow)
	b = appendBool(append(b, `,"torque_on":`...), h.TorqueOn)
	b = appendInt(append(b, `,"hardware_error":`...), h.HardwareError)
	b = appendFloat(append(b, `,"voltage_v":`...), h.VoltageV)
	b = appendFloat(append(b, `,"temperature_c":`...), h.TemperatureC)
	b = appendFloat(append(b, `,"current_a":`...), h.CurrentA)
	b = appendFloat(append(b, `,"load_ratio":`...), h.Load)
	b = appendInt(append(b, `,"age_ns":`...), h.Age)
	b = appendBool(append(b, `,"silent":`...), h.Silent)
	b = appendInt(append(b, `,"missed":`...), h.Missed)
	b = appendInt(append(b, `,"retries":`...), h.Retries)
	return append(b, '}')
}

// MarshalJSON is AppendJSON for encoding/json.
func (h ServoHealth) MarshalJSON() ([]byte, error) { return h.AppendJSON(nil), nil }

// UnmarshalJSON reads what AppendJSON wrote; null becomes NaN.
func (h *ServoHealth) UnmarshalJSON(data []byte) error {
	var in struct {
		Stamp         time.Duration `json:"stamp_ns"`
		ID            uint8         `json:"id"`
		Axis          string        `json:"axis"`
		Shadow        bool          `json:"shadow"`
		TorqueOn      bool          `json:"torque_on"`
		HardwareError uint8         `json:"hardware_error"`
		Voltage       number        `json:"voltage_v"`
		Temperature   number        `json:"temperature_c"`
		Current       number        `json:"current_a"`
		Load          number        `json:"load_ratio"`
		Age           time.Duration `json:"age_ns"`
		Silent        bool          `json:"silent"`
		Missed        uint64        `json:"missed"`
		Retries       uint64        `json:"retries"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("servo: %w", err)
	}
	for axis, name := range AxisNames {
		if name == in.Axis {
			*h = ServoHealth{
				Stamp: in.Stamp, ID: in.ID, Axis: axis, Shadow: in.Shadow,
				TorqueOn: in.TorqueOn, HardwareError: in.HardwareError,
				VoltageV: float64(in.Voltage), TemperatureC: float64(in.Temperature),
				CurrentA: float64(in.Current), Load: float64(in.Load),
				Age: in.Age, Silent: in.Silent, Missed: in.Missed, Retries: in.Retries,
			}
			return nil
		}
	}
	return fmt.Errorf("servo: axis %q is none of %v", in.Axis, AxisNames)
}
