// Package foxglove shows a rig live in Foxglove: a WebSocket server of the protocol
// foxglove.websocket.v1 with the topics and schemas of the logs, so that one layout
// suits both. It only shows; nothing that a client sends moves anything. Source: the
// specification in github.com/foxglove/ws-protocol (MIT).
package foxglove
