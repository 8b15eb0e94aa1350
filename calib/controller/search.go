package controller

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"gonum.org/v1/gonum/optimize"
)

// Param is one number that is searched for. A search moves it in units of its
// Spread from its Nominal value, so that all are of one size.
type Param struct {
	// Name ends in its unit, if it has one.
	Name            string
	Nominal, Lo, Hi float64
	// Spread is how far off the nominal value an arm may well be: as a number of
	// the parameter's own unit, or, if Log, as a natural logarithm of a ratio.
	Spread float64
	Log    bool
}

// at is the value at x spreads from nominal, within its bounds.
func (p *Param) at(x float64) float64 {
	if p.Log {
		return max(p.Lo, min(p.Hi, p.Nominal*math.Exp(p.Spread*x)))
	}
	return max(p.Lo, min(p.Hi, p.Nominal+p.Spread*x))
}

// outside is how many spreads x lies beyond the bounds.
func (p *Param) outside(x float64) float64 {
	v := p.at(x)
	if p.Log {
		return math.Abs(x - math.Log(v/p.Nominal)/p.Spread)
	}
	return math.Abs(x - (v-p.Nominal)/p.Spread)
}

// Search is how hard one looks.
type Search struct {
	// Generations of CMA-ES, each of a population that suits the number of
	// parameters.
	Generations int
	// Prior is the weight of the squared distance from nominal in spreads: what
	// the data do not say stays as it was.
	Prior float64
	// Seed draws the populations: the same seed finds the same result.
	Seed uint64
	// Workers evaluate at once; 0 is one for each core.
	Workers int
}

// diverged is the loss of values that cannot be simulated.
const diverged = 1e6

// minimize finds the values with the least loss by CMA-ES. loss is called by
// several goroutines at once.
func (s *Search) minimize(ctx context.Context, params []Param, loss func(values []float64) (float64, error)) ([]float64, error) {
	workers := s.Workers
	if workers <= 0 {
		workers = runtime.NumCPU()
	}
	f := func(x []float64) float64 {
		if ctx.Err() != nil {
			return diverged
		}
		penalty := 0.0
		for i := range params {
			out := params[i].outside(x[i])
			penalty += s.Prior*x[i]*x[i] + out*out
		}
		v, err := loss(values(params, x))
		if err != nil || !(v < diverged) {
			return diverged + penalty
		}
		return v + penalty
	}
	res, err := optimize.Minimize(optimize.Problem{Func: f}, make([]float64, len(params)),
		&optimize.Settings{MajorIterations: s.Generations, Concurrent: workers, Converger: optimize.NeverTerminate{}},
		&optimize.CmaEsChol{InitStepSize: 0.6, Src: rand.NewPCG(s.Seed, 0x637472)})
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("controller: %w", context.Cause(ctx))
	case err != nil && res == nil:
		return nil, fmt.Errorf("controller: search: %w", err)
	case res.F >= diverged:
		return nil, errors.New("controller: search: nothing that was tried could be simulated")
	}
	return values(params, res.X), nil
}

func values(params []Param, x []float64) []float64 {
	v := make([]float64, len(params))
	for i := range params {
		v[i] = params[i].at(x[i])
	}
	return v
}

// nominals are the parameters' nominal values.
func nominals(params []Param) []float64 { return values(params, make([]float64, len(params))) }
