package remote

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
	"twinrig/policy/npwire"
	"twinrig/policy/openpi"
	"twinrig/policy/picture"
	"twinrig/policy/rest"
)

// echo answers with the joints it was shown and counts its resets.
type echo struct {
	resets int
	saw    twinrig.Observation
}

func (*echo) Spec() policy.Spec {
	return policy.Spec{Space: policy.BridgeDeltaContinuous, RateHz: 4, Horizon: 2, Execute: 1}
}

func (e *echo) Reset(context.Context) error { e.resets++; return nil }

func (e *echo) Act(_ context.Context, o *twinrig.Observation) (policy.Chunk, error) {
	e.saw = *o
	a := twinrig.Action{0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.7}
	return policy.Chunk{a, a}, nil
}

// serving is a server of e under a protocol, and its URL.
func serving(t *testing.T, e *echo, protocol, key string) string {
	s, err := Serve(e, protocol, 0)
	require.NoError(t, err)
	if protocol == "rest" {
		server := httptest.NewServer(rest.NewHandler(s, key))
		t.Cleanup(server.Close)
		return "rest+" + server.URL + "/act"
	}
	server := httptest.NewServer(openpi.NewHandler(s, key))
	t.Cleanup(server.Close)
	return "openpi+ws" + strings.TrimPrefix(server.URL, "http")
}

// A policy over either protocol is the policy itself: nothing need be said of it in
// the rig file.
func TestServedPolicyIsThePolicy(t *testing.T) {
	for _, protocol := range []string{"openpi", "rest"} {
		t.Run(protocol, func(t *testing.T) {
			e := &echo{}
			t.Setenv("TWINRIG_TEST_KEY", "k-17")
			p, err := Open(t.Context(), serving(t, e, protocol, "k-17"), Contract{APIKeyEnv: "TWINRIG_TEST_KEY"}, flat{})
			require.NoError(t, err)
			defer p.Close()
			require.Equal(t, e.Spec(), p.Spec())
			require.NoError(t, p.Reset(t.Context()))
			o := twinrig.Observation{Instruction: "put it there"}
			o.State.Measured, o.State.Grip = twinrig.Joints{0.125, -0.25, 0.375, 0.5, -0.625, 0.75}, 0.875
			chunk, err := p.Act(t.Context(), &o)
			require.NoError(t, err)
			want, _ := e.Act(t.Context(), &e.saw)
			require.Equal(t, want, chunk)
			require.Equal(t, o.State.Measured, e.saw.State.Measured)
			require.InDelta(t, 0.875, float64(e.saw.State.Grip), 0)
			require.Equal(t, o.Instruction, e.saw.Instruction)
			if protocol == "openpi" {
				require.Equal(t, 2, e.resets, "once for each connection")
			} else {
				require.Equal(t, 1, e.resets)
			}
		})
	}
}

func TestWrongKey(t *testing.T) {
	for _, protocol := range []string{"openpi", "rest"} {
		url := serving(t, &echo{}, protocol, "k-17")
		p, err := Open(t.Context(), url, Contract{}, flat{})
		if err == nil { // health asks for no key
			_, err = p.Act(t.Context(), &twinrig.Observation{})
			p.Close()
		}
		require.ErrorContains(t, err, "401")
	}
}

func TestNobodyDeclares(t *testing.T) {
	url := openpiServer(t, frame{2, []byte{0x80}}, nil, false)
	for key, c := range map[string]Contract{
		"space":   {},
		"rate_hz": {Space: policy.BridgeDelta},
		"horizon": {Space: policy.BridgeDelta, RateHz: 5},
		"execute": {Space: policy.BridgeDelta, RateHz: 5, Horizon: 4},
	} {
		_, err := Open(t.Context(), url, c, flat{})
		require.ErrorContains(t, err, "nobody declares "+key)
		require.ErrorContains(t, err, "remote."+key+" in the rig file must")
	}
}

func TestServerAndRigFileDiffer(t *testing.T) {
	url := serving(t, &echo{}, "openpi", "")
	_, err := Open(t.Context(), url, Contract{Space: policy.BridgeDelta}, flat{})
	require.ErrorContains(t, err, "the rig file says that the policy's space is bridge_delta, the server says bridge_delta_continuous")
	_, err = Open(t.Context(), url, Contract{RateHz: 10}, flat{})
	require.ErrorContains(t, err, "rate_hz is 10, the server says 4")
	declares := npwire.Object{{Key: "twinrig", Value: npwire.Object{{Key: "horizon", Value: "four"}}}}
	_, err = Open(t.Context(), openpiServer(t, frame{2, pack(t, declares)}, nil, false), Contract{}, flat{})
	require.ErrorContains(t, err, "the server's metadata has horizon: four")
}

// What is sent to a server that was trained on Bridge.
func TestMessage(t *testing.T) {
	c := bridge4
	c.Image = Image{}
	c.Extra = map[string]string{"unnorm_key": "bridge_orig"}
	c.defaults(&openpiDefaults)
	p := &Policy{contract: c, kin: flat{}}
	o := twinrig.Observation{Instruction: "go", Frames: []twinrig.Frame{{W: 2, H: 1, RGB: []byte{10, 20, 30, 10, 20, 30}}}}
	o.State.Measured = twinrig.Joints{0.3, 0.1, 0.2, 0.4, 0.5, 0.6}
	msg, err := p.message(&o)
	require.NoError(t, err)
	keys := make([]string, len(msg))
	for i, f := range msg {
		keys[i] = f.Key
	}
	require.Equal(t, []string{"observation/image", "observation/state", "prompt", "unnorm_key"}, keys)
	img := msg[0].Value.(*npwire.Array)
	require.Equal(t, []int{224, 224, 3}, img.Shape)
	require.Equal(t, []byte{10, 20, 30}, img.Data[3*(112*224+112):][:3], "red first")
	require.Equal(t, []byte{0, 0, 0}, img.Data[:3], "padded")
	state, err := msg[1].Value.(*npwire.Array).Floats()
	require.NoError(t, err)
	want := policy.StateFromPose(flat{}.Forward(o.State.Measured), 0)
	require.InDeltaSlice(t, want[:], state, 1e-6)

	o.Frames = nil
	_, err = p.message(&o)
	require.ErrorContains(t, err, "wants a picture, and there is no camera")
}

func TestContractValidate(t *testing.T) {
	for says, c := range map[string]Contract{
		`space "joint"`:       {Space: "joint"},
		"rate_hz is 500":      {RateHz: 500},
		"horizon is 1000":     {Horizon: 1000},
		"execute is 9":        {Horizon: 4, Execute: 9},
		`resize is "nearest"`: {Image: Image{Resize: "nearest"}},
		"image is 224x0":      {Image: Image{Width: 224, Resize: picture.Pad}},
		`layout is "euler"`:   {State: State{Layout: "euler"}},
	} {
		require.ErrorContains(t, c.Validate(), says)
	}
	require.NoError(t, (&Contract{}).Validate())
}

// What only shows when both sides have spoken.
func TestContractComplete(t *testing.T) {
	for says, change := range map[string]func(*Contract){
		`size to which image.resize lanczos`:         func(c *Contract) { c.Image.Resize = picture.Lanczos },
		`image.key and prompt_key are both "x"`:      func(c *Contract) { c.Image.Key, c.PromptKey = "x", "x" },
		`prompt_key and left_key are both "x"`:       func(c *Contract) { c.PromptKey, c.LeftKey = "x", "x" },
		`extra has "x", which is prompt_key already`: func(c *Contract) { c.PromptKey, c.Extra = "x", map[string]string{"x": "y"} },
		"nobody declares execute":                    func(c *Contract) { c.Execute = 0 },
	} {
		c := bridge4
		c.Image = Image{}
		change(&c)
		_, err := c.agree(nil, &restDefaults)
		require.ErrorContains(t, err, says)
	}
	c := bridge4
	_, err := c.agree(nil, &openpiDefaults)
	require.NoError(t, err)
}

func TestCheckURL(t *testing.T) {
	for _, good := range []string{"openpi+ws://gpu:8000", "openpi+wss://h", "rest+http://10.0.0.2:8000/act", "rest+https://h/act"} {
		require.NoError(t, CheckURL(good))
		require.True(t, IsURL(good))
	}
	for _, bad := range []string{"", "expert", "ws://gpu:8000", "openpi+ws://", "http://h/act", "openpi+ws://user:secret@h", "openpi+ws://gpu:65536", "rest+http://gpu:0/act"} {
		err := CheckURL(bad)
		require.Error(t, err, bad)
		require.NotContains(t, err.Error(), "secret")
	}
}

// A server that was restarted is found again; one that came back as another policy
// is not.
func TestServerComesBack(t *testing.T) {
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	defer server.Close()
	first, err := Serve(&echo{}, "openpi", 0)
	require.NoError(t, err)
	handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		_ = conn.WriteMessage(websocket.BinaryMessage, pack(t, first.Metadata()))
		_, _, _ = conn.ReadMessage()
		_ = conn.Close()
	})
	p, err := Open(t.Context(), "openpi+ws"+strings.TrimPrefix(server.URL, "http"), Contract{}, flat{})
	require.NoError(t, err)
	defer p.Close()

	handler = openpi.NewHandler(first, "")
	_, err = p.Act(t.Context(), &twinrig.Observation{})
	require.ErrorContains(t, err, "connection lost")
	_, err = p.Act(t.Context(), &twinrig.Observation{})
	require.NoError(t, err)

	p.Close()
	first.contract.RateHz = 9
	handler = openpi.NewHandler(first, "")
	_, err = p.Act(t.Context(), &twinrig.Observation{})
	require.ErrorContains(t, err, "the server came back as another policy: rate_hz was 4 and is 9")

	// What is declared no more is not still so.
	handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		_ = conn.WriteMessage(websocket.BinaryMessage, []byte{0x80})
		_, _, _ = conn.ReadMessage()
		_ = conn.Close()
	})
	_, err = p.Act(t.Context(), &twinrig.Observation{})
	require.ErrorContains(t, err, "the server came back as another policy: nobody declares space")
}
