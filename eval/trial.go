package eval

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Trial is one entry of a study, complete in itself: running it needs nothing
// else but the rig, and running it twice is harmless.
type Trial struct {
	// ID is unique within the study and fit for a file name.
	ID string `json:"id"`
	// Study names the study, ConfigSHA256 its configuration.
	Study        string `json:"study"`
	ConfigSHA256 string `json:"config_sha256"`
	// Order is the trial's place in the study, from 0. Attempt counts how often
	// it was begun before: an attempt that does not count is repeated with the
	// same placement and another seed, one that was cut short with the same seed.
	Order   int `json:"order"`
	Attempt int `json:"attempt"`
	// Scene, Instruction and Placement are the task; PlacementID is the
	// placement's index in its scene.
	Scene       string    `json:"scene"`
	Instruction string    `json:"instruction"`
	PlacementID int       `json:"placement_id"`
	Placement   Placement `json:"placement"`
	// Policy, Source and Checkpoint are the contender.
	Policy     string `json:"policy"`
	Source     string `json:"source,omitempty"`
	Checkpoint string `json:"checkpoint,omitempty"`
	// Seed draws all that is random in the trial. Policies that meet the same
	// placement in the same round share it.
	Seed uint64 `json:"seed"`
	// Timeout is when to stop, in s after the first action.
	Timeout float64 `json:"timeout_s"`
}

// slot is one cell of the plan: which scene, which round, which policy.
type slot struct{ scene, round, policy int }

// Streams of the random numbers drawn from OrderSeed.
const (
	orderStream = iota
	trialStream
)

// order draws the order of the trials. A block is one placement of one scene
// with every policy once: blocks come in random order, and so do the policies
// within each, so that no policy has the morning light to itself and nobody
// knows who is next. The objects are placed once for each block.
func (s *Study) order() []slot {
	rng := rand.New(rand.NewPCG(s.OrderSeed, orderStream))
	slots := make([]slot, 0, s.Total())
	for _, block := range rng.Perm(len(s.Scenes) * s.Trials) {
		for _, policy := range rng.Perm(len(s.Policies)) {
			slots = append(slots, slot{block / s.Trials, block % s.Trials, policy})
		}
	}
	return slots
}

// Plan returns the trials in order, each as its first attempt.
func (s *Study) Plan() []Trial {
	trials := make([]Trial, 0, s.Total())
	for i, sl := range s.order() {
		trials = append(trials, s.trial(i, 0, 0, sl))
	}
	return trials
}

// trial is one attempt of the plan: attempt counts how often it was begun before,
// wasted how often it ended without counting. The seed goes by the latter, so
// that a trial that was cut short is run again as it would have been.
func (s *Study) trial(order, attempt, wasted int, sl slot) Trial {
	scene, policy := s.Scenes[sl.scene], s.Policies[sl.policy]
	placement := sl.round % len(scene.Placements)
	id := fmt.Sprintf("%04d-%s-p%d-%s", order, scene.Name, placement, policy.Name)
	if attempt > 0 {
		id += fmt.Sprintf("-again%d", attempt)
	}
	return Trial{
		ID: id, Study: s.Name, ConfigSHA256: s.ConfigSHA256,
		Order: order, Attempt: attempt,
		Scene: scene.Name, Instruction: scene.Instruction,
		PlacementID: placement, Placement: scene.Placements[placement],
		Policy: policy.Name, Source: policy.Source, Checkpoint: policy.Checkpoint,
		Seed: s.seed(sl, wasted), Timeout: s.Timeout.Seconds(),
	}
}

// seed is the same for every policy. It has 53 bits, which survive JSON readers
// that know only doubles.
func (s *Study) seed(sl slot, wasted int) uint64 {
	block := uint64(sl.scene*s.Trials + sl.round)
	rng := rand.New(rand.NewPCG(s.OrderSeed, trialStream+block<<16+uint64(wasted)<<1))
	return rng.Uint64() >> 11
}

// timeoutSlack is how long after the time-out its last control step may land.
const timeoutSlack = 200 * time.Millisecond
