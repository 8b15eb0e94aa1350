// Package configs composes the packages' configurations into files: strict,
// complete, and checked before anything moves.
package configs

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"twinrig/agent"
	"twinrig/agent/record"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/calib"
	"twinrig/drivers/camera"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/serial"
	"twinrig/drivers/widowx"
	"twinrig/policy"
	"twinrig/policy/normalize"
	"twinrig/policy/remote"
	"twinrig/sim/mirror"
)

// Shipped are the files beside this one.
//
//go:embed *.yaml scenes/*.yaml statistics/*.yaml
var Shipped embed.FS

// Rig is one robot cell. Sections equal packages.
type Rig struct {
	Name   string           `yaml:"name"`
	Serial serial.Config    `yaml:"serial"`
	Bus    dynamixel.Config `yaml:"bus"`
	Arm    widowx.Config    `yaml:"arm"`
	Camera camera.Config    `yaml:"camera"`
	// Calib is the path of the calibration record, relative to this file;
	// empty is the arm as shipped, nothing measured.
	Calib  string        `yaml:"calib"`
	Loop   agent.Config  `yaml:"loop"`
	Policy policy.Config `yaml:"policy"`
	Mirror mirror.Config `yaml:"mirror"`
	Record record.Config `yaml:"record"`
	MQTT   mqtt.Config   `yaml:"mqtt"`
	// PolicyServer is the URL of the rig's policy server, if it has one:
	// "openpi+ws://gpu:8000" or "rest+http://gpu:8000/act". The doctor looks at it.
	PolicyServer string `yaml:"policy_server,omitempty"`
	// Remote is the contract with policy servers, as far as they do not declare
	// it themselves.
	Remote remote.Contract `yaml:"remote,omitempty"`
}

// DefaultRig is a WidowX 250S on a U2D2 with a C922, as shipped.
func DefaultRig() Rig {
	return Rig{
		Name:   "widowx250s",
		Serial: serial.Default(),
		Bus:    dynamixel.Default(),
		Arm:    widowx.Default(),
		Camera: camera.DefaultConfig(),
		Loop:   agent.DefaultConfig(),
		Policy: policy.DefaultConfig(),
		Mirror: mirror.DefaultConfig(),
		Record: record.DefaultConfig(),
		MQTT:   mqtt.DefaultConfig(),
	}
}

// Validate names section and key of the first impossible value.
func (r *Rig) Validate() error {
	if r.Name == "" {
		return errors.New("name: is empty")
	}
	for _, s := range []struct {
		section string
		err     error
	}{
		{"serial", r.Serial.Validate()},
		{"bus", r.Bus.Validate()},
		{"arm", r.Arm.Validate()},
		{"camera", r.Camera.Validate()},
		{"loop", r.Loop.Validate()},
		{"policy", r.Policy.Validate()},
		{"mirror", r.Mirror.Validate()},
		{"record", r.Record.Validate()},
		{"mqtt", r.MQTT.Validate()},
		{"policy_server", checkServer(r.PolicyServer)},
		{"remote", r.Remote.Validate()},
	} {
		if s.err != nil {
			return fmt.Errorf("%s: %w", s.section, s.err)
		}
	}
	if r.Bus.Baud != r.Serial.Baud {
		return fmt.Errorf("bus.baud: %d is not serial.baud %d", r.Bus.Baud, r.Serial.Baud)
	}
	if r.Arm.Watchdog > 0 && r.Arm.Watchdog < 4*r.Loop.Period() {
		return fmt.Errorf("arm.watchdog: %v is less than four loop periods of %v", r.Arm.Watchdog, r.Loop.Period())
	}
	return nil
}

// checkServer tells whether an address may be a policy server's.
func checkServer(address string) error {
	if address == "" {
		return nil
	}
	return remote.CheckURL(address)
}

// Calibration loads the record that the rig names, or the nominal one.
func (r *Rig) Calibration() (*calib.Record, error) {
	if r.Calib == "" {
		return calib.Nominal(), nil
	}
	return calib.Load(r.Calib)
}

// LoadRig reads a rig file: defaults, then the file, strictly, then validation.
// Relative paths in it become relative to the file.
func LoadRig(path string) (Rig, error) {
	r := DefaultRig()
	text, err := os.ReadFile(path)
	if err != nil {
		return r, fmt.Errorf("configs: %w", err)
	}
	if err := decode(text, &r); err != nil {
		return r, fmt.Errorf("configs: %s: %w", path, err)
	}
	files := []*string{&r.Calib, &r.MQTT.QueueFile, &r.MQTT.PasswordFile, &r.MQTT.CAFile, &r.MQTT.CertFile, &r.MQTT.KeyFile}
	for i := range r.MQTT.Commands {
		files = append(files, &r.MQTT.Commands[i].KeyFile)
	}
	for _, p := range files {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(filepath.Dir(path), *p)
		}
	}
	if err := r.Validate(); err != nil {
		return r, fmt.Errorf("configs: %s: %w", path, err)
	}
	if err := loadStatistics(&r.Remote.Normalization, filepath.Dir(path)); err != nil {
		return r, fmt.Errorf("configs: %s: remote: normalization: statistics: %w", path, err)
	}
	return r, nil
}

// loadStatistics loads those that n names: shipped ones, or a file relative to dir, which
// n then names completely.
func loadStatistics(n *remote.Normalization, dir string) error {
	if n.Statistics == "" {
		return nil
	}
	text, err := Shipped.ReadFile("statistics/" + n.Statistics + ".yaml")
	if err != nil {
		if !filepath.IsAbs(n.Statistics) {
			n.Statistics = filepath.Join(dir, n.Statistics)
		}
		if n.Statistics, err = filepath.Abs(n.Statistics); err != nil {
			return err
		}
		if text, err = os.ReadFile(n.Statistics); err != nil {
			return err
		}
	}
	n.Loaded, err = normalize.Parse(text, n.Dataset)
	return err
}

// decode is strict: an unknown key is an error that names it and its line, and so is a
// fraction where a whole number belongs.
func decode(text []byte, into any) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("more than one document")
	}
	return whole(text, into)
}
