package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"os"
	"path/filepath"

	"twinrig"
	"twinrig/calib"
	"twinrig/calib/extrinsics"
	"twinrig/calib/ghost"
	"twinrig/calib/intrinsics"
	"twinrig/calib/page"
)

const (
	// ghostViews is how many of a calibration's views are compared with the ghost.
	ghostViews = 12
	// ghostBoardRim is how far about the board's plate nothing counts, px.
	ghostBoardRim = 6
)

// ghosts compares the views of a result, whose pictures are in dir, with the
// ghost of the model as the camera in the record sees it.
func ghosts(dir string, res *extrinsics.Result, c *calib.Camera) (*ghost.Comparison, error) {
	m, err := ghost.NewModel(c)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	lens := intrinsics.LensOf(c)
	var pictures []ghost.Picture
	n := len(res.Views)
	for k := range min(n, ghostViews) {
		v := &res.Views[k*n/min(n, ghostViews)]
		p := ghost.Picture{Ignore: ghost.NewMask(c.WidthPx, c.HeightPx)}
		if p.Frame, err = readPNG(filepath.Join(dir, v.Sample.View.Name)); err != nil {
			return nil, err
		}
		if p.Ghost, err = m.Silhouette(v.Sample.Joints, v.Sample.Grip); err != nil {
			return nil, err
		}
		r := room{board: &res.Board}
		corners := r.plate()[:4]
		var polygon [][2]float64
		for _, i := range []int{0, 1, 3, 2} {
			x, y := lens.Project(v.CameraFromBoard.Apply(corners[i]))
			polygon = append(polygon, [2]float64{x, y})
		}
		p.Ignore.Fill(polygon)
		p.Ignore = p.Ignore.Grown(ghostBoardRim)
		pictures = append(pictures, p)
	}
	return ghost.Compare(pictures)
}

// readPNG reads a picture as a frame.
func readPNG(path string) (twinrig.Frame, error) {
	file, err := os.Open(path)
	if err != nil {
		return twinrig.Frame{}, fmt.Errorf("calib: %w", err)
	}
	m, err := png.Decode(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return twinrig.Frame{}, fmt.Errorf("calib: %s: %w", path, err)
	}
	b := m.Bounds()
	f := twinrig.Frame{W: b.Dx(), H: b.Dy()}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := m.At(x, y).RGBA()
			f.RGB = append(f.RGB, byte(r>>8), byte(g>>8), byte(bl>>8))
		}
	}
	return f, nil
}

// worstOverlay is the picture in which arm and ghost agree least, drawn over.
func worstOverlay(c *ghost.Comparison) twinrig.Frame {
	worst := 0
	for i, v := range c.Each {
		if v < c.Each[worst] {
			worst = i
		}
	}
	return c.Overlay(worst)
}

// ghostFigure is the ghost in a report.
func ghostFigure(c *ghost.Comparison) (page.Figure, error) {
	f := worstOverlay(c)
	var enc twinrig.JPEGEncoder
	data, err := enc.Encode(&f)
	if err != nil {
		return page.Figure{}, err
	}
	var b bytes.Buffer
	b.WriteString(`<img alt="the ghost over a picture" style="width:100%" src="data:image/jpeg;base64,`)
	b.WriteString(base64.StdEncoding.EncodeToString(data))
	b.WriteString(`">`)
	return page.Figure{
		Title:   "The ghost",
		Drawing: template.HTML(b.String()), //nolint:gosec // made of base64 alone
		Caption: fmt.Sprintf("The model as the calibrated camera sees it (green) over the arm as it was found in the picture (red), in the picture in which they agree least. Over %d pictures their silhouettes have an IoU of %.3f; moved by %d, %d px they would have %.3f.", len(c.Each), c.IoU, c.Shift[0], c.Shift[1], c.Best),
	}, nil
}
