package dynamixel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
)

const (
	syncRead3  = "FF FF FD 00 FE 0A 00 82 84 00 04 00 03 07 04"
	fastRead3  = "FF FF FD 00 FE 0A 00 8A 84 00 04 00 03 07 04"
	fastStatus = "FF FF FD 00 FE 19 00 55 00 03 A6 00 00 00 84 08 00 07 1F 08 00 00 16 CA 00 04 FF 03 00 00 D1 9E"
)

// status is a servo's answer, hex.
func status(id dynamixel.ID, code byte, data string) string {
	p := dynamixel.Packet{ID: id, Instruction: dynamixel.InstStatus, Error: code, Params: unhex(data)}
	return hexOf(dynamixel.AppendPacket(nil, &p))
}

// groupRead is a group read of position from ids, hex.
func groupRead(inst dynamixel.Instruction, ids ...byte) string {
	p := dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: inst, Params: append(unhex("84 00 04 00"), ids...)}
	return hexOf(dynamixel.AppendPacket(nil, &p))
}

func TestGroupReads(t *testing.T) {
	var (
		s3, s7, s4 = status(3, 0, "A6 00 00 00"), status(7, 0, "1F 08 00 00"), status(4, 0, "FF 03 00 00")
		all        = []string{"A6 00 00 00", "1F 08 00 00", "FF 03 00 00"}
		missed     = dynamixel.ErrTimeout
		damaged    = dynamixel.ErrChecksum
	)
	for _, tc := range []struct {
		name   string
		fast   bool
		answer string
		data   []string // per servo; "" is untouched
		errs   []error
		status []byte
	}{
		{"all", false, s3 + s7 + s4, all, []error{nil, nil, nil}, []byte{0, 0, 0}},
		{"noise between", false, s3 + "FF FF FD" + s7 + "00 13" + s4, all, []error{nil, nil, nil}, []byte{0, 0, 0}},
		{"wrong order", false, s7 + s3 + s4, all, []error{nil, nil, nil}, []byte{0, 0, 0}},
		{"an alert is no error", false, s3 + status(7, 0x80, "1F 08 00 00") + s4, all, []error{nil, nil, nil}, []byte{0, 0x80, 0}},
		{"second silent, the rest too", false, s3, []string{all[0], "", ""}, []error{nil, missed, missed}, []byte{0, 0, 0}},
		{"second silent, the rest not", false, s3 + s4, []string{all[0], "", all[2]}, []error{nil, missed, nil}, []byte{0, 0, 0}},
		{"second damaged", false, s3 + s7[:len(s7)-2] + "00" + s4, []string{all[0], "", all[2]}, []error{nil, damaged, nil}, []byte{0, 0, 0}},
		{"last damaged", false, s3 + s7 + s4[:len(s4)-2] + "00", []string{all[0], all[1], ""}, []error{nil, nil, damaged}, []byte{0, 0, 0}},
		{"second too short", false, s3 + status(7, 0, "1F 08") + s4, []string{all[0], "", all[2]}, []error{nil, damaged, nil}, []byte{0, 0, 0}},
		{
			"second refuses", false, s3 + status(7, 0x87, "") + s4,
			[]string{all[0], "", all[2]},
			[]error{nil, &dynamixel.StatusError{ID: 7, Code: 7}, nil},
			[]byte{0, 0x87, 0},
		},
		{"twice the same servo", false, s3 + status(3, 0, "01 02 03 04") + s7 + s4, all, []error{nil, nil, nil}, []byte{0, 0, 0}},
		{"nobody", false, "", []string{"", "", ""}, []error{missed, missed, missed}, []byte{0, 0, 0}},

		{"fast, all", true, fastStatus, all, []error{nil, nil, nil}, []byte{0, 0, 0}},
		{"fast, behind noise", true, "FF FF FD 00 FE 19 00 54 00" + fastStatus, all, []error{nil, nil, nil}, []byte{0, 0, 0}},
		{"fast, cut after the first", true, fastStatus[:16*3], []string{all[0], "", ""}, []error{nil, missed, missed}, []byte{0, 0, 0}},
		{"fast, cut within the second", true, fastStatus[:20*3], []string{all[0], "", ""}, []error{nil, missed, missed}, []byte{0, 0, 0}},
		{"fast, another length", true, "FF FF FD 00 FE 14 00 55" + fastStatus[8*3:], []string{"", "", ""}, []error{missed, missed, missed}, []byte{0, 0, 0}},
		{
			"fast, second damaged", true, fastStatus[:18*3] + "1E" + fastStatus[18*3+2:],
			[]string{all[0], "", all[2]},
			[]error{nil, damaged, nil},
			[]byte{0, 0, 0},
		},
		{
			"fast, second's checksum damaged", true, fastStatus[:22*3] + "17" + fastStatus[22*3+2:],
			[]string{all[0], "", ""},
			[]error{nil, damaged, damaged},
			[]byte{0, 0, 0},
		},
		{
			"fast, first damaged", true, fastStatus[:10*3] + "A7" + fastStatus[10*3+2:],
			[]string{"", all[1], all[2]},
			[]error{damaged, nil, nil},
			[]byte{0, 0, 0},
		},
		{
			"fast, a byte lost", true, fastStatus[:18*3] + fastStatus[19*3:],
			[]string{all[0], "", ""},
			[]error{nil, damaged, missed},
			[]byte{0, 0, 0},
		},
		{
			"fast, second is another servo", true, fastOf("00 03 A6 00 00 00", "00 05 1F 08 00 00", "00 04 FF 03 00 00"),
			[]string{all[0], "", ""},
			[]error{nil, damaged, damaged},
			[]byte{0, 0, 0},
		},
		{
			"fast, second refuses, third has an alert", true, fastOf("00 03 A6 00 00 00", "07 07 00 00 00 00", "80 04 FF 03 00 00"),
			[]string{all[0], "", all[2]},
			[]error{nil, &dynamixel.StatusError{ID: 7, Code: 7}, nil},
			[]byte{0, 7, 0x80},
		},
		{
			"fast, data that looks like a header", true, fastOf("00 03 FF FF FD 00", "00 07 1F 08 00 00", "00 04 FF FF FD FD"),
			[]string{"FF FF FD 00", all[1], "FF FF FD FD"},
			[]error{nil, nil, nil},
			[]byte{0, 0, 0},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ask := syncRead3
			if tc.fast {
				ask = fastRead3
			}
			b := script(t, 0, [2]string{ask + crcOf(ask), tc.answer})
			read := b.SyncRead
			if tc.fast {
				read = b.FastSyncRead
			}
			rs := readings(4, 3, 7, 4)
			for i := range rs {
				copy(rs[i].Data, unhex("EE EE EE EE"))
				rs[i].Status = 0x55
			}
			require.NoError(t, read(dynamixel.PresentPosition.Block(), rs))
			for i, r := range rs {
				want := tc.data[i]
				if want == "" {
					want = "EE EE EE EE"
				}
				require.Equal(t, unhex(want), r.Data, "servo %d", r.ID)
				require.Equal(t, tc.errs[i], r.Err, "servo %d", r.ID)
				require.Equal(t, tc.status[i], r.Status, "servo %d", r.ID)
			}
		})
	}
}

// fastOf is a fast status of these parts, hex.
func fastOf(parts ...string) string {
	b := unhex("FF FF FD 00 FE 19 00 55")
	for _, p := range parts {
		b = append(b, unhex(p)...)
		c := dynamixel.CRC(0, b)
		b = append(b, byte(c), byte(c>>8))
	}
	return hexOf(b)
}

// TestGroupRetry: only the missing are asked again, the first of them last, as
// it may be what keeps the others silent; once only, for there is no time for
// more. The next reading asks it last at once.
func TestGroupRetry(t *testing.T) {
	for _, inst := range []dynamixel.Instruction{dynamixel.InstSyncRead, dynamixel.InstFastSyncRead} {
		answers := []string{
			status(3, 0, "03 00 00 00"),
			status(4, 0, "04 00 00 00") + status(5, 0, "05 00 00 00"),
			status(3, 0, "13 00 00 00") + status(4, 0, "14 00 00 00") + status(5, 0, "15 00 00 00"),
		}
		if inst == dynamixel.InstFastSyncRead {
			answers[0] = fastHead("00 03 03 00 00 00", 4)
			answers[1] = fastHead("00 04 04 00 00 00", 3)
			answers[1] += fastNext(answers[1], "00 05 05 00 00 00")
			answers[2] = fastHead("00 03 13 00 00 00", 4)
			answers[2] += fastNext(answers[2], "00 04 14 00 00 00")
			answers[2] += fastNext(answers[2], "00 05 15 00 00 00")
		}
		b := script(t, 2,
			[2]string{groupRead(inst, 3, 7, 4, 5), answers[0]},
			[2]string{groupRead(inst, 4, 5, 7), answers[1]},
			[2]string{groupRead(inst, 3, 4, 5, 7), answers[2]},
		)
		rs := readings(4, 3, 7, 4, 5)
		read := b.SyncRead
		if inst == dynamixel.InstFastSyncRead {
			read = b.FastSyncRead
		}
		for cycle := range byte(2) {
			require.NoError(t, read(dynamixel.PresentPosition.Block(), rs))
			require.ErrorIs(t, rs[1].Err, dynamixel.ErrTimeout)
			for _, i := range []int{0, 2, 3} {
				require.NoError(t, rs[i].Err)
				require.Equal(t, byte(rs[i].ID)+cycle<<4, rs[i].Data[0])
			}
		}
		require.Equal(t, dynamixel.Stats{Transactions: 3, Timeouts: 3 + 1 + 1, Retries: 1}, b.Stats())
	}
}

// fastHead begins a fast status of n servos with 4 bytes each, hex.
func fastHead(part string, n int) string {
	head := hexOf(append(unhex("FF FF FD 00 FE"), byte(1+8*n), 0, 0x55))
	return head + fastNext(head, part)
}

// fastNext is the next part of a fast status, with its checksum, hex.
func fastNext(before, part string) string { return part + " " + crcOf(before+part) }

func TestSyncWrite(t *testing.T) {
	b := script(t, 0, [2]string{wireOf(t, "sync write 116/4 ID1=150 ID2=170"), ""})
	require.NoError(t, b.SyncWrite(dynamixel.GoalPosition.Block(), []dynamixel.Item{
		{ID: 1, Data: unhex("96 00 00 00")}, {ID: 2, Data: unhex("AA 00 00 00")},
	}))
	err := b.SyncWrite(dynamixel.GoalPosition.Block(), []dynamixel.Item{{ID: 2, Data: unhex("AA 00")}})
	require.EqualError(t, err, "dynamixel: sync write: id 2: 2 bytes for a block of 4")
}

func TestGroupReadOfUnfitReadings(t *testing.T) {
	b := script(t, 0)
	require.ErrorContains(t, b.SyncRead(dynamixel.PresentPosition.Block(), readings(3, 8)), "id 8: 3 bytes for a block of 4")
	require.NoError(t, b.SyncRead(dynamixel.PresentPosition.Block(), nil))
	require.ErrorContains(t, b.FastSyncRead(dynamixel.LED.Block(), make([]dynamixel.Reading, 300)), "300 servos")
}
