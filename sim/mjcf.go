package sim

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"twinrig"
)

// objectPrefix keeps the names of a spec's bodies apart from the arm's.
const objectPrefix = "object/"

// MJCF writes the world as a MuJoCo model. The text is a function of the spec
// alone, byte for byte.
func MJCF(spec Spec) ([]byte, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	m := &mjcf{params: &spec.Params, carried: spec.Carried, silhouette: spec.Silhouette}
	m.open("mujoco", "model", "wx250s")
	m.options(&spec)
	m.assets()
	m.open("worldbody")
	m.surroundings()
	m.arm()
	for i := range spec.Bodies {
		m.object(&spec.Bodies[i])
	}
	for i := range spec.Cameras {
		m.camera(&spec.Cameras[i])
	}
	m.close()
	m.coupling()
	// In the sleep pose the simplified shapes of these two overlap, where the
	// real ones pass; the shoulder's limits keep them apart.
	m.open("contact")
	m.leaf("exclude", "body1", baseLink.name, "body2", movingLinks[twinrig.Shoulder].name)
	m.close()
	m.close()
	return m.buf.Bytes(), nil
}

// mjcf is a writer of elements.
type mjcf struct {
	params     *Params
	carried    []Geom
	silhouette bool
	buf        bytes.Buffer
	stack      []string
}

// element starts an element; attrs alternate name and value, and a nil value
// leaves the attribute out.
func (m *mjcf) element(name, end string, attrs []any) {
	m.buf.WriteString(strings.Repeat("  ", len(m.stack)) + "<" + name)
	for i := 0; i < len(attrs); i += 2 {
		if attrs[i+1] == nil {
			continue
		}
		fmt.Fprintf(&m.buf, " %s=\"", attrs[i])
		// writing to a buffer cannot fail
		_ = xml.EscapeText(&m.buf, []byte(text(attrs[i+1])))
		m.buf.WriteByte('"')
	}
	m.buf.WriteString(end + "\n")
}

func (m *mjcf) open(name string, attrs ...any) {
	m.element(name, ">", attrs)
	m.stack = append(m.stack, name)
}

func (m *mjcf) leaf(name string, attrs ...any) { m.element(name, "/>", attrs) }

func (m *mjcf) close() {
	name := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	m.buf.WriteString(strings.Repeat("  ", len(m.stack)) + "</" + name + ">\n")
}

// text is a value as an attribute; numbers keep their full precision.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []float64:
		var b []string
		for _, x := range v {
			b = append(b, text(x))
		}
		return strings.Join(b, " ")
	case twinrig.Vec3:
		return text(v[:])
	case twinrig.Quat:
		return text(v[:])
	}
	panic(fmt.Sprintf("sim: no attribute of type %T", v))
}

// options are the physics that grasping was tried with: the elliptic cone and
// impratio keep a held object from creeping, and solref and solimp keep it out
// of the surface.
func (m *mjcf) options(spec *Spec) {
	shadow := 0
	if spec.Shadows {
		shadow = 1024
	}
	w, h := 64, 64
	for _, c := range spec.Cameras {
		w, h = max(w, c.W), max(h, c.H)
	}
	m.leaf("compiler", "angle", "radian", "autolimits", "true")
	m.leaf("option", "timestep", seconds(m.params.Timestep), "gravity", []float64{0, 0, -m.params.Gravity},
		"integrator", "Euler", "cone", "elliptic", "impratio", 10, "iterations", 50)
	m.leaf("size", "memory", "16M")
	m.leaf("statistic", "extent", 1, "center", []float64{0.3, 0, 0.2}, "meansize", 0.05)
	m.open("visual")
	m.leaf("global", "offwidth", w, "offheight", h)
	m.leaf("quality", "offsamples", 0, "shadowsize", shadow, "numslices", 24, "numstacks", 12)
	m.leaf("headlight", "ambient", ".32 .32 .33", "diffuse", ".28 .28 .28", "specular", "0 0 0")
	m.leaf("map", "znear", 0.02, "zfar", 20, "shadowclip", 1.2)
	m.close()

	m.open("default")
	m.leaf("geom", "solref", ".01 1", "solimp", ".95 .99 .001")
	// bit 0 is the table and the objects, bit 1 the arm, which need not touch
	// itself
	touches := 1
	if spec.SelfContact {
		touches = 3
	}
	class := func(name string, attrs ...any) {
		m.open("default", "class", name)
		m.leaf("geom", attrs...)
		m.close()
	}
	class("seen", "contype", 0, "conaffinity", 0, "group", 2, "mass", 0)
	class("arm", "contype", 2, "conaffinity", touches, "group", 3, "friction", ".8 .005 .0001", "condim", 4)
	class("pad", "contype", 2, "conaffinity", touches, "group", 3,
		"friction", []float64{m.params.PadFriction, .01, .0001}, "condim", 4, "priority", 2)
	class("object", "contype", 1, "conaffinity", 3, "condim", 4, "priority", 1)
	m.close()
}

// geom writes one primitive.
func (m *mjcf) geom(g *Geom, class string, attrs ...any) {
	s := g.Size.Scale(0.5)
	size := s[:]
	switch g.Shape {
	case Sphere:
		size = s[:1]
	case Cylinder:
		size = []float64{s[0], s[2]}
	case Capsule:
		size = []float64{s[0], s[2] - s[0]}
	}
	x := g.Pose
	if x == (twinrig.Pose{}) {
		x = twinrig.IdentityPose
	}
	all := []any{"class", class, "type", string(g.Shape), "size", size, "pos", x.P}
	if x.R != twinrig.IdentityQuat {
		all = append(all, "quat", x.R)
	}
	m.leaf("geom", append(all, attrs...)...)
}

// object writes one body of the spec.
func (m *mjcf) object(b *Body) {
	m.open("body", "name", objectPrefix+b.Name, "pos", b.Pose.P, "quat", b.Pose.R)
	if b.Free {
		m.leaf("freejoint", "name", objectPrefix+b.Name)
	}
	volume := 0.0
	for i := range b.Geoms {
		volume += b.Geoms[i].mass(1)
	}
	for i := range b.Geoms {
		g := &b.Geoms[i]
		if g.Layer == Seen {
			m.geom(g, "seen", "material", "object", "rgba", m.colour(g))
			continue
		}
		group := 0
		if g.Layer == Felt {
			group = 3
		}
		var mass any
		if b.Free {
			mass = g.mass(b.Mass / volume)
		}
		m.geom(g, "object", "material", "object", "rgba", m.colour(g), "mass", mass, "group", group,
			"friction", []float64{g.Friction, .005, .0001})
	}
	m.close()
}

// camera writes one camera. MuJoCo's looks along -z with y up, has pixel centres
// at halves, and wants to know where the picture's centre is, seen from the
// principal point.
func (m *mjcf) camera(c *CameraSpec) {
	w, h := float64(c.W), float64(c.H)
	m.leaf("camera", "name", c.Name, "pos", c.BaseFromCamera.P,
		"quat", c.BaseFromCamera.R.Mul(twinrig.Quat{0, 1, 0, 0}).Normalized(),
		"resolution", []float64{w, h}, "sensorsize", []float64{w * 1e-5, h * 1e-5},
		"focalpixel", []float64{c.FxPx, c.FyPx},
		"principalpixel", []float64{w/2 - c.CxPx - 0.5, h/2 - c.CyPx - 0.5})
}
