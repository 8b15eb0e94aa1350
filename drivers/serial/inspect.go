package serial

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Info is what can be told of a port without using it.
type Info struct {
	// Path is what was asked about, Device the device that it leads to.
	Path, Device string
	// Stable tells whether Path may be kept: ttyUSB0 and ttyACM0 are numbers in
	// the order of plugging in, and another adapter may get them.
	Stable bool
	// Names are the stable names of Device, those of udev's by-id first.
	Names []string
	// USB is the adapter; nil if the port is none, as a pty.
	USB *USB
	// Latency is the adapter's latency timer, if LatencyKnown.
	Latency      time.Duration
	LatencyKnown bool
	// LowLatency is the tty's ASYNC_LOW_LATENCY flag, if LowLatencyKnown: the
	// driver has it, and we may open the port.
	LowLatency, LowLatencyKnown bool
	// Readable and Writable say what we may do, Mode and Group who may.
	Readable, Writable bool
	Mode               os.FileMode
	Group              string
	// Users are the other processes that have the port open, as far as we may
	// see; one of them may hold Open's lock.
	Users []User
}

// USB is an adapter as sysfs shows it. Texts are empty where it says nothing.
type USB struct {
	Vendor, Product            uint16
	Manufacturer, Name, Serial string
}

// ID is how lsusb writes it: 0403:6014 is a U2D2.
func (u *USB) ID() string { return fmt.Sprintf("%04x:%04x", u.Vendor, u.Product) }

// system is where the kernel and udev tell about ports; a test has its own.
type system struct{ sys, dev, proc string }

var host = system{sys: sysRoot, dev: "/dev", proc: "/proc"}

// Inspect tells about a port without sending or receiving, without changing its
// settings and without its lock. It opens the port for one ioctl if that is
// allowed; a serial device may see its DTR line rise by that, which no servo
// adapter uses. An error names the path and, where there is one, the cure.
func Inspect(path string) (Info, error) { return host.inspect(path) }

func (h system) inspect(path string) (Info, error) {
	i := Info{Path: path, Stable: Stable(path)}
	var st unix.Stat_t
	device, err := filepath.EvalSymlinks(path)
	if err == nil {
		err = unix.Stat(device, &st)
	}
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFCHR {
		err = unix.ENOTTY
	}
	if err != nil {
		return i, fmt.Errorf("serial: inspect %s: %w%s", path, err, cure(err))
	}
	i.Device = device
	i.Names = h.names(device)
	i.USB = h.usb(device)
	i.Latency, i.LatencyKnown = latencyTimer(device, h.sys)
	i.LowLatency, i.LowLatencyKnown = lowLatencyFlag(device)
	i.Readable = unix.Faccessat(unix.AT_FDCWD, device, unix.R_OK, unix.AT_EACCESS) == nil
	i.Writable = unix.Faccessat(unix.AT_FDCWD, device, unix.W_OK, unix.AT_EACCESS) == nil
	i.Mode = os.FileMode(st.Mode & 0o777)
	i.Group = strconv.Itoa(int(st.Gid))
	if g, err := user.LookupGroupId(i.Group); err == nil {
		i.Group = g.Name
	}
	i.Users = h.users(device, &st)
	return i, nil
}

var counted = regexp.MustCompile(`^tty(USB|ACM)\d+$`)

// Stable tells whether a port's name stays with the adapter when it is plugged
// in again, after others or elsewhere.
func Stable(path string) bool { return !counted.MatchString(filepath.Base(path)) }

// names returns the links to device that udev makes.
func (h system) names(device string) []string {
	var names []string
	for _, pattern := range []string{"serial/by-id/*", "ttyDXL*"} {
		links, _ := filepath.Glob(filepath.Join(h.dev, pattern)) // the pattern is right
		for _, l := range links {
			if to, err := filepath.EvalSymlinks(l); err == nil && to == device && l != device {
				names = append(names, l)
			}
		}
	}
	return names
}

// usb finds the adapter behind a tty: the nearest of its parents in sysfs that
// has an idVendor.
func (h system) usb(device string) *USB {
	dir, err := filepath.EvalSymlinks(filepath.Join(h.sys, "class/tty", filepath.Base(device), "device"))
	if err != nil {
		return nil
	}
	for ; len(dir) > len(h.sys); dir = filepath.Dir(dir) {
		vendor, ok := hexFile(filepath.Join(dir, "idVendor"))
		if !ok {
			continue
		}
		product, _ := hexFile(filepath.Join(dir, "idProduct"))
		return &USB{
			Vendor: vendor, Product: product,
			Manufacturer: textFile(filepath.Join(dir, "manufacturer")),
			Name:         textFile(filepath.Join(dir, "product")),
			Serial:       textFile(filepath.Join(dir, "serial")),
		}
	}
	return nil
}

func hexFile(path string) (uint16, bool) {
	v, err := strconv.ParseUint(textFile(path), 16, 16)
	return uint16(v), err == nil
}

// textFile returns a file's text, or "" if there is none: sysfs leaves out what
// a device does not say.
func textFile(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
