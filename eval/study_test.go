package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sampleStudy is a small valid study; each placement has its own numbers.
func sampleStudy(scenes, policies, trials int) *Study {
	s := &Study{
		Name: "sample", Virtual: true, Trials: trials, OrderSeed: 7,
		Timeout: 20 * time.Second, MaxAttempts: 3, VerdictSource: "virtual world's truth",
		Config: "loop:\n  rate_hz: 100\n",
	}
	s.ConfigSHA256 = Digest(s.Config)
	for i := range scenes {
		sc := Scene{Name: fmt.Sprintf("scene%d", i), Instruction: fmt.Sprintf("put the carrot on plate %d", i)}
		for p := range trials {
			sc.Placements = append(sc.Placements, Placement{"carrot": Spot{X: 0.2, Y: float64(i), Yaw: float64(p)}})
		}
		s.Scenes = append(s.Scenes, sc)
	}
	for i := range policies {
		s.Policies = append(s.Policies, Policy{Name: fmt.Sprintf("policy%d", i), Checkpoint: fmt.Sprintf("sha256:%d", i)})
	}
	return s
}

// openSample creates a study on disk and opens its ledger.
func openSample(t *testing.T, s *Study) (*Ledger, string) {
	t.Helper()
	dir, err := Create(t.TempDir(), s)
	require.NoError(t, err)
	l, err := OpenLedger(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l, dir
}

func TestStudyIsWrittenOnce(t *testing.T) {
	root := t.TempDir()
	s := sampleStudy(2, 2, 3)
	dir, err := Create(root, s)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(root, "sample"), dir)
	back, err := Load(dir)
	require.NoError(t, err)
	require.Equal(t, s, back)

	before, err := os.ReadFile(filepath.Join(dir, StudyFile))
	require.NoError(t, err)
	s.Trials = 9
	_, err = Create(root, s)
	require.ErrorIs(t, err, ErrExists)
	require.ErrorContains(t, err, dir)
	after, err := os.ReadFile(filepath.Join(dir, StudyFile))
	require.NoError(t, err)
	require.Equal(t, before, after)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "the plan and the trials' folder, no left-over")
}

func TestLoadIsStrict(t *testing.T) {
	dir, err := Create(t.TempDir(), sampleStudy(1, 1, 1))
	require.NoError(t, err)
	path := filepath.Join(dir, StudyFile)
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(good, "speed: 2\n"...), 0o644))
	_, err = Load(dir)
	require.ErrorContains(t, err, "field speed not found")
}

func TestValidateNamesTheKey(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Study)
		want  string
	}{
		{"path in name", func(s *Study) { s.Name = "../x" }, `name "../x"`},
		{"no scene", func(s *Study) { s.Scenes = nil }, "scenes must"},
		{"scene twice", func(s *Study) { s.Scenes[1].Name = "scene0" }, `scenes[1].name "scene0" is there twice`},
		{"no instruction", func(s *Study) { s.Scenes[1].Instruction = "" }, "scenes[1].instruction"},
		{"no placement", func(s *Study) { s.Scenes[0].Placements = nil }, "scenes[0].placements"},
		{"no policy", func(s *Study) { s.Policies = nil }, "policies must"},
		{"policy twice", func(s *Study) { s.Policies[1].Name = "policy0" }, "policies[1].name"},
		{"no trials", func(s *Study) { s.Trials = 0 }, "trials is 0, must be at least 1"},
		{"no time", func(s *Study) { s.Timeout = 0 }, "timeout is 0s, must be positive"},
		{"no attempt", func(s *Study) { s.MaxAttempts = 0 }, "max_attempts is 0"},
		{"nobody judges", func(s *Study) { s.VerdictSource = "" }, "verdict_source"},
		{"config changed", func(s *Study) { s.Config += "x" }, "config_sha256"},
	} {
		s := sampleStudy(2, 2, 2)
		require.NoError(t, s.Validate())
		c.spoil(s)
		require.ErrorContains(t, s.Validate(), c.want, c.name)
	}
}

func TestPlanInterleavesPoliciesInBlocks(t *testing.T) {
	s := sampleStudy(4, 3, 5)
	plan := s.Plan()
	require.Len(t, plan, 60)
	require.Equal(t, plan, s.Plan(), "the same seed, the same order")
	ids, firsts, blocks := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := 0; i < len(plan); i += 3 {
		policies := map[string]bool{}
		for _, tr := range plan[i : i+3] {
			require.Equal(t, plan[i].Scene, tr.Scene, "a block is one scene")
			require.Equal(t, plan[i].Placement, tr.Placement, "with one placement")
			require.Equal(t, plan[i].Seed, tr.Seed, "and one seed")
			policies[tr.Policy], ids[tr.ID] = true, true
		}
		require.Len(t, policies, 3, "that meets every policy")
		firsts[plan[i].Policy] = true
		blocks[fmt.Sprint(plan[i].Scene, plan[i].PlacementID)] = true
	}
	require.Len(t, ids, 60)
	require.Len(t, firsts, 3, "no policy always comes first")
	require.Len(t, blocks, 20)
	require.NotEqual(t, "scene0", plan[0].Scene+plan[3].Scene+plan[6].Scene)

	s.OrderSeed++
	require.NotEqual(t, plan, s.Plan())
}

func TestTrialsGoThroughPlacementsInTurn(t *testing.T) {
	s := sampleStudy(1, 1, 7)
	s.Scenes[0].Placements = s.Scenes[0].Placements[:3]
	counts := map[int]int{}
	seeds := map[uint64]bool{}
	for _, tr := range s.Plan() {
		counts[tr.PlacementID]++
		seeds[tr.Seed] = true
		require.Less(t, tr.Seed, uint64(1)<<53)
	}
	require.Equal(t, map[int]int{0: 3, 1: 2, 2: 2}, counts)
	require.Len(t, seeds, 7, "rounds differ even on the same placement")
}
