package agent

import (
	"math/bits"
	"time"
)

// Lateness is a histogram of durations with a resolution of an eighth, from 1 µs
// to over an hour. It does not allocate.
type Lateness struct {
	n       uint64
	longest time.Duration
	buckets [32 * subBuckets]uint64
}

const subBuckets = 8

// Add counts one duration.
func (l *Lateness) Add(d time.Duration) {
	l.n++
	l.longest = max(l.longest, d)
	l.buckets[bucket(d)]++
}

// N is how many were counted, Max the longest of them.
func (l *Lateness) N() uint64 { return l.n }

// Max is the longest duration counted.
func (l *Lateness) Max() time.Duration { return l.longest }

// Quantile is the duration that the share p (0 to 1) did not exceed, to within
// an eighth upwards.
func (l *Lateness) Quantile(p float64) time.Duration {
	want := uint64(p * float64(l.n))
	var seen uint64
	for i, c := range l.buckets {
		if seen += c; seen > want || (seen == l.n && c > 0) {
			return min(upper(i), l.longest)
		}
	}
	return l.longest
}

// Octaves calls f for each power of two of microseconds with how many durations were
// below it, but not below the one before; without any it is left out. The first is 8 µs.
func (l *Lateness) Octaves(f func(below time.Duration, n uint64)) {
	for i := 0; i < len(l.buckets); i += subBuckets {
		var n uint64
		for _, c := range l.buckets[i : i+subBuckets] {
			n += c
		}
		if n > 0 {
			f(upper(i+subBuckets-1), n)
		}
	}
}

// bucket numbers durations by power of two and eighths of it.
func bucket(d time.Duration) int {
	us := uint64(max(0, d) / time.Microsecond)
	if us < subBuckets {
		return int(us)
	}
	e := bits.Len64(us) - 4 // us>>e is 8 to 15
	return min((e+1)*subBuckets+int(us>>e)-subBuckets, 32*subBuckets-1)
}

// upper is the end of a bucket.
func upper(i int) time.Duration {
	if i < subBuckets {
		return time.Duration(i+1) * time.Microsecond
	}
	e, m := i/subBuckets-1, i%subBuckets+subBuckets
	return time.Duration(uint64(m+1)<<e) * time.Microsecond
}
