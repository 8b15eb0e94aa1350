package configs

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// whole names a number in text that was decoded into a whole one and is none: the
// decoder cuts off what is behind the point, without a word.
func whole(text []byte, decoded any) error {
	var said, took yaml.Node
	if err := yaml.Unmarshal(text, &said); err != nil {
		return err
	}
	if err := took.Encode(decoded); err != nil {
		return err
	}
	if said.Kind != yaml.DocumentNode {
		return nil // it is empty
	}
	return cut(said.Content[0], &took, "")
}

// cut compares two nodes, of which the second is the first as it was taken.
func cut(said, took *yaml.Node, key string) error {
	for said.Kind == yaml.AliasNode {
		said = said.Alias
	}
	switch {
	case said.Kind != took.Kind:
		return nil
	case said.Kind == yaml.ScalarNode:
		if said.ShortTag() != "!!float" || took.ShortTag() != "!!int" {
			return nil
		}
		a, errA := strconv.ParseFloat(said.Value, 64)
		b, errB := strconv.ParseFloat(took.Value, 64)
		if errA == nil && errB == nil && a != b {
			return fmt.Errorf("%s: %s must be a whole number (line %d)", key, said.Value, said.Line)
		}
	case said.Kind == yaml.SequenceNode:
		for i := range min(len(said.Content), len(took.Content)) {
			if err := cut(said.Content[i], took.Content[i], key); err != nil {
				return err
			}
		}
	case said.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(said.Content); i += 2 {
			name := said.Content[i].Value
			v := entry(took, name)
			if v == nil {
				continue
			}
			if err := cut(said.Content[i+1], v, join(key, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func entry(m *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	return nil
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + ": " + name
}
