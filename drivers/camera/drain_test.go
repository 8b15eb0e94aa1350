package camera

import (
	"context"
	"hash/crc32"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gocv.io/x/gocv"

	"twinrig"
)

// endless gives pictures for ever, as a device does, and knows no context.
type endless struct{}

func (endless) read(m *gocv.Mat) (time.Duration, error) {
	if m.Empty() {
		m.Close()
		*m = gocv.NewMatWithSize(4, 6, gocv.MatTypeCV8UC3)
	}
	return 0, nil
}

func (endless) close() {}

func TestCloseEndsASourceWithoutContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Camera{
		cfg:     Config{Source: "/dev/endless", Width: 6, Height: 4, Retry: time.Hour},
		cancel:  cancel,
		ended:   make(chan struct{}),
		bgr:     gocv.NewMat(),
		sums:    crc32.MakeTable(crc32.Castagnoli),
		changed: make(chan struct{}),
	}
	go c.run(ctx, endless{})
	var f twinrig.Frame
	require.NoError(t, c.Wait(t.Context(), 3, &f))

	closed := make(chan error)
	go func() { closed <- c.Close() }()
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("Close waits for ever")
	}
}
