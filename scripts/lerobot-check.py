"""Loads a LeRobot dataset with the official package and prints what it is.

Usage: lerobot-check.py FOLDER. Everything that a training run would touch is
touched: metadata, statistics, every row, and each camera's video, decoded.
Prints one JSON object, and ends with an error if anything is not as it says.
"""
import json
import sys
from importlib.metadata import version
from pathlib import Path

import torch
from lerobot.datasets.lerobot_dataset import CODEBASE_VERSION, LeRobotDataset

root = Path(sys.argv[1])
data = LeRobotDataset("local/" + root.name, root=root, video_backend="pyav")
info = json.loads((root / "meta/info.json").read_text())
assert len(data) == info["total_frames"], (len(data), info["total_frames"])
assert data.num_episodes == info["total_episodes"]
first, last = data[0], data[len(data) - 1]
for item in (first, last):
    for key, feature in info["features"].items():
        shape = tuple(item[key].shape)
        if feature["dtype"] == "video":
            height, width, _ = feature["shape"]
            assert shape == (3, height, width), (key, shape)
            assert 0 <= item[key].min() and item[key].max() <= 1 and item[key].std() > 0.01, key
        elif feature["shape"] != [1]:
            assert list(shape) == feature["shape"], (key, shape)
# Frames in the order of their episodes, times a step apart.
fps, index = info["fps"], 0
for i in range(len(data)):
    row = data.hf_dataset[i]
    assert int(row["index"]) == i
    assert abs(float(row["timestamp"]) - int(row["frame_index"]) / fps) < 1e-4
batch = next(iter(torch.utils.data.DataLoader(data, batch_size=4, shuffle=False)))
stats = data.meta.stats
print(json.dumps({
    "lerobot": version("lerobot"),
    "codebase_version": CODEBASE_VERSION,
    "length": len(data),
    "episodes": data.num_episodes,
    "fps": data.fps,
    "task": first["task"],
    "first": {k: list(v.shape) if hasattr(v, "shape") else v for k, v in sorted(first.items())},
    "batch": {k: list(v.shape) if hasattr(v, "shape") else v for k, v in sorted(batch.items())},
    "picture_mean": {k: [round(float(c), 4) for c in first[k].mean(dim=(1, 2))] for k in data.meta.video_keys},
    "stats_mean_shape": {k: list(v["mean"].shape) for k, v in sorted(stats.items())},
    "stats_picture_mean": {k: [round(float(c), 4) for c in stats[k]["mean"].reshape(-1)] for k in data.meta.video_keys},
}))
