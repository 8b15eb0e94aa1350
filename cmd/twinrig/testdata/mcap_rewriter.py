"""Writes what is in a trial's log anew, with the official MCAP package.

Usage: mcap_rewriter.py IN OUT COMPRESSION CHUNK_BYTES, where COMPRESSION is
none, lz4 or zstd and CHUNK_BYTES 0 is a file without chunks, without checksums
and without an index. Schemas and channels get other numbers than they had.
"""
import sys

from mcap.reader import make_reader
from mcap.writer import CompressionType, IndexType, Writer

source, target, compression, chunk_bytes = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
plain = chunk_bytes == 0
with open(source, "rb") as f, open(target, "wb") as out:
    reader = make_reader(f, validate_crcs=True)
    writer = Writer(
        out, compression=CompressionType[compression.upper()], use_chunking=not plain,
        chunk_size=chunk_bytes or 1, enable_crcs=not plain, enable_data_crcs=not plain,
        index_types=IndexType.NONE if plain else IndexType.ALL,
    )
    writer.start(profile="", library="somebody else's")
    metadata = list(reader.iter_metadata())
    for m in metadata:
        if m.name == "trial":
            writer.add_metadata(m.name, m.metadata)
    for a in reader.iter_attachments():
        writer.add_attachment(a.create_time, a.log_time, a.name, a.media_type, a.data)
    summary = reader.get_summary()
    channels = {}
    for number, channel in sorted(summary.channels.items(), reverse=True):
        schema = summary.schemas[channel.schema_id]
        channels[number] = writer.register_channel(
            channel.topic, channel.message_encoding,
            writer.register_schema(schema.name, schema.encoding, schema.data), channel.metadata,
        )
    # A topic of another tool's, which a reader must pass over.
    note = writer.register_channel("/note", "json", 0)
    for schema, channel, message in reader.iter_messages(log_time_order=False):
        writer.add_message(note, message.log_time, b'{"text": "hello"}', message.publish_time)
        writer.add_message(
            channels[channel.id], message.log_time, message.data, message.publish_time, message.sequence,
        )
    for m in metadata:
        if m.name != "trial":
            writer.add_metadata(m.name, m.metadata)
    writer.finish()
