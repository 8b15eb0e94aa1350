package main

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"twinrig"
)

// quiet is telemetry that nobody reads, but its events are counted.
type quiet struct {
	telemetry
	events int
}

func (q *quiet) PutEvent(*twinrig.Event) { q.events++ }

// An event reaches Foxglove and the other telemetry; the server goes with the rig.
func TestShownInFoxglove(t *testing.T) {
	var closing closers
	var said string
	live, err := showFoxglove("127.0.0.1:0", "bench", nil, &closing, func(line string) { said = line })
	require.NoError(t, err)
	url := said[len("in Foxglove: open a connection to "):]
	d := websocket.Dialer{Subprotocols: []string{"foxglove.websocket.v1"}}
	conn, res, err := d.Dial(url, nil)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	defer conn.Close()
	var greeting, offer struct {
		Name     string
		Channels []struct {
			ID    int
			Topic string
		}
	}
	require.NoError(t, conn.ReadJSON(&greeting))
	require.Equal(t, "bench", greeting.Name)
	require.NoError(t, conn.ReadJSON(&offer))
	require.Len(t, offer.Channels, 4, "no camera, no channel of it")
	require.NoError(t, conn.WriteJSON(map[string]any{"op": "subscribe", "subscriptions": []any{map[string]any{"id": 5, "channelId": 2}}}))
	require.NoError(t, conn.WriteJSON(map[string]any{"op": "x"})) // its answer comes after the subscription
	var status struct{ Message string }
	require.NoError(t, conn.ReadJSON(&status))

	q := &quiet{}
	shown{q, live}.PutEvent(&twinrig.Event{Kind: "recovery", Detail: "servo 4"})
	require.Equal(t, 1, q.events)
	_, frame, err := conn.ReadMessage()
	require.NoError(t, err)
	var e twinrig.Event
	require.NoError(t, json.Unmarshal(frame[13:], &e))
	require.Equal(t, "servo 4", e.Detail)

	require.NoError(t, closing.close())
	_, _, err = conn.ReadMessage()
	require.Error(t, err)
	_, err = http.Get("http" + url[2:])
	require.Error(t, err, "nobody listens any more")
}

func TestFoxgloveOnlyOnThisMachine(t *testing.T) {
	var closing closers
	_, err := showFoxglove("0.0.0.0:8765", "bench", nil, &closing, func(string) {})
	require.ErrorContains(t, err, "only this machine's own addresses")
}
