// Package serial opens the tty of a servo bus through tarm/serial and gives it
// what a bus needs and that library lacks: deadlines finer than 100 ms, a Close
// that never hangs, exclusive use, low latency, re-opening after an unplug, and
// errors that name the port and the cure. Inspect tells about a port without
// using it.
//
// Port.Read does not block inside the library. It waits in ppoll on a second
// file descriptor of the same tty and reads once something is there. Waiting in
// the caller's own thread wakes up sooner than a reader goroutine that hands
// bytes over, and Close ends the wait through a pipe in the same ppoll.
//
// Linux only.
package serial
