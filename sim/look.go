package sim

import "twinrig"

// Materials of the arm.
const (
	black  = "black"  // anodised aluminium
	servo  = "servo"  // the servos' plastic
	metal  = "metal"  // horns and screws
	rubber = "rubber" // finger pads
	felt   = ""       // not drawn
)

// The arm's looks and its collision shapes, in the links' axes, m. They are
// measured off drawings by eye: kinematics and inertia do not come from them.
var (
	baseParts = []part{
		at(black, Box, -0.03, 0, 0.005, 0.17, 0.12, 0.010),
		at(servo, Box, -0.03, 0, 0.034, 0.10, 0.070, 0.048),
		at(black, Cylinder, 0, 0, 0.060, 0.084, 0.084, 0.010),
		at(felt, Box, -0.03, 0, 0.032, 0.17, 0.12, 0.064),
	}

	linkParts = [twinrig.NumJoints][]part{
		twinrig.Waist: {
			at(metal, Cylinder, 0, 0, -0.003, 0.076, 0.076, 0.008),
			at(servo, Box, 0, 0, 0.020, 0.050, 0.072, 0.038),
			at(black, Box, 0, 0.042, 0.026, 0.046, 0.006, 0.060),
			at(black, Box, 0, -0.042, 0.026, 0.046, 0.006, 0.060),
			along(felt, Capsule, axisY, 0, 0, 0.035, 0.06, 0.11),
		},
		twinrig.Shoulder: {
			along(metal, Cylinder, axisY, 0, 0, 0, 0.036, 0.094),
			at(black, Box, 0, 0, 0.125, 0.034, 0.050, 0.250),
			at(black, Box, 0.027, 0, 0.25, 0.058, 0.050, 0.034),
			at(servo, Box, 0.020, 0, 0.215, 0.040, 0.060, 0.036),
			at(felt, Box, 0, 0, 0.125, 0.040, 0.056, 0.250),
		},
		twinrig.Elbow: {
			along(metal, Cylinder, axisY, 0, 0, 0, 0.036, 0.080),
			at(black, Box, 0.075, 0, 0, 0.150, 0.036, 0.036),
			at(servo, Box, 0.150, 0, 0, 0.046, 0.046, 0.046),
			at(felt, Box, 0.080, 0, 0, 0.180, 0.050, 0.050),
		},
		twinrig.ForearmRoll: {
			along(metal, Cylinder, axisX, 0.003, 0, 0, 0.036, 0.008),
			at(servo, Box, 0.045, 0, 0, 0.050, 0.036, 0.048),
			at(felt, Box, 0.040, 0, 0, 0.080, 0.050, 0.050),
		},
		twinrig.WristAngle: {
			along(metal, Cylinder, axisY, 0, 0, 0, 0.030, 0.056),
			at(servo, Box, 0.042, 0, 0.004, 0.046, 0.034, 0.034),
			at(felt, Box, 0.035, 0, 0.004, 0.060, 0.045, 0.045),
		},
		twinrig.WristRotate: {
			along(metal, Cylinder, axisX, 0.002, 0, 0, 0.030, 0.006),
			at(servo, Box, 0.024, 0, 0.010, 0.040, 0.034, 0.046),
			at(black, Box, 0.055, 0, 0, 0.016, 0.130, 0.026),
			at(felt, Box, 0.028, 0, 0.008, 0.056, 0.050, 0.050),
			at(felt, Box, 0.055, 0, 0, 0.016, 0.130, 0.026),
		},
	}

	// fingerParts are the left finger's; its inner face looks along -y.
	fingerParts = []part{
		at(black, Box, 0.004, 0.002, 0, 0.016, 0.022, 0.026),
		at(black, Box, 0.026, -0.003, 0, 0.036, 0.008, 0.022),
		at(rubber, Box, 0.0275, -0.009, 0, 0.031, 0.004, 0.024),
		{Geom: at(felt, Box, 0.0265, -padInset+0.0055, 0, 0.034, 0.011, 0.025).Geom, pad: true},
		at(felt, Box, 0.004, 0.002, 0, 0.012, 0.024, 0.028),
	}
)

// assets are the materials, and a soft sky.
func (m *mjcf) assets() {
	m.open("asset")
	m.leaf("texture", "name", "sky", "type", "skybox", "builtin", "gradient",
		"rgb1", ".62 .72 .82", "rgb2", ".93 .94 .95", "width", 64, "height", 384)
	material := func(name, rgba string, specular, shininess float64) {
		m.leaf("material", "name", name, "rgba", rgba, "specular", specular, "shininess", shininess)
	}
	material(black, ".09 .09 .10 1", .5, .5)
	material(servo, ".17 .17 .19 1", .3, .3)
	material(metal, ".45 .46 .48 1", .7, .6)
	material(rubber, ".05 .05 .05 1", .1, .1)
	material("object", "1 1 1 1", .25, .35)
	material("table", ".72 .56 .40 1", .1, .2)
	material("floor", ".60 .60 .62 1", 0, 0)
	m.close()
}

// Table's extent in B, m.
const (
	tableX, tableY         = 0.35, 0
	tableLength, tableWide = 1.3, 1.4
	tableThick             = 0.04
	floorZ                 = -0.75
)

// surroundings are light, table and floor.
func (m *mjcf) surroundings() {
	m.leaf("light", "name", "lamp", "type", "directional", "pos", "0 -.6 1.5", "dir", ".25 .35 -1",
		"diffuse", ".55 .54 .52", "specular", ".2 .2 .2", "ambient", "0 0 0", "castshadow", "true")
	m.leaf("geom", "name", "floor", "type", "plane", "pos", twinrig.Vec3{0, 0, floorZ}, "size", "4 4 .1",
		"material", "floor", "contype", 1, "conaffinity", 3)
	m.open("body", "name", TableName)
	table := at("table", Box, tableX, tableY, -tableThick/2, tableLength, tableWide, tableThick)
	m.leaf("geom", "name", TableName, "type", "box", "size", table.Size.Scale(.5), "pos", table.Pose.P,
		"material", "table", "contype", 1, "conaffinity", 3, "friction", ".8 .005 .0001", "condim", 4)
	m.close()
}
