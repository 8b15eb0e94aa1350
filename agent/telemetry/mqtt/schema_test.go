package mqtt_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"twinrig"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/eval"
)

// schemas are those of the folder, by their file's name, as the AsyncAPI
// document has them.
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	files, err := filepath.Glob("schema/*.schema.json")
	out := map[string]*jsonschema.Schema{}
	for _, f := range files {
		s, compileErr := c.Compile(f)
		err = errors.Join(err, compileErr)
		out[filepath.Base(f)] = s
	}
	return out, err
})

// asyncAPI is what the document says, as far as the tests hold it against what
// is published.
type asyncAPI struct {
	Channels map[string]struct {
		Address  string
		Messages map[string]struct {
			Ref string `yaml:"$ref"`
		}
	}
	Operations map[string]struct {
		Action  string
		Channel struct {
			Ref string `yaml:"$ref"`
		}
		Bindings struct {
			MQTT struct {
				QoS    byte `yaml:"qos"`
				Retain bool
			} `yaml:"mqtt"`
		}
	}
	Components struct {
		Messages map[string]struct {
			ContentType string `yaml:"contentType"`
			Payload     struct {
				Ref string `yaml:"$ref"`
			}
		}
	}
}

var document = sync.OnceValues(func() (d asyncAPI, err error) {
	text, err := os.ReadFile("schema/asyncapi.yaml")
	if err != nil {
		return d, err
	}
	return d, yaml.Unmarshal(text, &d)
})

// schemaOf is the file that the document names for a topic.
func schemaOf(topic string) (string, error) {
	doc, err := document()
	if err != nil {
		return "", err
	}
	for _, ch := range doc.Channels {
		pattern := regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(ch.Address), `[^/]+`)
		if !regexp.MustCompile("^" + pattern + "$").MatchString(topic) {
			continue
		}
		for _, m := range ch.Messages {
			msg := doc.Components.Messages[filepath.Base(m.Ref)]
			if msg.ContentType == "image/jpeg" {
				return "camera-jpeg.schema.json", nil
			}
			return msg.Payload.Ref, nil
		}
	}
	return "", fmt.Errorf("no channel has the address %s", topic)
}

// checkSchema holds a message against the schema of its topic.
func checkSchema(topic string, payload []byte) error {
	if !strings.HasPrefix(topic, "twinrig/") {
		return nil
	}
	name, err := schemaOf(topic)
	if err != nil {
		return err
	}
	if name == "camera-jpeg.schema.json" {
		var f twinrig.Frame
		if err := twinrig.DecodeJPEG(payload, &f); err != nil {
			return err
		}
		payload = mqtt.PictureInfo(payload)
	}
	return validate(name, payload)
}

func validate(name string, payload []byte) error {
	all, err := schemas()
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err != nil {
		return err
	}
	if all[name] == nil {
		return fmt.Errorf("there is no schema %q", name)
	}
	return all[name].Validate(v)
}

// Every schema has a channel that is sent with its quality of service, and says
// no to what is not its own.
func TestDocument(t *testing.T) {
	doc, err := document()
	require.NoError(t, err)
	all, err := schemas()
	require.NoError(t, err)
	used := map[string]bool{}
	require.Len(t, doc.Operations, len(doc.Channels))
	for name, op := range doc.Operations {
		ch, ok := doc.Channels[filepath.Base(op.Channel.Ref)]
		require.True(t, ok, name)
		topic := strings.NewReplacer("{rig}", "bench", "{id}", "4", "{verb}", "halt").Replace(ch.Address)
		file, err := schemaOf(topic)
		require.NoError(t, err)
		require.Contains(t, all, file)
		used[file] = true
		require.Error(t, validate(file, []byte(`{"stranger":1}`)))
		kept := strings.Contains(topic, "/trial/") || strings.HasSuffix(topic, "/halt") || strings.HasSuffix(topic, "/status")
		require.Equal(t, kept, op.Bindings.MQTT.QoS == 1, topic)
		require.Equal(t, strings.HasSuffix(topic, "/result") || strings.HasSuffix(topic, "/status"), op.Bindings.MQTT.Retain, topic)
	}
	require.Len(t, used, len(all), "a schema that no message has")
}

// A number with a unit says so in its key: what ends in none is a count or a
// number of something.
func TestUnits(t *testing.T) {
	units := regexp.MustCompile(`_(ns|s|rad|rad_s|m|mm|deg|nm|ratio|v|c|a|hz|us|px)$`)
	counts := strings.Fields(`tick misses step id missed retries seq dropped reports gaps order attempt placement_id
		control_steps steps ticks done total frame hardware_error seed`)
	files, err := filepath.Glob("schema/*.schema.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		var s map[string]any
		require.NoError(t, json.Unmarshal(text, &s))
		var walk func(key string, v map[string]any)
		walk = func(key string, v map[string]any) {
			if kind := fmt.Sprint(v["type"], v["$ref"]); strings.Contains(kind, "number") || strings.Contains(kind, "integer") || strings.Contains(kind, "joints") {
				require.True(t, units.MatchString(key) || strings.Contains(" "+strings.Join(counts, " ")+" ", " "+key+" "), "%s: %s", f, key)
			}
			if items, ok := v["items"].(map[string]any); ok {
				walk(key, items)
			}
			props, _ := v["properties"].(map[string]any)
			for k, p := range props {
				walk(k, p.(map[string]any))
			}
		}
		walk("", s)
	}
}

// A result with everything that a ledger may say, and one with as little.
func TestResultSchema(t *testing.T) {
	b := broker(t, 0)
	p, _ := open(t, config(b.URL()))
	s := 1.5
	joints := twinrig.Joints{1, 2, 3, 4, 5, 6}
	verdict := &eval.Verdict{Partial: true, Labels: []eval.Label{eval.Dropped}, Source: "operator", Who: "ada"}
	full := eval.Result{
		Trial: eval.Trial{
			ID: "0001", Study: "week12", Placement: eval.Placement{"spoon": {X: 0.1, Y: 0.2, Yaw: 0.3}},
			Policy: "expert", Source: "scripted:expert", Checkpoint: "step 40000", Timeout: 16,
		},
		Termination: eval.Timeout, Note: "none", Start: 1, End: 17, TGrasp: &s, TLift: &s, TSuccess: &s,
		Recovered: []eval.Label{eval.MissedGrasp}, Unstable: true, Verdict: verdict, Mirror: &eval.Mirror{Partial: true},
		Gap: &eval.Gap{Steps: 80, JointRMS: joints, JointVelRMS: joints, Divergence: &s}, Loop: &eval.Loop{Ticks: 9},
		Amendments: []eval.Amendment{{Who: "ada", Reason: "saw it again", At: "2026-01-02T03:04:05Z", Termination: eval.Invalid, Verdict: verdict}},
	}
	for i, r := range []eval.Result{full, {Termination: eval.Invalid}} {
		data, err := json.Marshal(r)
		require.NoError(t, err)
		p.PutResult(fmt.Sprint("key", i), data)
		p.PutResult(fmt.Sprint("key", i), data) // again: as after a restart
	}
	require.Eventually(t, func() bool { return p.Stats().Messages == 2 }, time.Minute, time.Millisecond)
	m := <-listen(t, b.URL(), "twinrig/bench/trial/result")
	require.True(t, m.retained)
	var got struct {
		Seq    uint64
		Result eval.Result
	}
	require.NoError(t, json.Unmarshal([]byte(m.payload), &got))
	require.Equal(t, uint64(2), got.Seq)
	require.Equal(t, eval.Result{Termination: eval.Invalid}, got.Result)
	require.Equal(t, mqtt.Stats{Messages: 2, Connected: true}, p.Stats())
}

// The schema knows every reason that the guard has.
func TestSchemaNamesEveryIntervention(t *testing.T) {
	text, err := os.ReadFile("schema/state.schema.json")
	require.NoError(t, err)
	for _, name := range (^twinrig.Intervention(0)).Names() {
		require.Equal(t, 2, bytes.Count(text, []byte(`"`+name+`"`)), name)
	}
}
