"""Reads a trial's log with the official MCAP package and prints what is in it.

Usage: mcap_reader.py FILE. Prints one JSON object.
"""
import base64
import json
import sys

from mcap.reader import make_reader

counts, encodings = {}, set()
with open(sys.argv[1], "rb") as f:
    reader = make_reader(f, validate_crcs=True)
    header = reader.get_header()
    for schema, channel, message in reader.iter_messages():
        counts[channel.topic] = counts.get(channel.topic, 0) + 1
        encodings.add((schema.encoding, channel.message_encoding))
        content = json.loads(message.data)
        assert set(json.loads(schema.data)["properties"]) >= set(content), channel.topic
        if channel.topic.startswith("/camera/"):
            assert schema.name == "foxglove.CompressedImage", schema.name
            assert base64.b64decode(content["data"])[:2] == b"\xff\xd8", "a JPEG"
    attachments = [a.name for a in reader.iter_attachments()]
print(json.dumps({
    "profile": header.profile, "counts": counts, "attachments": attachments,
    "encodings": sorted(encodings),
}))
