// Package mqtt publishes what a rig does to an MQTT broker, and holds a small
// broker for those who have none.
//
// The topics, with JSON payloads whose numbers' keys end in their units:
//
//	twinrig/RIG/state   the newest twinrig.Report, at a limited rate, QoS 0
//	twinrig/RIG/servo/N twinrig.ServoHealth of the servo with bus ID N, once a second, QoS 0
//	twinrig/RIG/gap     twinrig.Gap, one per control step, QoS 1
//	twinrig/RIG/event   twinrig.Event, QoS 1
//	twinrig/RIG/status  {"rig":...,"status":"online"|"offline",...}, retained, QoS 1
//
// The broker itself says "offline" when the connection breaks (last will).
package mqtt
