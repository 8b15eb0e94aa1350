package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// maxEnumerated is the most differences whose signs are all tried; beyond it
// they are drawn.
const maxEnumerated = 20

// drawnFlips makes the deviation of a drawn p of 0.05 about 0.0005.
const drawnFlips = 200_000

// SignFlip returns the p-value of the sign-flip test (R. A. Fisher, 1935) of
// paired differences A-B: the share of all ways to give them signs whose sum is
// as extreme as the one seen. Over scenes, each with its difference of hits or
// of rates, it is the honest test when trials of one scene are alike: twelve
// scenes cannot give less than 2/4096. Over placements where both policies
// succeeded it compares their times.
//
// Up to 20 differences all signs are tried. Beyond, 200,000 are drawn from the
// seed, and the one seen counts among them (Phipson and Smyth, 2010). p is 1
// when all differences are 0. Not ok without differences, or with one that is
// not finite.
func SignFlip(differences []float64, alt Alternative, seed uint64) (p float64, ok bool) {
	sum, size := 0.0, 0.0
	for _, d := range differences {
		sum += d
		size += math.Abs(d)
	}
	if len(differences) == 0 || math.IsNaN(size) || math.IsInf(size, 0) {
		return 0, false
	}
	extreme := func(flipped float64) bool {
		slack := sameRelative * size
		switch alt {
		case Greater:
			return flipped >= sum-slack
		case Less:
			return flipped <= sum+slack
		default:
			return math.Abs(flipped) >= math.Abs(sum)-slack
		}
	}
	if len(differences) > maxEnumerated {
		return drawFlips(differences, extreme, seed), true
	}
	return allFlips(differences, extreme), true
}

// allFlips goes through all signs in Gray's order: one changes at a time.
func allFlips(differences []float64, extreme func(float64) bool) float64 {
	sum := 0.0
	signed := make([]float64, len(differences))
	for i, d := range differences {
		signed[i] = d
		sum += d
	}
	all, hits := uint(1)<<len(differences), 0
	for i := uint(1); ; i++ {
		if extreme(sum) {
			hits++
		}
		if i == all {
			return float64(hits) / float64(all)
		}
		j := bits.TrailingZeros(i)
		sum -= 2 * signed[j]
		signed[j] = -signed[j]
	}
}

// signsAtOnce is how many differences get their signs by one look into a table.
const signsAtOnce = 8

// flipTables has, for each eight of the differences, their sum with every choice
// of signs.
func flipTables(differences []float64) [][1 << signsAtOnce]float64 {
	tables := make([][1 << signsAtOnce]float64, (len(differences)+signsAtOnce-1)/signsAtOnce)
	for i, d := range differences {
		table := &tables[i/signsAtOnce]
		for signs := range table {
			if signs>>(i%signsAtOnce)&1 == 0 {
				table[signs] -= d
			} else {
				table[signs] += d
			}
		}
	}
	return tables
}

func drawFlips(differences []float64, extreme func(float64) bool, seed uint64) float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	tables := flipTables(differences)
	hits := 1
	for range drawnFlips {
		sum, signs := 0.0, uint64(0)
		for i := range tables {
			if i%(64/signsAtOnce) == 0 {
				signs = rng.Uint64()
			}
			sum += tables[i][signs%(1<<signsAtOnce)]
			signs >>= signsAtOnce
		}
		if extreme(sum) {
			hits++
		}
	}
	return float64(hits) / (drawnFlips + 1)
}
