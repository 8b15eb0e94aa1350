// Package scene holds scenes as data: objects, the relation that a task asks
// for, where each object may be placed, and the judge that says what became of
// a trial.
//
// Positions are metres in B, the arm's base frame, with the table at z = 0.
// Yaw is rad about z. An object's own frame O has its origin at the centre of
// its bounding box. Nothing here is safe for concurrent use, except that a
// Scene that nobody changes may be read by many goroutines.
package scene
