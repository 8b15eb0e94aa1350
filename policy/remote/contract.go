// Package remote makes a policy of a server that answers observations over openpi's
// or the REST protocol. What the server expects and what its numbers mean is
// declared: by its metadata, or by the rig file. It is never guessed.
package remote

import (
	"errors"
	"fmt"

	"twinrig/policy"
	"twinrig/policy/normalize"
	"twinrig/policy/picture"
)

// Contract is what a policy server expects and promises. An empty field is taken
// from the server's metadata, under the key "twinrig"; keys of the protocol have
// defaults. Where both say something, they must say the same.
type Contract struct {
	// Space, RateHz, Horizon and Execute are policy.Spec's.
	Space   policy.Space `yaml:"space,omitempty"`
	RateHz  float64      `yaml:"rate_hz,omitempty"`
	Horizon int          `yaml:"horizon,omitempty"`
	Execute int          `yaml:"execute,omitempty"`

	Image Image `yaml:"image,omitempty"`
	State State `yaml:"state,omitempty"`
	// Normalization says who takes numbers from and to physical units.
	Normalization Normalization `yaml:"normalization,omitempty"`
	// PromptKey is where the instruction goes, ActionsKey where the answer is;
	// a REST answer is the actions.
	PromptKey  string `yaml:"prompt_key,omitempty"`
	ActionsKey string `yaml:"actions_key,omitempty"`
	// ProbeKey is where a server may be asked for one known action instead of its
	// own, by the name of the number; empty if it cannot be asked. Servers alone
	// declare it.
	ProbeKey string `yaml:"-"`
	// LeftKey and DelayKey are for policies that continue what is under way
	// (policy.RealTime): where the actions go that are planned already, of shape
	// [n, 7], and how many of them will be begun before the answer can be. Nothing
	// is sent where they are empty, or nothing is planned.
	LeftKey  string `yaml:"left_key,omitempty"`
	DelayKey string `yaml:"delay_key,omitempty"`
	// Extra is sent along with each observation, as OpenVLA's unnorm_key.
	Extra map[string]string `yaml:"extra,omitempty"`
	// APIKeyEnv names the environment variable that has the server's key, if it
	// wants one. A key has no place in a rig file.
	APIKeyEnv string `yaml:"api_key_env,omitempty"`
}

// Image says how the camera's picture is sent: RGB, one byte a channel, of shape
// [height, width, 3].
type Image struct {
	// Key is where it goes; "none" sends no picture.
	Key string `yaml:"key,omitempty"`
	// Width and Height are the size sent; with resize none, the camera's own.
	Width  int            `yaml:"width_px,omitempty"`
	Height int            `yaml:"height_px,omitempty"`
	Resize picture.Resize `yaml:"resize,omitempty"`
}

// Layout names the numbers of the state that is sent.
type Layout string

const (
	// NoState sends none.
	NoState Layout = "none"
	// BridgeState is policy.BridgeState: x y z (m), roll pitch yaw (rad), gripper.
	BridgeState Layout = "bridge"
	// JointState is six joints (rad), base first, and the gripper, 0 closed to 1
	// open.
	JointState Layout = "joints"
)

// State says how proprioception is sent: float32 of shape [7].
type State struct {
	Key    string `yaml:"key,omitempty"`
	Layout Layout `yaml:"layout,omitempty"`
}

// Normalization says how a server's numbers relate to physical units: by default they
// are physical, and the server does what its model needs.
type Normalization struct {
	Method normalize.Method `yaml:"method,omitempty"`
	// Statistics is the file of the training data's, and Dataset the entry in it
	// where it has several.
	Statistics string `yaml:"statistics,omitempty"`
	Dataset    string `yaml:"dataset,omitempty"`
	// Loaded are those statistics; whoever reads the rig file loads them.
	Loaded *normalize.Statistics `yaml:"-"`
}

func (n *Normalization) validate() error {
	switch {
	case n.Method != "" && !n.Method.Known():
		return fmt.Errorf("normalization.method is %q, must be %s, %s, %s or %s", n.Method, normalize.Server, normalize.Bounds, normalize.Quantile, normalize.ZScore)
	case n.own() && n.Statistics == "":
		return fmt.Errorf("normalization.statistics names no file, which the method %s needs", n.Method)
	case !n.own() && n.Statistics != "":
		return errors.New("normalization.statistics are not used by the method server: name another method, or leave them out")
	}
	return nil
}

// own tells whether this side takes numbers from and to physical units.
func (n *Normalization) own() bool { return n.Method != "" && n.Method != normalize.Server }

// off is the key of what is not sent.
const off = "none"

// maxPicture bounds either side of a picture, px.
const maxPicture = 4096

// Spec is the contract's, as the broker takes it.
func (c *Contract) Spec() policy.Spec {
	return policy.Spec{Space: c.Space, RateHz: c.RateHz, Horizon: c.Horizon, Execute: c.Execute}
}

// WantsPicture tells whether the server is sent the camera's picture.
func (c *Contract) WantsPicture() bool { return c.Image.Key != off }

// Validate names the first key that is impossible. Empty ones are possible.
func (c *Contract) Validate() error {
	spec := c.Spec()
	for _, f := range []struct {
		empty bool
		set   func()
	}{
		{c.Space == "", func() { spec.Space = policy.BridgeDelta }},
		{c.RateHz == 0, func() { spec.RateHz = 5 }},
		{c.Horizon == 0, func() { spec.Horizon = max(1, c.Execute) }},
		{c.Execute == 0, func() { spec.Execute = 1 }},
	} {
		if f.empty {
			f.set()
		}
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	i := c.Image
	switch {
	case i.Resize != "" && !i.Resize.Known():
		return fmt.Errorf("image.resize is %q, must be %s, %s or %s", i.Resize, picture.None, picture.Pad, picture.Lanczos)
	case i.Width < 0 || i.Width > maxPicture || i.Height < 0 || i.Height > maxPicture || (i.Width == 0) != (i.Height == 0):
		return fmt.Errorf("image is %dx%d px, must be 1 to %d either way", i.Width, i.Height, maxPicture)
	}
	switch c.State.Layout {
	case "", NoState, BridgeState, JointState:
	default:
		return fmt.Errorf("state.layout is %q, must be %s, %s or %s", c.State.Layout, NoState, BridgeState, JointState)
	}
	return c.Normalization.validate()
}

// complete tells what nobody has declared.
func (c *Contract) complete() error {
	for _, f := range []struct {
		key   string
		empty bool
	}{
		{"space", c.Space == ""},
		{"rate_hz", c.RateHz == 0},
		{"horizon", c.Horizon == 0},
		{"execute", c.Execute == 0},
	} {
		if f.empty {
			return fmt.Errorf("nobody declares %s: the server's metadata does not, so remote.%s in the rig file must (never guessed, for a wrong guess moves the arm wrongly)", f.key, f.key)
		}
	}
	if i := &c.Image; c.WantsPicture() && i.Resize != picture.None && i.Width == 0 {
		return fmt.Errorf("nobody declares the size to which image.resize %s brings the picture: remote.image.width_px and height_px in the rig file must", i.Resize)
	}
	if err := c.distinct(); err != nil {
		return err
	}
	return c.Validate()
}

// distinct tells which key would be sent twice, so that the server may take either.
func (c *Contract) distinct() error {
	seen := map[string]string{}
	for _, f := range []struct{ what, key string }{
		{"image.key", c.Image.Key},
		{"state.key", c.State.Key},
		{"prompt_key", c.PromptKey},
		{"left_key", c.LeftKey},
		{"delay_key", c.DelayKey},
		{"probe_key", c.ProbeKey},
	} {
		if f.key == "" || f.key == off || f.what == "state.key" && c.State.Layout == NoState {
			continue
		}
		if other := seen[f.key]; other != "" {
			return fmt.Errorf("%s and %s are both %q", other, f.what, f.key)
		}
		seen[f.key] = f.what
	}
	for k := range c.Extra {
		if other := seen[k]; other != "" {
			return fmt.Errorf("extra has %q, which is %s already", k, other)
		}
	}
	return nil
}

// defaults fills in the protocol's keys.
func (c *Contract) defaults(d *Contract) {
	fill(&c.Image.Key, d.Image.Key)
	fill(&c.Image.Resize, d.Image.Resize)
	if c.Image.Width == 0 {
		c.Image.Width, c.Image.Height = d.Image.Width, d.Image.Height
	}
	fill(&c.State.Key, d.State.Key)
	fill(&c.State.Layout, d.State.Layout)
	fill(&c.Normalization.Method, normalize.Server)
	fill(&c.PromptKey, d.PromptKey)
	fill(&c.ActionsKey, d.ActionsKey)
}

func fill[T comparable](at *T, v T) {
	var zero T
	if *at == zero {
		*at = v
	}
}

// openpiDefaults and restDefaults are what servers of the two protocols commonly
// have: openpi's own policies, and OpenVLA's deployment script, which resizes by
// itself and has no proprioception.
var (
	openpiDefaults = Contract{
		Image:     Image{Key: "observation/image", Width: 224, Height: 224, Resize: picture.Pad},
		State:     State{Key: "observation/state", Layout: BridgeState},
		PromptKey: "prompt", ActionsKey: "actions",
	}
	restDefaults = Contract{
		Image:     Image{Key: "image", Resize: picture.None},
		State:     State{Key: "proprio", Layout: NoState},
		PromptKey: "instruction", ActionsKey: "actions",
	}
)
