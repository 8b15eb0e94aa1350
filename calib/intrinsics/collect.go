package intrinsics

import (
	"fmt"
	"math"
	"time"

	"twinrig"
	"twinrig/calib/target"
)

// When a picture is worth keeping, and when there are enough.
const (
	// stillFor is how long the board must have stood still, and stillPx how far
	// its corners may move from picture to picture meanwhile, in the mean.
	stillFor = 300 * time.Millisecond
	stillPx  = 0.7
	// sharpPx is the widest edge of a sharp picture, in pixels.
	sharpPx = 4
	// newCells is how many cells that had no corner make a view new, and
	// newStep how far else it must be from each kept one: the sum of how much
	// its centre and size differ, as shares of the picture, and its normal.
	newCells = 2
	newStep  = 0.3
	// wantedViews, wantedTilt (the range of the boards' normals across and
	// down) and wellCovered make a set complete.
	wantedViews = 15
	wantedTilt  = 0.7
)

// Verdict is what became of a picture.
type Verdict string

// The verdicts, as a user reads them.
const (
	Kept    Verdict = "kept"
	Moving  Verdict = "hold it still"
	Blurred Verdict = "blurred"
	Seen    Verdict = "like one that was kept: move on"
	NoBoard Verdict = "no board"
	Another Verdict = "not the board of --board: count its inner corners"
)

// Collector decides which of a camera's pictures are kept: those in which the
// board stands still, is sharp, and is somewhere or at an angle that no kept one
// has. It is for one goroutine.
type Collector struct {
	board    target.Board
	coverage Coverage
	kept     []feature
	last     []target.Corner
	lastAt   time.Duration
	since    time.Duration
}

// feature is where a board is and how it stands, roughly.
type feature struct{ x, y, size, nx, ny float64 }

// NewCollector goes on from the samples that were kept before.
func NewCollector(b target.Board, w, h int, before []Sample) *Collector {
	c := &Collector{board: b, coverage: *NewCoverage(w, h)}
	for i := range before {
		c.take(before[i].Corners)
	}
	return c
}

// Offer judges a picture's corners; at is when the picture was taken. A picture
// without a board is offered as no corners.
func (c *Collector) Offer(at time.Duration, d target.Detection) Verdict {
	moved := c.moved(d.Corners)
	if moved > stillPx || at < c.lastAt {
		c.since = at
	}
	c.last, c.lastAt = d.Corners, at
	switch {
	case len(d.Corners) == 0:
		return NoBoard
	case at-c.since < stillFor:
		return Moving
	case d.BlurPx > sharpPx:
		return Blurred
	case !c.isNew(d.Corners):
		return Seen
	}
	c.take(d.Corners)
	return Kept
}

// moved is the mean way of the corners since the last picture; infinite when
// they are not the same ones.
func (c *Collector) moved(corners []target.Corner) float64 {
	before := make(map[int]target.Corner, len(c.last))
	for _, k := range c.last {
		before[k.ID] = k
	}
	var sum float64
	n := 0
	for _, k := range corners {
		if b, ok := before[k.ID]; ok {
			sum += math.Hypot(k.X-b.X, k.Y-b.Y)
			n++
		}
	}
	if n == 0 || 2*n < len(corners) {
		return math.Inf(1)
	}
	return sum / float64(n)
}

func (c *Collector) isNew(corners []target.Corner) bool {
	after := c.coverage
	after.Add(corners)
	if after.covered() >= c.coverage.covered()+newCells {
		return true
	}
	f, ok := c.feature(corners)
	for _, k := range c.kept {
		step := math.Abs(f.x-k.x) + math.Abs(f.y-k.y) + math.Abs(f.size-k.size) + math.Abs(f.nx-k.nx) + math.Abs(f.ny-k.ny)
		if step < newStep {
			return false
		}
	}
	return ok
}

func (c *Collector) take(corners []target.Corner) {
	if f, ok := c.feature(corners); ok {
		c.coverage.Add(corners)
		c.kept = append(c.kept, f)
	}
}

// feature takes the lens for one as long as the picture is wide: good enough to
// tell views apart.
func (c *Collector) feature(corners []target.Corner) (feature, bool) {
	h, err := fitHomography(&c.board, corners)
	if err != nil {
		return feature{}, false
	}
	w, ht := float64(c.coverage.W), float64(c.coverage.H)
	l := Lens{w, w, w / 2, ht / 2}
	x, ok := h.pose(&l, c.board.Centre())
	if !ok {
		return feature{}, false
	}
	mid := x.Apply(c.board.Centre())
	u, v := l.Project(mid)
	n := x.R.Rotate(twinrig.Vec3{0, 0, 1})
	size := float64(c.board.Cols) * c.board.SquareM / mid[2]
	return feature{u / w, v / ht, size, n[0], n[1]}, true
}

// Views is how many views are kept.
func (c *Collector) Views() int { return len(c.kept) }

// Covered is the share of the picture's cells with a corner.
func (c *Collector) Covered() float64 { return c.coverage.Share() }

// Missing says what is still to be shown, the most telling first; a complete set
// misses nothing.
func (c *Collector) Missing() []string {
	var out []string
	if c.Covered() < wellCovered {
		out = append(out, "move it to the "+c.emptiest())
	}
	lo, hi := feature{}, feature{}
	for _, k := range c.kept {
		lo.nx, hi.nx = min(lo.nx, k.nx), max(hi.nx, k.nx)
		lo.ny, hi.ny = min(lo.ny, k.ny), max(hi.ny, k.ny)
	}
	if hi.nx-lo.nx < wantedTilt {
		out = append(out, "turn its left or right side away")
	}
	if hi.ny-lo.ny < wantedTilt {
		out = append(out, "tip its top or bottom away")
	}
	if n := wantedViews - len(c.kept); n > 0 {
		out = append(out, fmt.Sprintf("%d more views", n))
	}
	return out
}

// emptiest names the third of the picture in both directions that has the
// fewest covered cells.
func (c *Collector) emptiest() string {
	best, name := math.Inf(1), ""
	for i, row := range []string{"top", "middle", "bottom"} {
		for j, col := range []string{"left", "middle", "right"} {
			covered, cells := 0.0, 0.0
			for y := i * GridRows / 3; y < (i+1)*GridRows/3; y++ {
				for x := j * GridCols / 3; x < (j+1)*GridCols/3; x++ {
					cells++
					if c.coverage.Cells[y][x] > 0 {
						covered++
					}
				}
			}
			if covered/cells < best {
				best, name = covered/cells, row+" "+col
			}
		}
	}
	return name
}
