package serial

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sysRoot is where the kernel shows the adapters' settings.
const sysRoot = "/sys"

// asyncLowLatency is ASYNC_LOW_LATENCY of linux/tty_flags.h. The driver ftdi_sio
// takes it as a latency timer of 1 ms.
const asyncLowLatency = 1 << 13

// serialStruct is struct serial_struct of linux/serial.h.
type serialStruct struct {
	kind, line           int32
	port                 uint32
	irq, flags           int32
	xmitFIFO, divisor    int32
	baudBase             int32
	closeDelay           uint16
	ioType, reserved     byte
	hub6                 int32
	closingWait, closing uint16
	iomemBase            uintptr
	iomemRegShift        uint16
	portHigh             uint32
	iomapBase            uintptr
}

// lowLatency asks the driver for low latency both ways it may offer, and returns
// the latency timer as the kernel then shows it. Neither way is open to a pty,
// and the second needs write permission: a refusal is an answer, not an error.
func lowLatency(fd int, dev, sys string) (time.Duration, bool) {
	var s serialStruct
	if ioctl(fd, unix.TIOCGSERIAL, &s) && s.flags&asyncLowLatency == 0 {
		s.flags |= asyncLowLatency
		ioctl(fd, unix.TIOCSSERIAL, &s)
	}
	if d, known := latencyTimer(dev, sys); !known || d <= time.Millisecond {
		return d, known
	}
	_ = os.WriteFile(latencyPath(dev, sys), []byte("1"), 0)
	return latencyTimer(dev, sys)
}

// lowLatencyFlag reads a tty's ASYNC_LOW_LATENCY flag. It is not known where the
// driver has none, as a pty's, or the tty may not be opened.
func lowLatencyFlag(dev string) (set, known bool) {
	fd, err := unix.Open(dev, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, false
	}
	defer unix.Close(fd)
	var s serialStruct
	known = ioctl(fd, unix.TIOCGSERIAL, &s)
	return s.flags&asyncLowLatency != 0, known
}

func ioctl(fd int, request uintptr, s *serialStruct) bool {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(s)))
	return errno == 0
}

// latencyTimer reads the FTDI latency timer of the tty at dev, a path or a link
// to one.
func latencyTimer(dev, sys string) (time.Duration, bool) {
	b, err := os.ReadFile(latencyPath(dev, sys))
	if err != nil {
		return 0, false
	}
	ms, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || ms < 0 {
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true
}

func latencyPath(dev, sys string) string {
	if real, err := filepath.EvalSymlinks(dev); err == nil {
		dev = real
	}
	return filepath.Join(sys, "bus/usb-serial/devices", filepath.Base(dev), "latency_timer")
}
