package foxglove

import (
	"encoding/binary"
	"time"
)

// protocols are the names of what is spoken: the specification's, and the one under
// which Foxglove's own kits speak the same.
var protocols = []string{"foxglove.websocket.v1", "foxglove.sdk.v1"}

// channel is one topic, as it is advertised.
type channel struct {
	ID             int    `json:"id"`
	Topic          string `json:"topic"`
	Encoding       string `json:"encoding"`
	SchemaName     string `json:"schemaName"`
	Schema         string `json:"schema"`
	SchemaEncoding string `json:"schemaEncoding"`
}

// What the server says as JSON.
type (
	serverInfo struct {
		Op                 string            `json:"op"`
		Name               string            `json:"name"`
		Capabilities       []string          `json:"capabilities"`
		SupportedEncodings []string          `json:"supportedEncodings"`
		Metadata           map[string]string `json:"metadata"`
		SessionID          string            `json:"sessionId"`
	}
	advertise struct {
		Op       string    `json:"op"`
		Channels []channel `json:"channels"`
	}
	status struct {
		Op      string `json:"op"`
		Level   int    `json:"level"`
		Message string `json:"message"`
	}
)

// warning is a status' level.
const warning = 1

// request is what a client says as JSON.
type request struct {
	Op            string `json:"op"`
	Subscriptions []struct {
		ID        uint32 `json:"id"`
		ChannelID int    `json:"channelId"`
	} `json:"subscriptions"`
	SubscriptionIDs []uint32 `json:"subscriptionIds"`
}

// messageData is the opcode of a binary frame that carries a message.
const messageData = 1

// message is the frame of one message for a subscription.
func message(subscription uint32, at time.Time, payload []byte) []byte {
	b := make([]byte, 13, 13+len(payload))
	b[0] = messageData
	binary.LittleEndian.PutUint32(b[1:], subscription)
	binary.LittleEndian.PutUint64(b[5:], uint64(at.UnixNano()))
	return append(b, payload...)
}
