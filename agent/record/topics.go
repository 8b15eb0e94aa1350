package record

import "fmt"

// Topic is what a log says under one name.
type Topic struct {
	// Name is "/tick" or the like; a camera's is CameraTopic with its name.
	Name string
	// SchemaName and Schema are the JSON Schema's name and text. Messages are JSON.
	SchemaName, Schema string
	id                 uint16
}

// Topics are those of every log, with CameraTopic for all cameras, in the logs' order.
// What shows a rig live uses the same, so that one layout suits both.
func Topics() ([]Topic, error) {
	topics := []Topic{
		{Name: TickTopic, SchemaName: "twinrig.Report", Schema: "tick", id: tickID},
		{Name: GapTopic, SchemaName: "twinrig.Gap", Schema: "gap", id: gapID},
		{Name: EventTopic, SchemaName: "twinrig.Event", Schema: "event", id: eventID},
		{Name: ServoTopic, SchemaName: "twinrig.ServoHealth", Schema: "servo", id: servoID},
		{Name: CameraTopic, SchemaName: "foxglove.CompressedImage", Schema: "compressed_image", id: cameraID},
	}
	for i := range topics {
		text, err := schemas.ReadFile("schema/" + topics[i].Schema + ".json")
		if err != nil {
			return nil, fmt.Errorf("record: %w", err)
		}
		topics[i].Schema = string(text)
	}
	return topics, nil
}
