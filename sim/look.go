package sim

import "twinrig"

// Materials of the arm. A part of material none is felt only.
const (
	none   = ""
	black  = "black"  // anodised brackets and beams
	servo  = "servo"  // the servos' plastic
	metal  = "metal"  // horns and bearings
	rubber = "rubber" // finger pads
)

// The arm's looks and its collision shapes, in the links' axes, m. They are by
// eye, after drawings; kinematics and inertia do not come from them.
var (
	baseParts = []part{
		at(black, Box, -0.03, 0, 0.004, 0.20, 0.15, 0.008),
		at(black, Box, -0.03, 0, 0.016, 0.16, 0.11, 0.016),
		at(servo, Box, -0.02, 0, 0.038, 0.10, 0.076, 0.030),
		at(black, Cylinder, 0, 0, 0.058, 0.10, 0.10, 0.012),
		at(none, Box, -0.03, 0, 0.032, 0.20, 0.15, 0.064),
	}

	linkParts = [twinrig.NumJoints][]part{
		// a turntable that carries two servos between side plates
		twinrig.Waist: {
			at(metal, Cylinder, 0, 0, -0.005, 0.084, 0.084, 0.006),
			at(black, Cylinder, 0, 0, 0.001, 0.090, 0.090, 0.006),
			at(servo, Box, -0.006, 0, 0.0275, 0.047, 0.066, 0.043),
			at(black, Box, -0.002, 0.037, 0.024, 0.050, 0.005, 0.040),
			at(black, Box, -0.002, -0.037, 0.024, 0.050, 0.005, 0.040),
			along(none, Capsule, axisY, 0, 0, 0.035, 0.06, 0.11),
		},
		// a fork round the shoulder, a beam, and two servos at the elbow
		twinrig.Shoulder: {
			along(metal, Cylinder, axisY, 0, 0.0465, 0, 0.024, 0.004),
			along(metal, Cylinder, axisY, 0, -0.0465, 0, 0.024, 0.004),
			along(black, Cylinder, axisY, 0, 0.0425, 0, 0.040, 0.005),
			along(black, Cylinder, axisY, 0, -0.0425, 0, 0.040, 0.005),
			at(black, Box, 0, 0.0425, 0.026, 0.034, 0.005, 0.052),
			at(black, Box, 0, -0.0425, 0.026, 0.034, 0.005, 0.052),
			at(black, Box, 0, 0, 0.0545, 0.036, 0.090, 0.007),
			at(black, Box, 0, 0.016, 0.145, 0.030, 0.010, 0.176),
			at(black, Box, 0, -0.016, 0.145, 0.030, 0.010, 0.176),
			at(servo, Box, 0, 0, 0.145, 0.018, 0.024, 0.172),
			at(black, Box, 0.002, 0, 0.2365, 0.040, 0.074, 0.007),
			at(servo, Box, 0.037, 0, 0.2505, 0.047, 0.066, 0.034),
			at(black, Box, 0.004, 0, 0.2505, 0.018, 0.070, 0.030),
			at(none, Box, 0, 0, 0.125, 0.040, 0.056, 0.250),
			along(none, Capsule, axisY, 0.035, 0, 0.25, 0.05, 0.11),
		},
		// a fork round the elbow, a beam, and the servo that rolls the forearm
		twinrig.Elbow: {
			along(metal, Cylinder, axisY, 0, 0.0465, 0, 0.024, 0.004),
			along(metal, Cylinder, axisY, 0, -0.0465, 0, 0.024, 0.004),
			along(black, Cylinder, axisY, 0, 0.0425, 0, 0.040, 0.005),
			along(black, Cylinder, axisY, 0, -0.0425, 0, 0.040, 0.005),
			at(black, Box, 0.024, 0.0425, 0, 0.048, 0.005, 0.034),
			at(black, Box, 0.024, -0.0425, 0, 0.048, 0.005, 0.034),
			at(black, Box, 0.0505, 0, 0, 0.007, 0.090, 0.036),
			at(black, Box, 0.089, 0.013, 0, 0.072, 0.008, 0.030),
			at(black, Box, 0.089, -0.013, 0, 0.072, 0.008, 0.030),
			at(servo, Box, 0.089, 0, 0, 0.070, 0.018, 0.020),
			at(black, Box, 0.1275, 0, 0, 0.007, 0.040, 0.040),
			at(servo, Box, 0.1505, 0, -0.006, 0.039, 0.034, 0.047),
			at(none, Box, 0.080, 0, 0, 0.180, 0.050, 0.050),
		},
		// the servo that bends the wrist
		twinrig.ForearmRoll: {
			along(metal, Cylinder, axisX, -0.0025, 0, 0, 0.028, 0.005),
			along(black, Cylinder, axisX, 0.003, 0, 0, 0.044, 0.006),
			at(black, Box, 0.024, 0, 0, 0.038, 0.026, 0.024),
			at(servo, Box, 0.0635, 0, 0, 0.047, 0.034, 0.030),
			at(none, Box, 0.040, 0, 0, 0.080, 0.050, 0.050),
		},
		// a fork round the wrist and the servo that turns the hand
		twinrig.WristAngle: {
			along(metal, Cylinder, axisY, 0, 0.0245, 0, 0.020, 0.003),
			along(metal, Cylinder, axisY, 0, -0.0245, 0, 0.020, 0.003),
			along(black, Cylinder, axisY, 0, 0.021, 0, 0.032, 0.004),
			along(black, Cylinder, axisY, 0, -0.021, 0, 0.032, 0.004),
			at(black, Box, 0.012, 0.021, 0, 0.024, 0.004, 0.026),
			at(black, Box, 0.012, -0.021, 0, 0.024, 0.004, 0.026),
			at(black, Box, 0.0255, 0, 0, 0.005, 0.046, 0.030),
			at(servo, Box, 0.0445, 0, 0.006, 0.033, 0.030, 0.044),
			at(none, Box, 0.035, 0, 0.004, 0.060, 0.045, 0.045),
		},
		// the hand: a servo over the rail on which the fingers slide
		twinrig.WristRotate: {
			along(metal, Cylinder, axisX, -0.0015, 0, 0, 0.026, 0.005),
			along(black, Cylinder, axisX, 0.004, 0, 0, 0.040, 0.006),
			at(black, Box, 0.026, 0, -0.004, 0.038, 0.040, 0.022),
			at(servo, Box, 0.026, 0, 0.0225, 0.040, 0.034, 0.030),
			at(black, Box, 0.049, 0, 0.002, 0.008, 0.132, 0.030),
			along(metal, Cylinder, axisY, 0.057, 0, 0.009, 0.005, 0.124),
			along(metal, Cylinder, axisY, 0.057, 0, -0.009, 0.005, 0.124),
			at(black, Box, 0.057, 0.064, 0, 0.010, 0.004, 0.030),
			at(black, Box, 0.057, -0.064, 0, 0.010, 0.004, 0.030),
			at(none, Box, 0.028, 0, 0.008, 0.056, 0.050, 0.050),
			at(none, Box, 0.053, 0, 0, 0.018, 0.132, 0.030),
		},
	}

	// fingerParts are the left finger's; its inner face looks along -y.
	fingerParts = []part{
		at(black, Box, -0.006, 0.002, 0, 0.022, 0.024, 0.028),
		at(servo, Box, 0.016, -0.001, 0, 0.026, 0.011, 0.024),
		at(servo, Box, 0.035, -0.004, 0, 0.015, 0.005, 0.022),
		at(rubber, Box, 0.0265, -0.0088, 0, 0.034, 0.0044, 0.025),
		{Geom: at(none, Box, 0.0265, -PadInset+0.0055, 0, 0.034, 0.011, 0.025).Geom, pad: true},
		at(none, Box, -0.004, 0.002, 0, 0.018, 0.024, 0.028),
	}
)

// assets are the materials, and a soft sky.
func (m *mjcf) assets() {
	m.open("asset")
	if m.silhouette {
		m.shades()
		m.close()
		return
	}
	m.leaf("texture", "name", "sky", "type", "skybox", "builtin", "gradient",
		"rgb1", ".58 .69 .80", "rgb2", ".94 .94 .93", "width", 32, "height", 192)
	material := func(name, rgba string, specular, shininess float64) {
		m.leaf("material", "name", name, "rgba", rgba, "specular", specular, "shininess", shininess)
	}
	material(black, ".13 .13 .14 1", .5, .4)
	material(servo, ".23 .24 .26 1", .25, .3)
	material(metal, ".55 .56 .58 1", .6, .5)
	material(rubber, ".07 .07 .07 1", 0, 0)
	material("object", "1 1 1 1", .2, .3)
	material("floor", ".66 .65 .64 1", 0, 0)
	for i, rgba := range plankColours {
		material(plank(i), rgba, .08, .2)
	}
	m.close()
}

// shades are the same materials for a silhouette: the arm shines white and all
// else is black.
func (m *mjcf) shades() {
	m.leaf("texture", "name", "sky", "type", "skybox", "builtin", "flat", "rgb1", "0 0 0", "rgb2", "0 0 0", "width", 8, "height", 48)
	for _, name := range []string{black, servo, metal, rubber} {
		m.leaf("material", "name", name, "rgba", "1 1 1 1", "emission", 1, "specular", 0)
	}
	dark := []string{"object", "floor"}
	for i := range plankColours {
		dark = append(dark, plank(i))
	}
	for _, name := range dark {
		m.leaf("material", "name", name, "rgba", "0 0 0 1", "specular", 0)
	}
}

// colour is a geom's own, black in a silhouette.
func (m *mjcf) colour(g *Geom) []float64 {
	if m.silhouette {
		return []float64{0, 0, 0, 1}
	}
	return g.RGBA[:]
}

// The table's extent in B, m, and its planks.
const (
	tableX                 = 0.37
	tableLength, tableWide = 1.30, 1.43
	tableThick             = 0.04
	planks                 = 13
	floorZ                 = -0.75
)

// plankColours alternate over the table.
var plankColours = [...]string{".74 .60 .44 1", ".70 .555 .395 1", ".765 .63 .47 1", ".685 .55 .40 1"}

func plank(i int) string { return "plank" + text(i) }

// surroundings are light, table and floor. What is felt of the table is one
// solid box; what is seen are planks along x.
func (m *mjcf) surroundings() {
	m.leaf("light", "name", "lamp", "type", "directional", "pos", "0 -.5 1.5", "dir", ".30 .40 -1",
		"diffuse", ".50 .49 .47", "specular", ".3 .3 .3", "ambient", "0 0 0", "castshadow", "true")
	m.leaf("light", "name", "window", "type", "directional", "pos", "1 1 1", "dir", "-.6 -.5 -.5",
		"diffuse", ".16 .17 .19", "specular", ".1 .1 .1", "ambient", "0 0 0", "castshadow", "false")
	m.leaf("geom", "name", "floor", "type", "plane", "pos", twinrig.Vec3{0, 0, floorZ}, "size", "5 5 .1",
		"material", "floor", "contype", 1, "conaffinity", 3)

	m.open("body", "name", TableName)
	box := at(none, Box, tableX, 0, -tableThick/2, tableLength, tableWide, tableThick)
	m.leaf("geom", "type", "box", "size", box.Size.Scale(.5), "pos", box.Pose.P, "group", 3,
		"contype", 1, "conaffinity", 3, "friction", ".8 .005 .0001", "condim", 4)
	const wide = tableWide / planks
	for i := range planks {
		y := (float64(i) - (planks-1)/2.0) * wide
		colour := i * 7 % 5 % len(plankColours)
		p := at(plank(colour), Box, tableX, y, -tableThick/2, tableLength, wide, tableThick)
		m.part(&p)
	}
	m.close()
}
