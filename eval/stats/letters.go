package stats

import (
	"slices"
	"strings"
)

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// CompactLetters returns the compact letter display of n policies (Piepho,
// 2004, insert and absorb): two of them share a letter exactly when they are
// not significantly different. Sharing one does not say that they are equal.
//
// Give the policies from best to worst; then "a" goes to the best. different is
// asked for i < j. Not ok below one policy, or when 52 letters are too few.
func CompactLetters(n int, different func(i, j int) bool) (display []string, ok bool) {
	if n < 1 {
		return nil, false
	}
	// A column is the policies that share one letter. All share the first;
	// whatever two differ, every column with both splits into one without
	// either.
	columns := [][]bool{slices.Repeat([]bool{true}, n)}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if different(i, j) {
				columns = absorb(split(columns, i, j))
			}
		}
	}
	if len(columns) > len(letters) {
		return nil, false
	}
	slices.SortFunc(columns, earlierFirst)
	for i := range n {
		var of strings.Builder
		for c, column := range columns {
			if column[i] {
				of.WriteByte(letters[c])
			}
		}
		display = append(display, of.String())
	}
	return display, true
}

func split(columns [][]bool, i, j int) [][]bool {
	var out [][]bool
	for _, c := range columns {
		if !c[i] || !c[j] {
			out = append(out, c)
			continue
		}
		for _, without := range []int{i, j} {
			part := slices.Clone(c)
			part[without] = false
			out = append(out, part)
		}
	}
	return out
}

// absorb drops every column whose policies all have another letter in common.
// No two columns are the same: those split from one differ, and a column equal
// to part of another was dropped before.
func absorb(columns [][]bool) [][]bool {
	var out [][]bool
	for i, c := range columns {
		needed := true
		for j, d := range columns {
			if i != j && within(c, d) {
				needed = false
			}
		}
		if needed {
			out = append(out, c)
		}
	}
	return out
}

func within(c, d []bool) bool {
	for i := range c {
		if c[i] && !d[i] {
			return false
		}
	}
	return true
}

// earlierFirst puts the column whose policies come first before the other.
func earlierFirst(c, d []bool) int {
	for i := range c {
		if c[i] != d[i] {
			if c[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}
