package doctor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A check whose need failed is not made, and tells what is behind it.
func TestNeeds(t *testing.T) {
	var made []string
	step := func(name string, v Verdict, needs ...string) check {
		return check{name: name, needs: needs, limit: time.Hour, run: func(context.Context, *bench) Result {
			return Result{Verdict: v, Value: "measured"}
		}}
	}
	r, err := runAll(context.Background(), &bench{}, []check{
		step("plug", Warn), step("port", Fail, "plug"), step("bus", OK, "port"), step("arm", OK, "plug", "bus"), step("disk", OK),
	}, func(name string) { made = append(made, name) })
	require.NoError(t, err)
	require.Equal(t, []string{"plug", "port", "disk"}, made)
	require.False(t, r.MayStart)
	require.Equal(t, []Result{
		{Name: "plug", Verdict: Warn, Value: "measured"},
		{Name: "port", Verdict: Fail, Value: "measured"},
		{Name: "bus", Verdict: Fail, Value: "not checked: needs port", Fix: "fix port first", Needs: "port"},
		{Name: "arm", Verdict: Fail, Value: "not checked: needs port", Fix: "fix port first", Needs: "port"},
		{Name: "disk", Verdict: OK, Value: "measured"},
	}, r.Checks)
	first, failed := r.First()
	require.True(t, failed)
	require.Equal(t, "port", first.Name)
}

// What hangs is left behind, and those after it are made.
func TestNothingHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := make(chan struct{})
		r, err := runAll(context.Background(), &bench{}, []check{
			{name: "deaf", limit: 3 * time.Second, run: func(context.Context, *bench) Result {
				<-hung // listens to no context
				return okay("late")
			}},
			{name: "next", limit: time.Second, run: func(context.Context, *bench) Result { return okay("fine") }},
		}, func(string) {})
		close(hung)
		require.NoError(t, err)
		require.Equal(t, Fail, r.Checks[0].Verdict)
		require.Equal(t, "no answer in 3s", r.Checks[0].Value)
		require.NotEmpty(t, r.Checks[0].Fix)
		require.Equal(t, OK, r.Checks[1].Verdict)
	})
}

// A person who stops it gets no report of checks that were not made.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := runAll(ctx, &bench{}, []check{
		{name: "long", limit: time.Hour, run: func(ctx context.Context, _ *bench) Result {
			cancel()
			<-ctx.Done()
			return okay("")
		}},
	}, func(string) {})
	require.ErrorIs(t, err, context.Canceled)
}

// Names are unique, and every need is a check that comes before.
func TestChecksAreInOrder(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range checks() {
		require.False(t, seen[c.name], c.name)
		for _, n := range c.needs {
			require.True(t, seen[n], "%s needs %s, which does not come before", c.name, n)
		}
		require.Positive(t, c.limit, c.name)
		seen[c.name] = true
	}
}

// What is opened late, when the bench is closed already, is closed at once.
func TestBenchClosesAll(t *testing.T) {
	var closed []int
	b := &bench{}
	for i := range 3 {
		require.NoError(t, b.onClose(func() error { closed = append(closed, i); return nil }))
	}
	require.NoError(t, b.close())
	require.NoError(t, b.close())
	require.NoError(t, b.onClose(func() error { closed = append(closed, 3); return nil }))
	require.Equal(t, []int{2, 1, 0, 3}, closed)
}

func TestListStaysShort(t *testing.T) {
	require.Equal(t, "a; b; c; d; e", list([]string{"a", "b", "c", "d", "e"}))
	require.Equal(t, "a; b; c; d; and 2 more", list([]string{"a", "b", "c", "d", "e", "f"}))
}
