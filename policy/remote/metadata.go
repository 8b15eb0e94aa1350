package remote

import (
	"fmt"
	"math"

	"twinrig/policy"
	"twinrig/policy/normalize"
	"twinrig/policy/npwire"
	"twinrig/policy/picture"
)

// metadataKey is where a server's metadata declares a contract.
const metadataKey = "twinrig"

// Metadata is the contract as a server declares it.
func (c *Contract) Metadata() npwire.Object {
	return npwire.Object{{Key: metadataKey, Value: c.declaration()}}
}

// declaration is all that is declared: texts and numbers.
func (c *Contract) declaration() npwire.Object {
	return npwire.Object{
		{Key: "space", Value: string(c.Space)},
		{Key: "rate_hz", Value: c.RateHz},
		{Key: "horizon", Value: int64(c.Horizon)},
		{Key: "execute", Value: int64(c.Execute)},
		{Key: "image_key", Value: c.Image.Key},
		{Key: "image_width_px", Value: int64(c.Image.Width)},
		{Key: "image_height_px", Value: int64(c.Image.Height)},
		{Key: "image_resize", Value: string(c.Image.Resize)},
		{Key: "state_key", Value: c.State.Key},
		{Key: "state_layout", Value: string(c.State.Layout)},
		{Key: "prompt_key", Value: c.PromptKey},
		{Key: "actions_key", Value: c.ActionsKey},
		{Key: "left_key", Value: c.LeftKey},
		{Key: "delay_key", Value: c.DelayKey},
		{Key: "normalization", Value: string(c.Normalization.Method)},
		{Key: "probe_key", Value: c.ProbeKey},
	}
}

// agree is the contract that c, as far as it goes, a server's metadata and the
// protocol's common keys come to.
func (c Contract) agree(metadata map[string]any, common *Contract) (Contract, error) {
	if err := c.merge(metadata); err != nil {
		return c, err
	}
	c.defaults(common)
	return c, c.complete()
}

// differs names the first thing that another contract declares otherwise.
func (c *Contract) differs(other *Contract) error {
	was, is := c.declaration(), other.declaration()
	for i := range was {
		if was[i].Value != is[i].Value {
			return fmt.Errorf("%s was %v and is %v", was[i].Key, was[i].Value, is[i].Value)
		}
	}
	return nil
}

// merge takes from a server's metadata what c does not say, and errs where the two
// differ.
func (c *Contract) merge(metadata map[string]any) error {
	v, ok := metadata[metadataKey]
	if !ok {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("the server's metadata has %T under %q, not a map", v, metadataKey)
	}
	d := declared{m: m}
	take(&d, "space", &c.Space, func(v any) (policy.Space, bool) { s, ok := v.(string); return policy.Space(s), ok })
	take(&d, "rate_hz", &c.RateHz, float)
	take(&d, "horizon", &c.Horizon, whole)
	take(&d, "execute", &c.Execute, whole)
	take(&d, "image_key", &c.Image.Key, text)
	take(&d, "image_width_px", &c.Image.Width, whole)
	take(&d, "image_height_px", &c.Image.Height, whole)
	take(&d, "image_resize", &c.Image.Resize, func(v any) (picture.Resize, bool) { s, ok := v.(string); return picture.Resize(s), ok })
	take(&d, "state_key", &c.State.Key, text)
	take(&d, "state_layout", &c.State.Layout, func(v any) (Layout, bool) { s, ok := v.(string); return Layout(s), ok })
	take(&d, "prompt_key", &c.PromptKey, text)
	take(&d, "actions_key", &c.ActionsKey, text)
	take(&d, "left_key", &c.LeftKey, text)
	take(&d, "delay_key", &c.DelayKey, text)
	take(&d, "normalization", &c.Normalization.Method, func(v any) (normalize.Method, bool) { s, ok := v.(string); return normalize.Method(s), ok })
	take(&d, "probe_key", &c.ProbeKey, text)
	return d.err
}

// declared is a server's declaration while it is read.
type declared struct {
	m   map[string]any
	err error
}

// take reads one key into at, if it is there and not empty.
func take[T comparable](d *declared, key string, at *T, read func(any) (T, bool)) {
	v, ok := d.m[key]
	if !ok || d.err != nil {
		return
	}
	got, ok := read(v)
	var zero T
	switch {
	case !ok:
		d.err = fmt.Errorf("the server's metadata has %s: %v", key, v)
	case got == zero:
	case *at == zero:
		*at = got
	case *at != got:
		d.err = fmt.Errorf("the rig file says that the policy's %s is %v, the server says %v", key, *at, got)
	}
}

func text(v any) (string, bool) { s, ok := v.(string); return s, ok }

func float(v any) (float64, bool) {
	f, err := npwire.Number(v)
	return f, err == nil
}

func whole(v any) (int, bool) {
	f, ok := float(v)
	return int(f), ok && f == math.Trunc(f) && math.Abs(f) < math.MaxInt32
}
