package stats

import (
	"fmt"
	"strconv"
	"strings"
)

// Rate is K hits of N trials, 0 <= K <= N.
type Rate struct{ K, N int }

// Count adds one trial.
func (r *Rate) Count(hit bool) {
	r.N++
	if hit {
		r.K++
	}
}

// Value returns K/N; not ok when there are no trials, or K is not in 0 to N.
func (r Rate) Value() (p float64, ok bool) {
	if !r.valid() {
		return 0, false
	}
	return float64(r.K) / float64(r.N), true
}

// valid tells whether there are trials and the count fits them.
func (r Rate) valid() bool {
	return r.N > 0 && 0 <= r.K && r.K <= r.N
}

// maxTrials bounds what ParseRate takes: beyond it a typing error is likelier
// than a study.
const maxTrials = 1_000_000

// ParseRate reads a rate written as hits, slash, trials, such as 26/120.
// Spaces around the numbers are allowed, signs are not.
func ParseRate(s string) (Rate, error) {
	hits, trials, found := strings.Cut(s, "/")
	k, errK := strconv.ParseUint(strings.TrimSpace(hits), 10, 31)
	n, errN := strconv.ParseUint(strings.TrimSpace(trials), 10, 31)
	switch {
	case !found || errK != nil || errN != nil:
		return Rate{}, fmt.Errorf("rate %q: want hits/trials, such as 26/120", s)
	case n == 0 || n > maxTrials:
		return Rate{}, fmt.Errorf("rate %q: %d trials: want 1 to %d", s, n, maxTrials)
	case k > n:
		return Rate{}, fmt.Errorf("rate %q: more hits than trials: want hits/trials", s)
	}
	return Rate{K: int(k), N: int(n)}, nil
}
