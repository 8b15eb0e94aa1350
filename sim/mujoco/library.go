package mujoco

/*
#cgo CFLAGS: -I${SRCDIR}/../../.deps/mujoco/include
#cgo linux LDFLAGS: -ldl -lm
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// ErrNoLibrary is in the chain of every error that comes from a MuJoCo library
// that is missing or does not fit.
var ErrNoLibrary = errors.New("no usable MuJoCo library")

const cure = "run `make setup`, or set MUJOCO_DIR to a directory that holds MuJoCo"

// open loads the library once per process.
var open = sync.OnceValue(func() error {
	exe, err := os.Executable()
	if err != nil {
		exe = ""
	}
	_, source, _, _ := runtime.Caller(0)
	return load(libraryPaths(os.Getenv("MUJOCO_DIR"), source, exe))
})

// Open loads libmujoco, once per process, from the first of $MUJOCO_DIR/lib,
// $MUJOCO_DIR, .deps/mujoco/lib of the source tree the program was built from,
// and the program's own directory (or lib beside it) that has it. Load calls
// it; call it earlier to learn early that the library is missing.
func Open() error { return open() }

// Version is MuJoCo's version as this package was built for it, as "3.17.0".
// Record it with results: physics differs between versions.
func Version() string {
	v := int(C.mjVERSION_HEADER)
	return fmt.Sprintf("%d.%d.%d", v/1_000_000, v/1_000%1_000, v%1_000)
}

// libraryPaths lists the files to try, best first. An explicit dir leaves the
// other places out, so that nothing but what was asked for is used.
func libraryPaths(dir, source, exe string) []string {
	var dirs []string
	if dir != "" {
		dirs = append(dirs, filepath.Join(dir, "lib"), dir)
	} else {
		if filepath.IsAbs(source) {
			dirs = append(dirs, filepath.Join(filepath.Dir(source), "../../.deps/mujoco/lib"))
		}
		if exe != "" {
			beside := filepath.Dir(exe)
			dirs = append(dirs, beside, filepath.Join(beside, "lib"))
		}
	}
	var paths []string
	for _, d := range dirs {
		paths = append(paths, filepath.Join(d, "libmujoco.so."+Version()), filepath.Join(d, "libmujoco.so"))
	}
	return paths
}

// load opens the first of the paths that exists.
func load(paths []string) error {
	for _, p := range paths {
		if _, err := os.Stat(p); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		path := C.CString(p)
		defer C.free(unsafe.Pointer(path))
		msg := newMessage()
		defer msg.free()
		if C.tr_open(path, msg.c) != C.TR_OK {
			return fmt.Errorf("mujoco: %w: %s; %s", ErrNoLibrary, msg, cure)
		}
		return nil
	}
	return fmt.Errorf("mujoco: %w: none of %s exists; %s", ErrNoLibrary, strings.Join(paths, ", "), cure)
}

// message is a C buffer for an error text.
type message struct{ c *C.char }

func newMessage() message        { return message{(*C.char)(C.calloc(C.TR_ERR, 1))} }
func (m message) free()          { C.free(unsafe.Pointer(m.c)) }
func (m message) String() string { return clean(C.GoString(m.c)) }

// clean makes MuJoCo's message fit into a chain of errors.
func clean(s string) string {
	return strings.Join(strings.Fields(s), " ")
}
