"""Serves a policy as users' own servers do, until its input ends.

Usage: policy_servers.py openpi|rest. The first with openpi-client's own encoding over
the websockets package as openpi's server does it, the second with json-numpy. Neither
declares anything. Prints its port. The answer to an observation is, in each of two
actions: the means of the picture's red, green and blue by 10,000, the first number of
the state by 100, 0, 0, and 0.75; if the picture and the state have the shapes and types
that the servers of models expect.
"""
import http.server
import sys
import threading

import json_numpy
import numpy as np
import websockets.sync.server
from openpi_client import msgpack_numpy


def act(image, state, prompt):
    assert image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3, (image.dtype, image.shape)
    assert prompt == "put the red cube in the blue bowl", prompt
    mean = image.reshape(-1, 3).mean(axis=0) / 10000
    x = 0.0
    if state is not None:
        assert state.dtype == np.float32 and state.shape == (7,), (state.dtype, state.shape)
        x = float(state[0]) / 100
    action = np.array([*mean, x, 0, 0, 0.75])
    return np.stack([action, action]).astype(np.float32)


def openpi(socket):
    packer = msgpack_numpy.Packer()
    socket.send(packer.pack({"model": "a test's"}))
    try:
        for frame in socket:
            o = msgpack_numpy.unpackb(frame)
            assert o["observation/image"].shape == (224, 224, 3), o["observation/image"].shape
            actions = act(o["observation/image"], o["observation/state"], o["prompt"])
            socket.send(packer.pack({"actions": actions, "policy_timing": {"infer_ms": 1.0}}))
    except Exception as e:  # as openpi's server: the trace as text
        socket.send(f"Traceback\n{type(e).__name__}: {e}")
        raise


class Rest(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path != "/act":
            self.send_error(404)
            return
        o = json_numpy.loads(body)
        assert o["unnorm_key"] == "bridge_orig", o.keys()
        answer = json_numpy.dumps(act(o["image"], None, o["instruction"])).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


if sys.argv[1] == "openpi":
    server = websockets.sync.server.serve(openpi, "127.0.0.1", 0, compression=None, max_size=None)
    port = server.socket.getsockname()[1]
else:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Rest)
    port = server.server_address[1]
threading.Thread(target=server.serve_forever, daemon=True).start()
print(port, flush=True)
sys.stdin.read()
server.shutdown()
