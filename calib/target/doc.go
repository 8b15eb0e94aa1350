// Package target is what calibrations look at: boards as data, their print, and
// their corners in a picture.
//
// Board frame: the origin is the inner corner of ID 0, x runs along a row, y
// down the rows, z into the board, away from who looks at its front; metres.
// Corner IDs count along the rows from 0. Pixels: (0, 0) is the centre of the
// top left one, x to the right, y down.
//
// Detection is OpenCV's: the chessboard through gocv, ChArUco through a small
// shim, since gocv v0.31.0 wraps none and its contrib package does not compile
// against Debian's OpenCV 4.6.0. A Detector is for one goroutine at a time.
package target
