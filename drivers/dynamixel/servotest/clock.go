package servotest

import (
	"sync/atomic"
	"time"
)

// Clock is virtual time. It is safe for concurrent use; its zero value stands at
// 0.
type Clock struct{ now atomic.Int64 }

// Now returns the time since the rig was opened.
func (c *Clock) Now() time.Duration { return time.Duration(c.now.Load()) }

// AdvanceTo moves the clock to t. It never goes back.
func (c *Clock) AdvanceTo(t time.Duration) {
	for {
		now := c.now.Load()
		if int64(t) <= now || c.now.CompareAndSwap(now, int64(t)) {
			return
		}
	}
}
