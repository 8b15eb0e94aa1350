package doctor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"
	"unsafe"

	"twinrig/drivers/camera"
)

// mode is a kind of picture that a camera offers.
type mode struct {
	format        string // four-character code
	width, height int    // pixels
	rate          float64
}

// String is how the rig file would have it.
func (m mode) String() string {
	return fmt.Sprintf("%s %d x %d at %.4g Hz", m.format, m.width, m.height, m.rate)
}

// fits tells whether the mode is what the configuration asks for.
func (m mode) fits(c *camera.Config) bool {
	return m.width == c.Width && m.height == c.Height && math.Abs(m.rate-c.Rate) < 0.01*c.Rate &&
		(c.Format == "" || c.Format == m.format)
}

// Requests and sizes of linux/videodev2.h, and the kinds of answers.
const (
	enumFormat   = 0xc0405602 // struct v4l2_fmtdesc, 64 bytes
	enumSize     = 0xc02c564a // struct v4l2_frmsizeenum, 44 bytes
	enumInterval = 0xc034564b // struct v4l2_frmivalenum, 52 bytes
	capture      = 1          // V4L2_BUF_TYPE_VIDEO_CAPTURE
	discrete     = 1          // V4L2_FRMSIZE_TYPE_DISCRETE, V4L2_FRMIVAL_TYPE_DISCRETE
)

// query fills what the kernel is asked for in raw; EINVAL is the end of a list.
type query func(request uintptr, raw []byte) error

// listModes asks a V4L2 device what it offers.
func listModes(device string) ([]mode, error) {
	f, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return modesOf(func(request uintptr, raw []byte) error {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(&raw[0])))
		if errno != 0 {
			return errno
		}
		return nil
	})
}

// modesOf walks formats, sizes and intervals. Sizes and intervals that are
// ranges are left out: webcams list theirs.
func modesOf(q query) (modes []mode, err error) {
	err = each(q, enumFormat, 64, []uint32{0, capture}, func(format []uint32) error {
		code := format[11] // index, type, flags, 32 bytes of description
		return each(q, enumSize, 44, []uint32{0, code}, func(size []uint32) error {
			if size[2] != discrete {
				return nil
			}
			w, h := size[3], size[4]
			return each(q, enumInterval, 52, []uint32{0, code, w, h}, func(v []uint32) error {
				if v[4] == discrete && v[5] > 0 {
					modes = append(modes, mode{fourCC(code), int(w), int(h), float64(v[6]) / float64(v[5])})
				}
				return nil
			})
		})
	})
	return modes, err
}

// each goes through one of V4L2's lists: head is what is asked, its first word
// the index.
func each(q query, request uintptr, size int, head []uint32, do func([]uint32) error) error {
	for ; ; head[0]++ {
		raw := make([]byte, size)
		if _, err := binary.Encode(raw, binary.NativeEndian, head); err != nil {
			return err
		}
		err := q(request, raw)
		if errors.Is(err, syscall.EINVAL) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list modes: %w", err)
		}
		words := make([]uint32, size/4)
		if err := binary.Read(bytes.NewReader(raw), binary.NativeEndian, words); err != nil {
			return err
		}
		if err := do(words); err != nil {
			return err
		}
	}
}

func fourCC(code uint32) string {
	return string([]byte{byte(code), byte(code >> 8), byte(code >> 16), byte(code >> 24)})
}
