package dynamixel_test

import (
	"encoding/hex"
	"strings"

	"twinrig/drivers/dynamixel"
)

// packetCase is one packet and its bytes. The table serves encoding, decoding
// and the fuzz seeds.
type packetCase struct {
	name   string
	packet dynamixel.Packet
	wire   string // hex
}

// packets are the examples of the e-manual (docs/en/dxl/protocol2.md), then
// further ones made with the same checksum: stuffing, group instructions of a
// nine servo arm, error codes. Two checksums of the e-manual are misprints and
// are computed here.
var packets = []packetCase{
	{
		"ping ID1",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstPing},
		"FF FF FD 00 01 03 00 01 19 4E",
	},
	{
		"status ping ID1 model 1030 fw38",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstStatus, Params: unhex("06 04 26")},
		"FF FF FD 00 01 07 00 55 00 06 04 26 65 5D",
	},
	{
		"ping broadcast",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstPing},
		"FF FF FD 00 FE 03 00 01 31 42",
	},
	{
		"status ping ID2 model 1030 fw38",
		dynamixel.Packet{ID: 2, Instruction: dynamixel.InstStatus, Params: unhex("06 04 26")},
		"FF FF FD 00 02 07 00 55 00 06 04 26 6F 6D",
	},
	{
		"read ID1 addr132 len4",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstRead, Params: unhex("84 00 04 00")},
		"FF FF FD 00 01 07 00 02 84 00 04 00 1D 15",
	},
	{
		"status read ID1 =166",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstStatus, Params: unhex("A6 00 00 00")},
		"FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0",
	},
	{
		"write ID1 addr116 =512",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstWrite, Params: unhex("74 00 00 02 00 00")},
		"FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89",
	},
	{
		"status ok ID1",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstStatus},
		"FF FF FD 00 01 04 00 55 00 A1 0C",
	},
	{
		"reg write ID1 addr104 =200",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstRegWrite, Params: unhex("68 00 C8 00 00 00")},
		"FF FF FD 00 01 09 00 04 68 00 C8 00 00 00 AE 8E",
	},
	{
		"action ID1",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstAction},
		"FF FF FD 00 01 03 00 05 02 CE",
	},
	{
		"factory reset ID1 opt 01",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstFactoryReset, Params: unhex("01")},
		"FF FF FD 00 01 04 00 06 01 A1 E6",
	},
	{
		"reboot ID1",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstReboot},
		"FF FF FD 00 01 03 00 08 2F 4E",
	},
	{
		"clear multi-turn ID1",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstClear, Params: unhex("01 44 58 4C 22")},
		"FF FF FD 00 01 08 00 10 01 44 58 4C 22 B1 DC",
	},
	{
		"control table backup ID1",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstBackup, Params: unhex("01 43 54 52 4C")},
		"FF FF FD 00 01 08 00 20 01 43 54 52 4C 16 F5",
	},
	// The e-manual prints another checksum.
	{
		"control table restore ID1",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstBackup, Params: unhex("02 43 54 52 4C")},
		"FF FF FD 00 01 08 00 20 02 43 54 52 4C 9E F5",
	},
	{
		"sync read 132/4 IDs 1,2",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstSyncRead, Params: unhex("84 00 04 00 01 02")},
		"FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA",
	},
	{
		"status sync read ID2 =2079",
		dynamixel.Packet{ID: 2, Instruction: dynamixel.InstStatus, Params: unhex("1F 08 00 00")},
		"FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE",
	},
	{
		"sync write 116/4 ID1=150 ID2=170",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstSyncWrite, Params: unhex("74 00 04 00 01 96 00 00 00 02 AA 00 00 00")},
		"FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87",
	},
	{
		"bulk read ID1 144/2, ID2 146/1",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstBulkRead, Params: unhex("01 90 00 02 00 02 92 00 01 00")},
		"FF FF FD 00 FE 0D 00 92 01 90 00 02 00 02 92 00 01 00 1A 05",
	},
	{
		"status bulk ID1 =119",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstStatus, Params: unhex("77 00")},
		"FF FF FD 00 01 06 00 55 00 77 00 C3 69",
	},
	{
		"status bulk ID2 =36",
		dynamixel.Packet{ID: 2, Instruction: dynamixel.InstStatus, Params: unhex("24")},
		"FF FF FD 00 02 05 00 55 00 24 8B A9",
	},
	{
		"bulk write ID1 32=160 ID2 31=80",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstBulkWrite, Params: unhex("01 20 00 02 00 A0 00 02 1F 00 01 00 50")},
		"FF FF FD 00 FE 10 00 93 01 20 00 02 00 A0 00 02 1F 00 01 00 50 B7 68",
	},
	{
		"fast sync read 132/4 IDs 3,7,4",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstFastSyncRead, Params: unhex("84 00 04 00 03 07 04")},
		"FF FF FD 00 FE 0A 00 8A 84 00 04 00 03 07 04 20 F2",
	},
	{
		"fast sync status (full)",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstStatus, Params: unhex("00 03 A6 00 00 00 84 08 00 07 1F 08 00 00 16 CA 00 04 FF 03 00 00")},
		"FF FF FD 00 FE 19 00 55 00 03 A6 00 00 00 84 08 00 07 1F 08 00 00 16 CA 00 04 FF 03 00 00 D1 9E",
	},
	// The e-manual prints another checksum.
	{
		"fast bulk read 3:132/4 7:124/2 4:146/1",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstFastBulkRead, Params: unhex("03 84 00 04 00 07 7C 00 02 00 04 92 00 01 00")},
		"FF FF FD 00 FE 12 00 9A 03 84 00 04 00 07 7C 00 02 00 04 92 00 01 00 DA 2D",
	},
	{
		"fast bulk status full",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstStatus, Params: unhex("00 03 A6 00 00 00 67 A4 00 07 A5 01 24 74 00 04 1F")},
		"FF FF FD 00 FE 14 00 55 00 03 A6 00 00 00 67 A4 00 07 A5 01 24 74 00 04 1F D9 C1",
	},

	// Further packets.
	{
		"write 116 = bytes FF FF FD 00 (stuffed, len 0x0A)",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstWrite, Params: unhex("74 00 FF FF FD 00")},
		"FF FF FD 00 01 0A 00 03 74 00 FF FF FD FD 00 21 E7",
	},
	{
		"write 116 = bytes FF FF FD FD (stuffed once)",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstWrite, Params: unhex("74 00 FF FF FD FD")},
		"FF FF FD 00 01 0A 00 03 74 00 FF FF FD FD FD 2C 65",
	},
	{
		"write 116 = -1, FF FF FF FF (no stuffing)",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstWrite, Params: unhex("74 00 FF FF FF FF")},
		"FF FF FD 00 01 09 00 03 74 00 FF FF FF FF C8 89",
	},
	{
		"write 224, 6 bytes with two FF FF FD (len 0x0D)",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstWrite, Params: unhex("E0 00 FF FF FD FF FF FD")},
		"FF FF FD 00 01 0D 00 03 E0 00 FF FF FD FD FF FF FD FD ED B2",
	},
	{
		"status ID1 3 data bytes FF FF FD (stuffed at end)",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstStatus, Params: unhex("FF FF FD")},
		"FF FF FD 00 01 08 00 55 00 FF FF FD FD 9A 34",
	},
	{
		"sync read 126 len 10 IDs 1..9",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstSyncRead, Params: unhex("7E 00 0A 00 01 02 03 04 05 06 07 08 09")},
		"FF FF FD 00 FE 10 00 82 7E 00 0A 00 01 02 03 04 05 06 07 08 09 B8 27",
	},
	{
		"fast sync read 126 len 10 IDs 1..9",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstFastSyncRead, Params: unhex("7E 00 0A 00 01 02 03 04 05 06 07 08 09")},
		"FF FF FD 00 FE 10 00 8A 7E 00 0A 00 01 02 03 04 05 06 07 08 09 B3 AF",
	},
	{
		"sync write 102 len 2 IDs 1..9 = 0",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstSyncWrite, Params: unhex("66 00 02 00 01 00 00 02 00 00 03 00 00 04 00 00 05 00 00 06 00 00 07 00 00 08 00 00 09 00 00")},
		"FF FF FD 00 FE 22 00 83 66 00 02 00 01 00 00 02 00 00 03 00 00 04 00 00 05 00 00 06 00 00 07 00 00 08 00 00 09 00 00 EA 22",
	},
	{
		"sync write 116 len 4 IDs 1..9 = 2048",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstSyncWrite, Params: unhex("74 00 04 00 01 00 08 00 00 02 00 08 00 00 03 00 08 00 00 04 00 08 00 00 05 00 08 00 00 06 00 08 00 00 07 00 08 00 00 08 00 08 00 00 09 00 08 00 00")},
		"FF FF FD 00 FE 34 00 83 74 00 04 00 01 00 08 00 00 02 00 08 00 00 03 00 08 00 00 04 00 08 00 00 05 00 08 00 00 06 00 08 00 00 07 00 08 00 00 08 00 08 00 00 09 00 08 00 00 D1 40",
	},
	{
		"broadcast write torque (64) = 0",
		dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstWrite, Params: unhex("40 00 00")},
		"FF FF FD 00 FE 06 00 03 40 00 00 2E 16",
	},
	{
		"write ID2 watchdog (98) = 5 (100 ms)",
		dynamixel.Packet{ID: 2, Instruction: dynamixel.InstWrite, Params: unhex("62 00 05")},
		"FF FF FD 00 02 06 00 03 62 00 05 58 E7",
	},
	{
		"write ID2 watchdog (98) = 0",
		dynamixel.Packet{ID: 2, Instruction: dynamixel.InstWrite, Params: unhex("62 00 00")},
		"FF FF FD 00 02 06 00 03 62 00 00 46 E7",
	},
	{
		"read ID2 hw error (70) len 1",
		dynamixel.Packet{ID: 2, Instruction: dynamixel.InstRead, Params: unhex("46 00 01 00")},
		"FF FF FD 00 02 07 00 02 46 00 01 00 36 93",
	},
	{
		"status ID1 err 0x07 access",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstStatus, Error: 0x07},
		"FF FF FD 00 01 04 00 55 07 B0 8C",
	},
	{
		"status ID1 err 0x04 range",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstStatus, Error: 0x04},
		"FF FF FD 00 01 04 00 55 04 BA 8C",
	},
	{
		"status ID1 err 0x80 alert",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstStatus, Error: 0x80},
		"FF FF FD 00 01 04 00 55 80 A2 8F",
	},
	{
		"status ID1 err 0x03 crc",
		dynamixel.Packet{ID: 1, Instruction: dynamixel.InstStatus, Error: 0x03},
		"FF FF FD 00 01 04 00 55 03 AB 0C",
	},
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}
