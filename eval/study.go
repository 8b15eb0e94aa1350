package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Study is the frozen plan of an evaluation. It is written once, before the
// first trial, and never changed.
type Study struct {
	// Name is the study's folder under studies/.
	Name string `yaml:"name"`
	// Virtual tells that the arm is the virtual rig: every report says so.
	Virtual bool `yaml:"virtual"`
	// Scenes and Policies are crossed: each policy meets each placement.
	Scenes   []Scene  `yaml:"scenes"`
	Policies []Policy `yaml:"policies"`
	// Trials is the number of counted trials for each scene and policy. They
	// go through the scene's placements in turn.
	Trials int `yaml:"trials"`
	// OrderSeed draws the order of the trials and each trial's own seed.
	OrderSeed uint64 `yaml:"order_seed"`
	// Timeout ends a trial that has not succeeded.
	Timeout time.Duration `yaml:"timeout"`
	// MaxAttempts bounds how often one trial is run until it counts.
	MaxAttempts int `yaml:"max_attempts"`
	// VerdictSource says who judges, such as "operator" or "virtual world's
	// truth".
	VerdictSource string `yaml:"verdict_source"`
	// Calibration is the digest of the rig's calibration record.
	Calibration string `yaml:"calibration,omitempty"`
	// Primary is the metric that is tested; the others are descriptive. Empty
	// is SR.
	Primary string `yaml:"primary,omitempty"`
	// Stop may end the study early; nil: it does not.
	Stop *StopRule `yaml:"stop,omitempty"`
	// Power says in words what differences the plan can find.
	Power string `yaml:"power,omitempty"`
	// Commitment is that of the Seal of a blinded study, whose policies are
	// letters until it is closed; empty for an open one.
	Commitment string `yaml:"commitment,omitempty"`
	// Imported says where outcomes come from that this program did not make;
	// such a study is reported, never run.
	Imported *Imported `yaml:"imported,omitempty"`
	// Config is the complete resolved configuration of the rig as text, and
	// ConfigSHA256 its digest (hex).
	Config       string `yaml:"config"`
	ConfigSHA256 string `yaml:"config_sha256"`
}

// Imported is what is not known of outcomes from elsewhere.
type Imported struct {
	// File and SHA256 name the file.
	File   string `yaml:"file"`
	SHA256 string `yaml:"sha256"`
	// Unpaired: trials of two policies with one placement id need not have met
	// the same placement.
	Unpaired bool `yaml:"unpaired"`
	// Unordered: nothing is known of the order of the trials.
	Unordered bool `yaml:"unordered"`
	// MomentsOnly: of the times only mean and spread of each scene are known;
	// single ones are stand-ins that have these.
	MomentsOnly bool `yaml:"moments_only"`
}

// Scene is one task with its placements.
type Scene struct {
	Name        string `yaml:"name"`
	Instruction string `yaml:"instruction"`
	// Definition is the scene's own file as text, frozen with the plan.
	Definition string      `yaml:"definition,omitempty"`
	Placements []Placement `yaml:"placements"`
}

// Placement is where each object of a scene stands, by the object's name. A
// placement's id is its index in its scene.
type Placement map[string]Spot

// Spot is an object's position on the table and its yaw, in the arm's base
// frame.
type Spot struct {
	X   float64 `yaml:"x_m" json:"x_m"`
	Y   float64 `yaml:"y_m" json:"y_m"`
	Yaw float64 `yaml:"yaw_rad" json:"yaw_rad"`
}

// Policy names one contender.
type Policy struct {
	Name string `yaml:"name"`
	// Source is where its actions come from, as a rig's runner understands it:
	// a server's URL, or a built-in policy. Empty for outcomes from elsewhere.
	Source string `yaml:"source,omitempty"`
	// Checkpoint identifies the exact weights or version, such as a digest.
	Checkpoint string `yaml:"checkpoint,omitempty"`
}

// Digest returns the SHA-256 of a text, as hex.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Total is the number of trials that the study wants counted.
func (s *Study) Total() int { return len(s.Scenes) * len(s.Policies) * s.Trials }

// nameRule: names become parts of trial ids, and with them of file names.
var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// Validate names the first key that is wrong, and its limit.
func (s *Study) Validate() error {
	if !nameRule.MatchString(s.Name) {
		return fmt.Errorf("name %q must be letters, digits, '_', '.' and '-'", s.Name)
	}
	if err := s.validateScenes(); err != nil {
		return err
	}
	if len(s.Policies) == 0 {
		return errors.New("policies must name at least one policy")
	}
	seen := map[string]bool{}
	for i, p := range s.Policies {
		if !nameRule.MatchString(p.Name) {
			return fmt.Errorf("policies[%d].name %q must be letters, digits, '_', '.' and '-'", i, p.Name)
		}
		if seen[p.Name] {
			return fmt.Errorf("policies[%d].name %q is there twice", i, p.Name)
		}
		seen[p.Name] = true
	}
	switch {
	case s.Trials < 1:
		return fmt.Errorf("trials is %d, must be at least 1", s.Trials)
	case s.Timeout <= 0:
		return fmt.Errorf("timeout is %v, must be positive", s.Timeout)
	case s.MaxAttempts < 1:
		return fmt.Errorf("max_attempts is %d, must be at least 1", s.MaxAttempts)
	case s.Primary != "" && s.Primary != PrimarySR:
		return fmt.Errorf("primary is %q, must be %s: it is what the tests are about", s.Primary, PrimarySR)
	case s.VerdictSource == "":
		return errors.New("verdict_source must say who judges")
	case s.ConfigSHA256 != Digest(s.Config):
		return fmt.Errorf("config_sha256 is %q, but config's digest is %q", s.ConfigSHA256, Digest(s.Config))
	}
	return s.Stop.validate(s.Policies)
}

// PrimarySR is the success rate as the primary metric.
const PrimarySR = "sr"

func (s *Study) validateScenes() error {
	if len(s.Scenes) == 0 {
		return errors.New("scenes must name at least one scene")
	}
	seen := map[string]bool{}
	for i, sc := range s.Scenes {
		switch {
		case !nameRule.MatchString(sc.Name):
			return fmt.Errorf("scenes[%d].name %q must be letters, digits, '_', '.' and '-'", i, sc.Name)
		case seen[sc.Name]:
			return fmt.Errorf("scenes[%d].name %q is there twice", i, sc.Name)
		case sc.Instruction == "":
			return fmt.Errorf("scenes[%d].instruction must say what the policy is told", i)
		case len(sc.Placements) == 0:
			return fmt.Errorf("scenes[%d].placements must hold at least one placement", i)
		}
		seen[sc.Name] = true
	}
	return nil
}
