"""Asks twinrig's policy servers as users' own clients do.

Usage: policy_clients.py OPENPI_HOST OPENPI_PORT REST_URL. The first with the official
openpi-client, the second with json-numpy. Prints what each answered, as JSON.
"""
import json
import sys
import urllib.error
import urllib.request

import json_numpy
import numpy as np
from openpi_client import websocket_client_policy

STATE = np.array([-0.13, -0.76, 0.44, -0.02, 1.75, -0.16, 1.0], dtype=np.float32)

policy = websocket_client_policy.WebsocketClientPolicy(sys.argv[1], int(sys.argv[2]), api_key="k-17")
metadata = policy.get_server_metadata()["twinrig"]
assert metadata["state_layout"] == "joints", metadata
answer = policy.infer({metadata["state_key"]: STATE, metadata["prompt_key"]: "go"})
openpi = answer[metadata["actions_key"]]
assert openpi.dtype == np.float64 and openpi.shape == (metadata["horizon"], 7), (openpi.dtype, openpi.shape)
assert answer["server_timing"]["infer_ms"] >= 0, answer
probe = policy.infer({metadata["state_key"]: STATE, metadata["probe_key"]: "droll"})[metadata["actions_key"]]
assert probe[0].tolist() == [0, 0, 0, 0.01, 0, 0, 1], probe
try:
    policy.infer({"wrong": STATE})
    raise SystemExit("an observation without a state was answered")
except RuntimeError as e:
    assert metadata["state_key"] in str(e), e


def post(url, body, key="k-17"):
    request = urllib.request.Request(
        url, data=body.encode(), headers={"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    )
    return urllib.request.urlopen(request, timeout=20).read().decode()


url = sys.argv[3]
health = json.loads(urllib.request.urlopen(url.replace("/act", "/health"), timeout=20).read())
assert health["status"] == "ok", health
post(url.replace("/act", "/reset"), "{}")
observation = {health["twinrig"]["state_key"]: STATE, "instruction": "go"}
rest = json_numpy.loads(post(url, json_numpy.dumps(observation)))
assert rest.shape == openpi.shape, rest
# As OpenVLA's clients do it: encoded twice.
twice = json_numpy.loads(post(url, json.dumps({"encoded": json_numpy.dumps(observation)})))
assert twice.shape == openpi.shape, twice
try:
    post(url, json_numpy.dumps(observation), key="k-18")
    raise SystemExit("a wrong key was let in")
except urllib.error.HTTPError as e:
    assert e.code == 401, e

print(json.dumps({"openpi": openpi.tolist(), "rest": rest.tolist()}))
