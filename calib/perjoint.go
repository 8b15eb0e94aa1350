package calib

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"twinrig"
)

// PerJoint is one value per joint, base first. In a file it is a mapping with
// each joint's name once, so that nobody counts positions.
type PerJoint twinrig.Joints

// MarshalYAML writes the joints by name, base first.
func (p PerJoint) MarshalYAML() (any, error) {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for i, v := range p {
		var k, val yaml.Node
		k.SetString(twinrig.AxisNames[i])
		if err := val.Encode(v); err != nil {
			return nil, err
		}
		n.Content = append(n.Content, &k, &val)
	}
	return n, nil
}

// UnmarshalYAML reads a mapping that names each joint exactly once.
func (p *PerJoint) UnmarshalYAML(n *yaml.Node) error {
	m := map[string]float64{}
	if err := n.Decode(&m); err != nil {
		return err
	}
	names := twinrig.AxisNames[:twinrig.NumJoints]
	for i, name := range names {
		v, ok := m[name]
		if !ok {
			return fmt.Errorf("line %d: %s is missing", n.Line, name)
		}
		p[i] = v
	}
	if len(m) != len(names) {
		return fmt.Errorf("line %d: has a name that is none of the joints %s", n.Line, strings.Join(names, ", "))
	}
	return nil
}

func (p PerJoint) inRange(key string, lo, hi float64) error {
	for i, v := range p {
		if err := inRange(key+"."+twinrig.AxisNames[i], v, lo, hi); err != nil {
			return err
		}
	}
	return nil
}
