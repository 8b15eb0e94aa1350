package scene

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/sim"
)

// What Parse accepts can be placed, or says why not, and simulated.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"red_cube_blue_bowl", "green_block_yellow_plate"} {
		text, err := os.ReadFile("testdata/" + name + ".good.yaml")
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		p, err := s.Place(1)
		if err == nil {
			require.NoError(t, s.Check(p))
		}
		spec := sim.Spec{Params: sim.NominalParams(), Bodies: s.Bodies(p)}
		require.NoError(t, spec.Validate())
		for i := range s.Objects {
			o := &s.Objects[i]
			require.False(t, math.IsNaN(o.lowest(o.pose(p[o.Name]))))
		}
	})
}
