// Package lerobot writes trials as a LeRobot dataset, version 2.1 or 3.0
// (https://github.com/huggingface/lerobot, codebase_version).
//
// A trial is an episode, a control step a frame. fps is the control rate, and
// timestamp is frame_index / fps, as the format wants it; the column
// capture_s.state has the true time of each reading, and capture_s.NAME that of
// the picture that camera NAME's video shows there, both in s on the rig's
// monotonic clock.
//
//	observation.state         six joints (rad, absolute) and the gripper's
//	                          opening (0 closed, 1 open), as measured when the
//	                          step began
//	action                    the same seven numbers: where the policy wanted the
//	                          arm to be at the end of the step, before the guard
//	observation.images.NAME   the newest picture that was there when the step began
//	next.done, next.success   true in an episode's last frame; success by the verdict
//
// Who ran, when and how it was judged is in each episode's metadata, and the
// study's provenance is in info.json under "twinrig".
package lerobot
