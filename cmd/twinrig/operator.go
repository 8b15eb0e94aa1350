package main

import (
	"context"

	"twinrig/configs"
	"twinrig/sim/scene"
	"twinrig/sim/virtual"
)

// virtualOperator places the objects of the hidden world by hand, which is never
// exact, and lets the judge see what is really there.
type virtualOperator struct {
	world *virtual.World
	study configs.Study
}

// Stage implements operator.
func (o *virtualOperator) Stage(_ context.Context, s *scene.Scene, p scene.Placement, seed uint64) error {
	return o.world.Stage(s, s.Perturb(p, seed, o.study.PlaceSigma, o.study.PlaceYawSigma))
}

// See implements operator.
func (o *virtualOperator) See(look func(scene.View) error) error { return o.world.Truth(look) }

// Source implements operator.
func (o *virtualOperator) Source() string {
	return "virtual world's truth, rules " + scene.RuleVersion
}
