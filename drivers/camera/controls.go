package camera

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// exposureStep is the unit of the V4L2 exposure time.
const exposureStep = 100 * time.Microsecond

// Identifiers and requests of linux/v4l2-controls.h and linux/videodev2.h.
const (
	cidAutoWhiteBalance      = 0x0098090c
	cidGain                  = 0x00980913
	cidPowerLineFrequency    = 0x00980918
	cidWhiteBalance          = 0x0098091a
	cidAutoExposure          = 0x009a0901
	cidExposure              = 0x009a0902
	cidExposureDynamicRate   = 0x009a0903
	cidFocus                 = 0x009a090a
	cidAutoFocus             = 0x009a090c
	exposureManual           = 1
	ioctlGetCtrl             = 0xc008561b
	ioctlSetCtrl             = 0xc008561c
	powerLineOff, pl50, pl60 = 0, 1, 2
)

// setting is one control and the value that it shall have. An optional one is
// skipped where the camera does not have it.
type setting struct {
	name     string
	id       uint32
	value    int32
	optional bool
}

// settings lists c in the order in which it must be set: a value is inactive
// while its automatic is on.
func (c *Controls) settings() []setting {
	var list []setting
	lock := func(name string, id uint32, value int32, explicit bool) {
		if c.Lock || explicit {
			list = append(list, setting{name, id, value, !explicit})
		}
	}
	set := func(name string, id uint32, value *int) {
		if value != nil {
			list = append(list, setting{name, id, int32(*value), false})
		}
	}
	lock("auto_exposure", cidAutoExposure, exposureManual, c.Exposure != nil)
	// Otherwise the camera halves its rate in the dark.
	lock("exposure_dynamic_framerate", cidExposureDynamicRate, 0, false)
	lock("focus_automatic_continuous", cidAutoFocus, 0, c.Focus != nil)
	lock("white_balance_automatic", cidAutoWhiteBalance, 0, c.WhiteBalance != nil)
	if c.Exposure != nil {
		steps := int(*c.Exposure / exposureStep)
		set("exposure_time_absolute", cidExposure, &steps)
	}
	set("focus_absolute", cidFocus, c.Focus)
	set("white_balance_temperature", cidWhiteBalance, c.WhiteBalance)
	set("gain", cidGain, c.Gain)
	if c.PowerLine != nil {
		menu := map[int]int{0: powerLineOff, 50: pl50, 60: pl60}[*c.PowerLine]
		set("power_line_frequency", cidPowerLineFrequency, &menu)
	}
	return list
}

// controlDevice is what the controls are set on.
type controlDevice interface {
	set(id uint32, value int32) error
	get(id uint32) (int32, error)
}

// applyControls sets the list and reads every value back.
func applyControls(dev controlDevice, list []setting) error {
	for _, s := range list {
		err := dev.set(s.id, s.value)
		if s.optional && errors.Is(err, syscall.EINVAL) {
			continue
		}
		if err != nil {
			return fmt.Errorf("control %s = %d: %w (v4l2-ctl -L lists what the camera takes)", s.name, s.value, err)
		}
		got, err := dev.get(s.id)
		if err != nil {
			return fmt.Errorf("control %s: read back: %w", s.name, err)
		}
		if got != s.value {
			return fmt.Errorf("control %s: is %d after it was set to %d (v4l2-ctl -L lists what the camera takes)", s.name, got, s.value)
		}
	}
	return nil
}

// v4l2 is a video device. It is opened beside the one that streams, which V4L2
// allows.
type v4l2 struct{ file *os.File }

func (d v4l2) set(id uint32, value int32) error {
	return d.control(ioctlSetCtrl, &v4l2Control{id, value})
}

func (d v4l2) get(id uint32) (int32, error) {
	c := v4l2Control{id: id}
	err := d.control(ioctlGetCtrl, &c)
	return c.value, err
}

// v4l2Control is struct v4l2_control of linux/videodev2.h.
type v4l2Control struct {
	id    uint32
	value int32
}

func (d v4l2) control(request uintptr, c *v4l2Control) error {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, d.file.Fd(), request, uintptr(unsafe.Pointer(c)))
	if errno != 0 {
		return errno
	}
	return nil
}

// setControls applies list to the device at path.
func setControls(path string, list []setting) error {
	if len(list) == 0 {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return applyControls(v4l2{f}, list)
}
