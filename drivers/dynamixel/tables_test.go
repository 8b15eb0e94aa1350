package dynamixel_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
)

// controlTable is the X series' control table as the e-manual prints it
// (xm430-w350 and xl430-w250, "Control Table of EEPROM Area" and "of RAM Area"):
// address, bytes, access, name, defaults of XM430-W350 and XL430-W250 (-: the
// model lacks it), range of both or of each, unit of one step. A range that is
// not printed is not compared.
const controlTable = `
0   2 r  model_number           1020 1060 .                .
2   4 r  model_information      0    0    .                .
6   1 r  firmware_version       0    0    .                .
7   1 rw id                     1    1    0:252            .
8   1 rw baud_rate              1    1    0:7              .
9   1 rw return_delay_time      250  250  0:254            2us
10  1 rw drive_mode             0    0    0:13             .
11  1 rw operating_mode         3    3    0:16             .
12  1 rw secondary_id           255  255  0:255            .
13  1 rw protocol_type          2    2    1:2              .
20  4 rs homing_offset          0    0    -1044479:1044479 pulse
24  4 rw moving_threshold       10   10   0:1023           0.229rpm
31  1 rw temperature_limit      80   72   0:100            1C
32  2 rw max_voltage_limit      160  140  95:160/60:140    0.1V
34  2 rw min_voltage_limit      95   60   95:160/60:140    0.1V
36  2 rw pwm_limit              885  885  0:885            pwm
38  2 rw current_limit          1193 -    0:1193           2.69mA
44  4 rw velocity_limit         200  265  0:1023           0.229rpm
48  4 rw max_position_limit     4095 4095 0:4095           pulse
52  4 rw min_position_limit     0    0    0:4095           pulse
60  1 rw startup_configuration  0    0    0:3              .
63  1 rw shutdown               52   52   0:61             .
64  1 rw torque_enable          0    0    0:1              .
65  1 rw led                    0    0    0:1              .
68  1 rw status_return_level    2    2    0:2              .
69  1 r  registered_instruction 0    0    0:1              .
70  1 r  hardware_error_status  0    0    .                .
76  2 rw velocity_i_gain        1920 1000 0:16383          1/65536
78  2 rw velocity_p_gain        100  100  0:16383          1/128
80  2 rw position_d_gain        0    4000 0:16383          1/16
82  2 rw position_i_gain        0    0    0:16383          1/65536
84  2 rw position_p_gain        800  640  0:16383          1/128
88  2 rw feedforward_2nd_gain   0    0    0:16383          1/4
90  2 rw feedforward_1st_gain   0    0    0:16383          1/4
98  1 rs bus_watchdog           0    0    0:127            20ms
100 2 rs goal_pwm               885  885  -885:885         pwm
102 2 rs goal_current           0    -    -1193:1193       2.69mA
104 4 rs goal_velocity          0    0    -1023:1023       0.229rpm
108 4 rw profile_acceleration   0    0    0:32767          214.577rev/min2
112 4 rw profile_velocity       0    0    0:32767          0.229rpm
116 4 rs goal_position          0    0    -1048575:1048575 pulse
120 2 r  realtime_tick          0    0    0:32767          1ms
122 1 r  moving                 0    0    0:1              .
123 1 r  moving_status          0    0    .                .
124 2 s  present_pwm            0    0    .                pwm
126 2 s  present_current        0    -    .                2.69mA
126 2 s  present_load           -    0    -1000:1000       0.1%
128 4 s  present_velocity       0    0    .                0.229rpm
132 4 s  present_position       0    0    .                pulse
136 4 s  velocity_trajectory    0    0    .                0.229rpm
140 4 s  position_trajectory    0    0    .                pulse
144 2 r  present_input_voltage  0    0    .                0.1V
146 1 r  present_temperature    0    0    .                1C
147 1 r  backup_ready           0    0    0:1              .
`

// steps is one step of a unit in SI.
var steps = map[string]struct {
	scale float64
	unit  string
}{
	".":               {0, ""},
	"2us":             {2e-6, "s"},
	"20ms":            {0.02, "s"},
	"1ms":             {0.001, "s"},
	"pulse":           {0.087890625 * math.Pi / 180, "rad"},
	"0.229rpm":        {0.229 * 2 * math.Pi / 60, "rad/s"},
	"214.577rev/min2": {0.374508, "rad/s^2"},
	"1C":              {1, "C"},
	"0.1V":            {0.1, "V"},
	"2.69mA":          {0.00269, "A"},
	"pwm":             {0.00113, "1"},
	"0.1%":            {0.001, "1"},
	"1/65536":         {1.0 / 65536, "1"},
	"1/128":           {1.0 / 128, "1"},
	"1/16":            {1.0 / 16, "1"},
	"1/4":             {1.0 / 4, "1"},
}

// TestControlTables walks both models' tables beside the printed one: nothing is
// missing, nothing is more, and every line says the same.
func TestControlTables(t *testing.T) {
	for column, m := range []*dynamixel.Model{&dynamixel.XM430W350, &dynamixel.XL430W250} {
		require.Contains(t, m.Source, "https://emanual.robotis.com/")
		table := m.Table
		for _, line := range strings.Split(strings.TrimSpace(controlTable), "\n") {
			f := strings.Fields(line)
			if f[4+column] == "-" {
				continue
			}
			table = skipIndirects(t, table)
			require.NotEmpty(t, table, "%s lacks %s", m.Name, f[3])
			requireLine(t, f, column, table[0])
			table = table[1:]
		}
		require.Empty(t, skipIndirects(t, table), m.Name)
	}
}

func requireLine(t *testing.T, f []string, column int, e dynamixel.Entry) {
	t.Helper()
	require.Equal(t, f[3], e.Name)
	require.Equal(t, f[0]+" "+f[1], fmt.Sprint(e.Addr, " ", e.Size), e.Name)
	require.Equal(t, strings.Contains(f[2], "s"), e.Signed, "%s: signed", e.Name)
	writable := f[2] == "rw" || f[2] == "rs"
	require.Equal(t, writable, e.Access == dynamixel.ReadWrite, "%s: access", e.Name)
	require.Equal(t, f[4+column], strconv.Itoa(int(e.Default)), "%s: default", e.Name)
	if ranges := strings.Split(f[6], "/"); f[6] != "." {
		require.Equal(t, ranges[min(column, len(ranges)-1)], fmt.Sprintf("%d:%d", e.Min, e.Max), "%s: range", e.Name)
	}
	step, ok := steps[f[7]]
	require.True(t, ok, f[7])
	require.Equal(t, step.unit, e.Unit, "%s: unit", e.Name)
	require.InDelta(t, step.scale, e.Scale, 1e-3*step.scale, "%s: step", e.Name)
	require.Equal(t, e.Addr < 64, e.EEPROM(), e.Name)
	require.True(t, e.Fits(e.Default) && (!writable || e.Fits(e.Min) && e.Fits(e.Max)), "%s: what is in its range fits in its bytes", e.Name)
}

// skipIndirects takes the indirect addresses and data from the front of a table.
func skipIndirects(t *testing.T, table []dynamixel.Entry) []dynamixel.Entry {
	t.Helper()
	for len(table) > 0 && strings.HasPrefix(table[0].Name, "indirect_") {
		e := table[0]
		table = table[1:]
		require.Equal(t, dynamixel.ReadWrite, e.Access)
		var n int
		if _, err := fmt.Sscanf(e.Name, "indirect_address_%d", &n); err == nil {
			// One byte of data each, which it points to after a boot; EEPROM
			// cannot be mapped.
			require.Equal(t, dynamixel.IndirectAddress(n-1), e.Register)
			require.EqualValues(t, dynamixel.IndirectData(n-1).Addr, e.Default)
			require.Equal(t, []int32{64, 661}, []int32{e.Min, e.Max})
			continue
		}
		_, err := fmt.Sscanf(e.Name, "indirect_data_%d", &n)
		require.NoError(t, err)
		require.Equal(t, dynamixel.IndirectData(n-1), e.Register)
		require.Equal(t, []int32{0, 255, 0}, []int32{e.Min, e.Max, e.Default})
	}
	return table
}

func TestModes(t *testing.T) {
	require.Equal(t, []int32{0, 1, 3, 4, 5, 16}, dynamixel.XM430W350.Modes)
	require.Equal(t, []int32{1, 3, 4, 16}, dynamixel.XL430W250.Modes)
}
