// Package virtual is a whole rig that nobody owns: nine emulated servos whose
// shafts turn the joints of a hidden MuJoCo world, behind a pty or an in-memory
// pipe, and a webcam that sees that world.
//
// The world's parameters differ from the model that the rest of the program
// knows (Hidden), so that there is a real gap to find. What a program may know
// of the world goes through the serial port and the camera. Only two roles see
// more, and say so: the operator who places the objects, and the judge whose
// verdicts are labelled as the virtual world's truth.
package virtual
