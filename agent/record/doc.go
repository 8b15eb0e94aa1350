// Package record writes what happened in one trial to an MCAP file, and reads
// it back.
//
// All messages are JSON with a JSON schema, so that Foxglove opens the file and
// any MCAP library can read it. The topics are:
//
//	/tick          twinrig.Report, one per tick
//	/gap           twinrig.Gap, one per control step
//	/event         twinrig.Event
//	/camera/NAME   foxglove.CompressedImage, JPEG
//
// Log times are the rig's monotonic time. The trial's description is the
// metadata record "trial"; configuration and calibration are attachments; the
// metadata record "summary" at the end counts what was written and what was
// dropped.
//
// The file is a sequence of small chunks, each written at once: a process that
// is killed loses the last chunk at most. The same calls in Synchronous mode
// give the same bytes.
package record
