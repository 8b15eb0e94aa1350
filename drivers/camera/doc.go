// Package camera is twinrig.Camera on OpenCV (gocv): a V4L2 device, an MJPEG
// stream over HTTP, or a video file or picture sequence.
//
// One goroutine per camera drains the source, so that nothing waits in a queue,
// and keeps only the newest picture with the time of its arrival. It notices
// pictures that are missing, pictures that stay away and pictures that repeat,
// and opens a lost source again.
package camera
