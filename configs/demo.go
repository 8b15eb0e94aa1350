package configs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"twinrig/sim/scene"
	"twinrig/sim/virtual"
)

// Demo is a study on the virtual rig.
type Demo struct {
	Rig     Rig            `yaml:"rig"`
	Virtual virtual.Config `yaml:"virtual"`
	Study   Study          `yaml:"study"`
	Design  Design         `yaml:"design"`
	// MQTTPort is where the embedded broker listens; 0 is any free port.
	MQTTPort int `yaml:"mqtt_port"`
	// Listen is where metrics and health are served, 127.0.0.1:PORT; empty is
	// nowhere.
	Listen string `yaml:"listen,omitempty"`
	// Foxglove is where Foxglove may look on, 127.0.0.1:PORT; empty is nowhere.
	Foxglove string `yaml:"foxglove,omitempty"`
}

// Study is the plan of the demo's study.
type Study struct {
	// Scenes are files, or names of shipped scenes; table2 is all of
	// Table2Scenes.
	Scenes []string `yaml:"scenes"`
	// Policies are what Contender understands.
	Policies []string `yaml:"policies"`
	// Placements is the number of placements drawn for each scene, Trials the
	// number of trials for each scene and policy.
	Placements int           `yaml:"placements"`
	Trials     int           `yaml:"trials"`
	Timeout    time.Duration `yaml:"timeout"`
	// Inference is the simulated inference time of the policies in lockstep;
	// live they take what they take.
	Inference time.Duration `yaml:"inference"`
	// PlaceSigma and PlaceYawSigma are how exactly the virtual operator puts
	// the objects where the plan wants them.
	PlaceSigma    float64 `yaml:"place_sigma_m"`
	PlaceYawSigma float64 `yaml:"place_yaw_sigma_rad"`
	// FrameEvery is the number of control steps between two recorded frames.
	FrameEvery int `yaml:"frame_every_steps"`
}

// Validate names the key that is wrong and its limit.
func (s *Study) Validate() error {
	switch {
	case len(s.Scenes) == 0:
		return errors.New("scenes: is empty")
	case len(s.Policies) == 0:
		return errors.New("policies: is empty")
	case s.Placements < 1 || s.Placements > 1000:
		return fmt.Errorf("placements: %d is outside 1 to 1000", s.Placements)
	case s.Trials < 1 || s.Trials > 10000:
		return fmt.Errorf("trials: %d is outside 1 to 10000", s.Trials)
	case s.Timeout < time.Second || s.Timeout > 10*time.Minute:
		return fmt.Errorf("timeout: %v is outside 1s to 10m", s.Timeout)
	case s.Inference < 0 || s.Inference > 10*time.Second:
		return fmt.Errorf("inference: %v is outside 0s to 10s", s.Inference)
	case !(s.PlaceSigma >= 0 && s.PlaceSigma <= 0.05):
		return fmt.Errorf("place_sigma_m: %g is outside 0 to 0.05", s.PlaceSigma)
	case !(s.PlaceYawSigma >= 0 && s.PlaceYawSigma <= 1):
		return fmt.Errorf("place_yaw_sigma_rad: %g is outside 0 to 1", s.PlaceYawSigma)
	case s.FrameEvery < 1 || s.FrameEvery > 1000:
		return fmt.Errorf("frame_every_steps: %d is outside 1 to 1000", s.FrameEvery)
	}
	for _, p := range s.Policies {
		if _, err := Contender(p); err != nil {
			return fmt.Errorf("policies: %w", err)
		}
	}
	return nil
}

// DemoFile is the shipped demo.
const DemoFile = "demo.yaml"

// LoadDemo reads a demo file, or the shipped one for an empty path.
func LoadDemo(path string) (Demo, error) { return loadDemo(path, DemoFile) }

// PlanFile is the shipped plan of a study.
const PlanFile = "table2.yaml"

// LoadPlan reads a study's plan, or the shipped one for an empty path.
func LoadPlan(path string) (Demo, error) { return loadDemo(path, PlanFile) }

func loadDemo(path, shipped string) (Demo, error) {
	var text []byte
	var err error
	if path == "" {
		path = shipped
		text, err = Shipped.ReadFile(path)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return Demo{}, fmt.Errorf("configs: %w", err)
	}
	d, err := ParseDemo(text, filepath.Dir(path))
	if err != nil {
		err = fmt.Errorf("configs: %s: %w", path, err)
	}
	return d, err
}

// ParseDemo reads the text of a study's configuration, over the defaults. Relative
// names of files in it are relative to dir.
func ParseDemo(text []byte, dir string) (Demo, error) {
	d := Demo{Rig: DefaultRig(), Virtual: virtual.DefaultConfig(), Design: DefaultDesign()}
	if err := decode(text, &d); err != nil {
		return d, err
	}
	if err := d.Validate(); err != nil {
		return d, err
	}
	if err := loadStatistics(&d.Rig.Remote.Normalization, dir); err != nil {
		return d, fmt.Errorf("rig: remote: normalization: statistics: %w", err)
	}
	return d, nil
}

// Validate names section and key of the first impossible value.
func (d *Demo) Validate() error {
	if err := d.Rig.Validate(); err != nil {
		return fmt.Errorf("rig: %w", err)
	}
	if err := d.Virtual.Validate(); err != nil {
		return fmt.Errorf("virtual: %w", err)
	}
	if err := d.Study.Validate(); err != nil {
		return fmt.Errorf("study: %w", err)
	}
	if err := d.Design.validate(d.Study.Policies); err != nil {
		return fmt.Errorf("design: %w", err)
	}
	if d.MQTTPort < 0 || d.MQTTPort > 65535 {
		return fmt.Errorf("mqtt_port: %d is outside 0 to 65535", d.MQTTPort)
	}
	return nil
}

// LoadScenes loads the study's.
func (s *Study) LoadScenes() ([]scene.Scene, error) {
	var scenes []scene.Scene
	for _, name := range s.Scenes {
		names := []string{name}
		if name == Table2 {
			names = Table2Scenes()
		}
		for _, name := range names {
			sc, err := Scene(name)
			if err != nil {
				return nil, err
			}
			scenes = append(scenes, sc)
		}
	}
	return scenes, nil
}

// Scene loads a scene by the name of a shipped one, or else from a file.
func Scene(name string) (scene.Scene, error) {
	if text, err := Shipped.ReadFile("scenes/" + name + ".yaml"); err == nil {
		s, err := scene.Parse(text)
		if err != nil {
			return s, fmt.Errorf("configs: scenes/%s.yaml: %w", name, err)
		}
		return s, nil
	}
	return scene.Load(name)
}
