package eval

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSeal(t *testing.T) {
	policies := []Policy{
		{Name: "expert", Source: "expert", Checkpoint: "built in"},
		{Name: "vla", Source: "openpi+ws://gpu:8000", Checkpoint: "sha256:1"},
		{Name: "hold", Source: "hold"},
	}
	orders := map[string]int{}
	for range 200 {
		seal, err := NewSeal(policies)
		require.NoError(t, err)
		require.ElementsMatch(t, policies, seal.Policies)
		require.Equal(t, Digest(seal.Text()), seal.Commitment())
		require.Equal(t, []Policy{{Name: "A"}, {Name: "B"}, {Name: "C"}}, seal.Letters(), "letters say nothing")
		for _, p := range policies {
			letter, ok := seal.Letter(p.Name)
			require.True(t, ok)
			back, ok := seal.Policy(letter)
			require.True(t, ok)
			require.Equal(t, p, back)
			require.Contains(t, seal.Text(), letter+" = "+p.Name+" "+p.Source)
		}
		orders[seal.Policies[0].Name+seal.Policies[1].Name]++
		require.NotContains(t, orders, seal.Salt)
		orders[seal.Salt]++
	}
	names := 0
	for o := range orders {
		if len(o) != 32 {
			names++
		}
	}
	require.Equal(t, 6, names, "every order is drawn")

	seal, err := NewSeal(policies)
	require.NoError(t, err)
	swapped := seal
	swapped.Policies = []Policy{seal.Policies[1], seal.Policies[0], seal.Policies[2]}
	require.NotEqual(t, seal.Commitment(), swapped.Commitment())
	_, ok := seal.Letter("nobody")
	require.False(t, ok)
	_, ok = seal.Policy("D")
	require.False(t, ok)
	_, err = NewSeal(make([]Policy, 27))
	require.ErrorContains(t, err, "27 policies are more than there are letters")
}

// blinded is a study on disk whose letters hide policy0 and policy1.
func blinded(t *testing.T, trials int) (*Study, *Seal, *Ledger) {
	t.Helper()
	s := sampleStudy(1, 2, trials)
	seal, err := NewSeal(s.Policies)
	require.NoError(t, err)
	s.Policies, s.Commitment = seal.Letters(), seal.Commitment()
	s.Stop = &StopRule{Test: PairedTest, Alpha: 0.05, Between: [2]string{"A", "B"}}
	l, _ := openSample(t, s)
	require.NoError(t, l.Seal(&seal))
	return s, &seal, l
}

// What a blinded study leaves names no policy until it is closed, and then all of
// it does.
func TestBlindedStudy(t *testing.T) {
	s, seal, l := blinded(t, 3)
	require.NoError(t, Run(t.Context(), s, l, runnerFunc(succeed), nil))
	st, err := l.Standing(s)
	require.NoError(t, err)
	require.Nil(t, st.Seal, "sealed while it is open")
	results, err := l.Results()
	require.NoError(t, err)
	same, unnamed, err := st.Apply(s, results)
	require.NoError(t, err)
	require.Equal(t, s, same)
	require.Equal(t, results, unnamed)
	for _, r := range results {
		require.NotContains(t, toJSON(r), "policy0")
		require.NotContains(t, toJSON(r), "policy1")
	}
	var content string
	require.NoError(t, l.db.QueryRow(`SELECT content FROM sealed`).Scan(&content))
	require.NotContains(t, content, "policy0", "not to be read by accident")
	require.ErrorIs(t, l.Seal(seal), ErrDuplicate, "sealed once")

	require.ErrorContains(t, l.Conclude(s, ""), "nobody is named")
	require.NoError(t, l.Conclude(s, "ann"))
	require.ErrorIs(t, l.Conclude(s, "bob"), ErrClosed)
	require.ErrorIs(t, l.Begin(s.Plan()[0]), ErrClosed)
	st, err = l.Standing(s)
	require.NoError(t, err)
	require.Equal(t, "ann", st.Closed.Who)
	open, named, err := st.Apply(s, results)
	require.NoError(t, err)
	require.Equal(t, seal.Policies, open.Policies)
	require.ElementsMatch(t, []string{"policy0", "policy1"}, open.Stop.Between[:])
	require.Equal(t, [2]string{"A", "B"}, s.Stop.Between, "the plan stays as it was")
	for i, r := range named {
		p, _ := seal.Policy(results[i].Trial.Policy)
		require.Equal(t, p.Name, r.Trial.Policy)
		require.Equal(t, p.Checkpoint, r.Trial.Checkpoint)
		require.True(t, strings.HasSuffix(r.Trial.ID, "-A") || strings.HasSuffix(r.Trial.ID, "-B"))
	}
	a, err := Analyse(open, named, nil)
	require.NoError(t, err)
	require.Equal(t, 3, a.Pooled[0].N())
	require.Equal(t, 3, a.Evidence.Pairs)
}

func TestUnsealRefusesAnotherSeal(t *testing.T) {
	s, _, l := blinded(t, 1)
	other := *s
	other.Commitment = Digest("something else")
	_, err := l.Unseal(&other)
	require.ErrorContains(t, err, "not those that the plan committed to")

	cut, _ := openSample(t, sampleStudy(1, 1, 1))
	_, err = cut.Unseal(s)
	require.ErrorContains(t, err, "cut short before its policies were sealed")
}
