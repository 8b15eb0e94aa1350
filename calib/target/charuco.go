package target

/*
#cgo pkg-config: opencv4
#cgo CXXFLAGS: --std=c++11
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// charuco is the board in the shim's terms.
func (b *Board) charuco() C.tr_charuco {
	return C.tr_charuco{
		squares_x: C.int(b.Cols + 1), squares_y: C.int(b.Rows + 1),
		dictionary: C.int(dictionaries[b.Dictionary].code),
		square:     C.float(b.SquareM), marker: C.float(b.MarkerM),
	}
}

// found is what the shim saw.
type found struct {
	corners          []Corner
	markers, foreign int
}

// findChArUco finds the board's corners, to about a pixel: OpenCV 4.6 gives them
// half a pixel too far right and down.
func (b *Board) findChArUco(p *Picture) (found, error) {
	n := b.Corners()
	ids, xy := make([]C.int, n), make([]C.float, 2*n)
	board := b.charuco()
	var markers, foreign C.int
	var text [256]C.char
	got := C.tr_charuco_find(&board, (*C.uchar)(unsafe.Pointer(&p.Grey[0])), C.int(p.W), C.int(p.H),
		&ids[0], &xy[0], &markers, &foreign, &text[0], C.size_t(len(text)))
	if got < 0 {
		return found{}, fmt.Errorf("opencv: %s", C.GoString(&text[0]))
	}
	f := found{markers: int(markers), foreign: int(foreign)}
	for i := range int(got) {
		f.corners = append(f.corners, Corner{ID: int(ids[i]), X: float64(xy[2*i]), Y: float64(xy[2*i+1])})
	}
	return f, nil
}

// cells is a marker as it is printed: where its top left corner is from the
// board's top left edge, in m, and its black cells, border included.
type cells struct {
	x, y  float64
	side  int
	black []bool
}

func (b *Board) marker(i int) (cells, error) {
	board := b.charuco()
	var xy [8]C.float
	var black [64]C.uchar // 6 bits and the border, squared
	var text [256]C.char
	side := C.tr_charuco_marker(&board, C.int(i), &xy[0], &black[0], &text[0], C.size_t(len(text)))
	if side < 0 {
		return cells{}, fmt.Errorf("target: marker %d: opencv: %s", i, C.GoString(&text[0]))
	}
	m := cells{x: float64(xy[0]), y: float64(xy[1]), side: int(side)}
	for _, c := range black[:side*side] {
		m.black = append(m.black, c != 0)
	}
	return m, nil
}
