// Package controller fits the mirror's model to how an arm moved: its servos'
// stiffness and damping, friction, delays and how much of gravity they leave
// unheld. A fit is pure: the same samples give the same result. SI units and
// rad throughout; MuJoCo rollouts run on all cores.
package controller
