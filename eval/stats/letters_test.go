package stats

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompactLetters(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		pairs [][2]int // that differ
		want  []string
	}{
		{"one", 1, nil, []string{"a"}},
		{"none differ", 3, nil, []string{"a", "a", "a"}},
		{"two that differ", 2, [][2]int{{0, 1}}, []string{"a", "b"}},
		{"all differ", 3, [][2]int{{0, 1}, {0, 2}, {1, 2}}, []string{"a", "b", "c"}},
		{"the middle one is like both", 3, [][2]int{{0, 2}}, []string{"a", "ab", "b"}},
		{"the best stands out", 4, [][2]int{{0, 1}, {0, 2}, {0, 3}}, []string{"a", "b", "b", "b"}},
		{"a chain", 5, [][2]int{{0, 2}, {0, 3}, {0, 4}, {1, 3}, {1, 4}, {2, 4}}, []string{"a", "ab", "bc", "cd", "d"}},
	} {
		got, ok := CompactLetters(c.n, func(i, j int) bool {
			for _, p := range c.pairs {
				if p == [2]int{i, j} {
					return true
				}
			}
			return false
		})
		require.True(t, ok)
		require.Equal(t, c.want, got, c.name)
	}
	_, ok := CompactLetters(0, nil)
	require.False(t, ok)
	_, ok = CompactLetters(53, func(int, int) bool { return true })
	require.False(t, ok)
	all, ok := CompactLetters(52, func(int, int) bool { return true })
	require.True(t, ok)
	require.Equal(t, "Z", all[51])
}

// TestCompactLettersSayAll goes through every outcome of all comparisons of
// five policies: a shared letter means exactly "not different".
func TestCompactLettersSayAll(t *testing.T) {
	const n, pairs = 5, 10
	bit := func(i, j int) int { // of the pair i < j
		return i*(2*n-i-1)/2 + j - i - 1
	}
	for outcome := range 1 << pairs {
		different := func(i, j int) bool { return outcome>>bit(i, j)&1 == 1 }
		display, ok := CompactLetters(n, different)
		require.True(t, ok)
		next := 0 // letters come up in their order
		for _, letter := range strings.Join(display, "") {
			at := strings.IndexRune(letters, letter)
			require.LessOrEqual(t, at, next, "outcome %b: %q", outcome, display)
			next = max(next, at+1)
		}
		for i := range n {
			for j := i + 1; j < n; j++ {
				require.Equal(t, !different(i, j), strings.ContainsAny(display[i], display[j]),
					"outcome %b, policies %d and %d: %q", outcome, i, j, display)
			}
		}
	}
}
