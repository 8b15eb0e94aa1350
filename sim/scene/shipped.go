package scene

import "math"

// Shipped are the scenes that come with twinrig, each valid and new.
func Shipped() []Scene {
	halfTurn := Range{-math.Pi / 2, math.Pi / 2}
	none := Range{}
	return []Scene{
		{
			Name:        "red_cube_blue_bowl",
			Instruction: "put the red cube in the blue bowl",
			Relation:    In,
			Reach:       Range{0.15, 0.45},
			Clearance:   0.03,
			Objects: []Object{
				{
					Name: "red_cube", Role: Source, Shape: Box, Size: []float64{0.04, 0.04, 0.04},
					Mass: 0.05, Friction: 1, RGBA: [4]float64{0.80, 0.10, 0.10, 1},
					X: Range{0.22, 0.36}, Y: Range{-0.14, 0}, Yaw: halfTurn,
				},
				{
					Name: "blue_bowl", Role: Target, Shape: Bowl, Size: []float64{0.15, 0.042},
					Mass: 0.25, Friction: 0.8, RGBA: [4]float64{0.15, 0.30, 0.80, 1},
					X: Range{0.24, 0.34}, Y: Range{0.09, 0.15}, Yaw: none,
				},
				{
					Name: "orange_block", Role: Distractor, Shape: Box, Size: []float64{0.036, 0.036, 0.03},
					Mass: 0.04, Friction: 0.8, RGBA: [4]float64{0.95, 0.55, 0.10, 1},
					X: Range{0.38, 0.44}, Y: Range{-0.24, -0.18}, Yaw: halfTurn,
				},
			},
		},
		{
			Name:        "green_block_yellow_plate",
			Instruction: "put the green block on the yellow plate",
			Relation:    On,
			Reach:       Range{0.15, 0.45},
			Clearance:   0.03,
			Objects: []Object{
				{
					Name: "green_block", Role: Source, Shape: Box, Size: []float64{0.03, 0.03, 0.05},
					Mass: 0.04, Friction: 1, RGBA: [4]float64{0.15, 0.60, 0.20, 1},
					X: Range{0.22, 0.36}, Y: Range{0, 0.14}, Yaw: halfTurn,
				},
				{
					Name: "yellow_plate", Role: Target, Shape: Plate, Size: []float64{0.16, 0.014},
					Mass: 0.25, Friction: 0.8, RGBA: [4]float64{0.95, 0.85, 0.20, 1},
					X: Range{0.24, 0.34}, Y: Range{-0.15, -0.10}, Yaw: none,
				},
				{
					Name: "red_can", Role: Distractor, Shape: Cylinder, Size: []float64{0.044, 0.06},
					Mass: 0.08, Friction: 0.8, RGBA: [4]float64{0.75, 0.15, 0.15, 1},
					X: Range{0.38, 0.44}, Y: Range{0.19, 0.25}, Yaw: none,
				},
			},
		},
	}
}
