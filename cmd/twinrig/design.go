package main

import (
	"fmt"
	"slices"

	"twinrig/configs"
	"twinrig/eval"
	"twinrig/eval/stats"
)

// design is the plan with all that makes it a study: stop rule, power, and the
// letters of a blinded one.
func design(d *configs.Demo, real bool, name string) (*eval.Study, *eval.Seal, error) {
	s, _, err := plan(d, name)
	if err != nil {
		return nil, nil, err
	}
	if real {
		s.Virtual, s.VerdictSource = false, (*person)(nil).Source()
	}
	cal, err := d.Rig.Calibration()
	if err == nil {
		s.Calibration, err = cal.Digest()
	}
	if err != nil {
		return nil, nil, err
	}
	s.Primary, s.Power = d.Design.Primary, power(s, &d.Design)
	between := stopped(s.Policies, d)
	var seal *eval.Seal
	if d.Design.Blind {
		hidden, err := eval.NewSeal(s.Policies)
		if err != nil {
			return nil, nil, err
		}
		seal = &hidden
		s.Policies, s.Commitment = seal.Letters(), seal.Commitment()
		for i, name := range between {
			between[i], _ = seal.Letter(name)
		}
	}
	if d.Design.Stop.Rule == configs.EProcessStop {
		s.Stop = &eval.StopRule{Test: d.Design.Stop.Test, Alpha: d.Design.Stop.Alpha, Between: between}
	}
	return s, seal, s.Validate()
}

// stopped are the names of the policies that the stop rule compares: those that
// the plan lists first, unless it names them.
func stopped(policies []eval.Policy, d *configs.Demo) (between [2]string) {
	for i := range min(len(between), len(policies)) {
		between[i] = policies[i].Name
	}
	for i, text := range d.Design.Stop.Between {
		between[i] = policies[slices.Index(d.Study.Policies, text)].Name
	}
	return between
}

// mostSummed bounds the trials of each policy for which the power is summed
// exactly.
const mostSummed = 500

// forecastStudies are simulated for the power of a stop rule.
const forecastStudies = 2000

// wantedPower is what a plan's smallest difference is stated for.
const wantedPower = 0.8

// power says what the plan can find.
func power(s *eval.Study, d *configs.Design) string {
	n := len(s.Scenes) * s.Trials
	switch {
	case len(s.Policies) < 2:
		return fmt.Sprintf("%d trials of one policy: nothing is compared.", n)
	case d.Stop.Rule == configs.EProcessStop:
		return sequentialPower(n, d)
	case n > mostSummed:
		return fmt.Sprintf("%d trials of each policy: see `twinrig eval power`.", n)
	case len(d.Guess) == 2:
		p, _ := stats.BarnardPower(d.Guess[0], d.Guess[1], n, n, stats.TwoSided, eval.Alpha)
		return fmt.Sprintf("%d trials of each of two policies with true rates %g and %g: Barnard's two-sided test at %g tells them apart with probability %.2f.",
			n, d.Guess[0], d.Guess[1], eval.Alpha, p)
	}
	const from = 0.5
	for percent := 51; percent <= 100; percent++ {
		rate := float64(percent) / 100
		p, ok := stats.BarnardPower(from, rate, n, n, stats.TwoSided, eval.Alpha)
		if ok && p >= wantedPower {
			return fmt.Sprintf("%d trials of each policy: from one with the true rate %g, one with %.2f or more is told apart with probability %.1f (Barnard's two-sided test at %g).",
				n, from, rate, wantedPower, eval.Alpha)
		}
	}
	return fmt.Sprintf("%d trials of each policy: no difference from a true rate of %g is found with probability %.1f.", n, from, wantedPower)
}

func sequentialPower(n int, d *configs.Design) string {
	stop := &d.Stop
	said := fmt.Sprintf("At most %d pairs; the %s e-process ends the study at alpha %g, half of it for either direction.", n, stop.Test, stop.Alpha)
	if len(d.Guess) != 2 {
		return said
	}
	low, high := min(d.Guess[0], d.Guess[1]), max(d.Guess[0], d.Guess[1])
	f, ok := stats.ForecastUnpaired(low, high, n, stop.Alpha/2, forecastStudies, 1)
	if stop.Test == "paired" {
		lost, won := stats.IndependentPairs(low, high)
		f, ok = stats.ForecastPaired(lost, won, n, stop.Alpha/2, forecastStudies, 1)
	}
	if !ok {
		return said
	}
	p, _ := f.Stopped.Value()
	return said + fmt.Sprintf(" With true rates %g and %g, their outcomes independent, it finds the difference with probability %.2f, after %.0f pairs in the median.",
		low, high, p, f.MedianPairs)
}
