package twinrig_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
)

func TestServoHealthJSON(t *testing.T) {
	in := twinrig.ServoHealth{
		Stamp: 1, ID: 2, Axis: twinrig.Elbow, Shadow: true, TorqueOn: true, HardwareError: 0x20,
		VoltageV: 11.9, TemperatureC: 41, CurrentA: -0.5, Load: 0.25, Age: 3, Silent: true, Missed: 4, Retries: 5,
	}
	data, err := json.Marshal(in)
	require.NoError(t, err)
	require.JSONEq(t, `{"stamp_ns":1,"id":2,"axis":"elbow","shadow":true,"torque_on":true,"hardware_error":32,
		"voltage_v":11.9,"temperature_c":41,"current_a":-0.5,"load_ratio":0.25,"age_ns":3,"silent":true,
		"missed":4,"retries":5}`, string(data))
	var out twinrig.ServoHealth
	require.NoError(t, json.Unmarshal(data, &out))
	require.Equal(t, in, out)

	in.VoltageV, in.Load = math.NaN(), math.NaN()
	data, err = json.Marshal(in)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &out))
	require.True(t, math.IsNaN(out.VoltageV) && math.IsNaN(out.Load))
	require.ErrorContains(t, json.Unmarshal([]byte(`{"axis":"knee"}`), &out), `axis "knee" is none of`)
}
