// Looks at a rig with Foxglove's own client. Usage: client.cjs NODE_MODULES URL
// PROTOCOL. Subscribes to every channel, unsubscribes from each at its first message,
// and prints as JSON what it was told: server, channels, first messages.
const { createRequire } = require("node:module");
const from = createRequire(process.argv[2] + "/");
const { FoxgloveClient } = from("@foxglove/ws-protocol");
const WebSocket = from("ws");

const client = new FoxgloveClient({ ws: new WebSocket(process.argv[3], [process.argv[4]]) });
const seen = { server: null, channels: [], first: {}, status: [] };
const topics = new Map();
client.on("error", (e) => { console.error(e); process.exit(1); });
client.on("serverInfo", (info) => { seen.server = info.name; });
client.on("status", (s) => seen.status.push(s.message));
client.on("advertise", (channels) => {
  seen.channels = channels;
  for (const c of channels) topics.set(client.subscribe(c.id), c.topic);
});
client.on("message", ({ subscriptionId, timestamp, data }) => {
  const topic = topics.get(subscriptionId);
  if (topic === undefined) return; // on its way when it was unsubscribed from
  seen.first[topic] = { at: Number(timestamp), message: JSON.parse(new TextDecoder().decode(data)) };
  client.unsubscribe(subscriptionId);
  topics.delete(subscriptionId);
  if (topics.size === 0) {
    console.log(JSON.stringify(seen));
    client.close();
  }
});
