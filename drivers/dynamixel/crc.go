package dynamixel

// crcTable is CRC-16 with polynomial 0x8005, not reflected, start value 0, no
// final xor (e-manual, "CRC calculation").
var crcTable = makeCRCTable()

func makeCRCTable() (t [256]uint16) {
	for i := range t {
		c := uint16(i) << 8
		for range 8 {
			if c&0x8000 != 0 {
				c = c<<1 ^ 0x8005
			} else {
				c <<= 1
			}
		}
		t[i] = c
	}
	return t
}

// CRC continues the checksum crc, 0 at the start of a packet, over b.
func CRC(crc uint16, b []byte) uint16 {
	for _, x := range b {
		crc = crc<<8 ^ crcTable[byte(crc>>8)^x]
	}
	return crc
}
