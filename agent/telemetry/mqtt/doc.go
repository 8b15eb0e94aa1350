// Package mqtt publishes what a rig does to an MQTT broker, and holds a small
// broker for those who have none.
//
// The topics, with JSON payloads whose numbers' keys end in their units:
//
//	twinrig/RIG/status          "online" or "offline"; QoS 1, retained, also the last will
//	twinrig/RIG/state           the newest twinrig.Report
//	twinrig/RIG/servo/N         twinrig.ServoHealth of the servo with bus ID N
//	twinrig/RIG/mirror/gap      the newest twinrig.Gap
//	twinrig/RIG/trial/events    twinrig.Event; QoS 1
//	twinrig/RIG/trial/result    a trial's result; QoS 1, retained
//	twinrig/RIG/camera/jpeg     a picture, JSON about it in its comment
//	twinrig/RIG/study/progress  how far the study is
//	twinrig/RIG/log             lines of the program
//
// Folder schema has a JSON schema for each and an AsyncAPI document of all.
//
// Events and results are kept in a file until the broker has acknowledged them,
// one after the other, and are sent again after any loss: duplicates carry the
// same id. All else is a stream, QoS 0: at most so many messages a second as the
// configuration says, each with what it stands for (the least, greatest and mean
// value since the message before), its number, and how many were dropped so far
// because the network did not take them. A dropped message's values are in the
// next one's window.
package mqtt
