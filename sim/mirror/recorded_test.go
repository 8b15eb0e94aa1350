package mirror

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// RecordedSegments is the file of recorded Bridge segments. It is not part of
// the project: CI lays it beside the checkout and fails without it, elsewhere
// the test says that it does not run.
func RecordedSegments(t testing.TB) string {
	const path = "../../../shared/data/bridge_segments.jsonl"
	if _, err := os.Stat(path); err != nil {
		require.Empty(t, os.Getenv("CI"), "%v", err)
		t.Skipf("no recorded segments beside the checkout: %v", err)
	}
	return path
}
