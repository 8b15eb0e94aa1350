package dynamixel

import "time"

// Wire is the time budget of a bus: what transactions take on an 8N1 line, 10
// bits to the byte, without the host's own time.
type Wire struct {
	// Baud is the line's rate in bit/s.
	Baud int
	// ReplyGap is how long a servo waits before it answers, return delay
	// included. In a Sync Read every servo does so, in a Fast Sync Read the
	// first alone: the others continue its packet.
	ReplyGap time.Duration
	// Latency is how long the USB adapter keeps received bytes back. It is
	// paid once in each transaction that has an answer.
	Latency time.Duration
}

// Bytes of packets, without stuffing.
const (
	headBytes    = 7  // header, ID, length
	commandBytes = 10 // an instruction without parameters
	statusBytes  = 11 // a status without data
	fastHead     = 8  // of a fast status, before the servos' parts
	fastPart     = 4  // a servo's part of a fast status, without data
	addrBytes    = 4  // address and length as parameters
)

// Bytes returns the time that n bytes take.
func (w Wire) Bytes(n int) time.Duration {
	return time.Duration(n) * 10 * time.Second / time.Duration(w.Baud)
}

// SyncRead returns the time to read length bytes from each of n servos.
func (w Wire) SyncRead(n, length int) time.Duration {
	return w.answered(commandBytes+addrBytes+n+n*(statusBytes+length), n)
}

// FastSyncRead is SyncRead by a fast sync read.
func (w Wire) FastSyncRead(n, length int) time.Duration {
	return w.answered(commandBytes+addrBytes+n+fastHead+n*(fastPart+length), 1)
}

// SyncWrite returns the time to write length bytes to each of n servos. Nobody
// answers.
func (w Wire) SyncWrite(n, length int) time.Duration {
	return w.Bytes(commandBytes + addrBytes + n*(1+length))
}

// Read returns the time to read length bytes from one servo.
func (w Wire) Read(length int) time.Duration {
	return w.answered(commandBytes+addrBytes+statusBytes+length, 1)
}

// Write returns the time to write length bytes to one servo, which answers.
func (w Wire) Write(length int) time.Duration {
	return w.answered(commandBytes+2+length+statusBytes, 1)
}

// answered is the time of n bytes of which gaps are waited for.
func (w Wire) answered(n, gaps int) time.Duration {
	return w.Bytes(n) + time.Duration(gaps)*w.ReplyGap + w.Latency
}
