"""Writes what Python makes of frame.png: pad.png by openpi-client 0.1.2 with Pillow,
lanczos.png by OpenCV. Run where openpi-client and opencv-python-headless are."""
import cv2
import numpy as np
from PIL import Image
from openpi_client import image_tools

rng = np.random.default_rng(7)
y, x = np.mgrid[0:240, 0:320]
frame = np.zeros((240, 320, 3), np.uint8)
frame[..., 0] = x * 255 // 319
frame[..., 1] = ((x // 9 + y // 7) % 2) * 200 + 20
frame[..., 2] = 127 + 127 * np.sin((x * x + y * y) / 900.0)
frame[60:120, 40:160] = rng.integers(0, 256, (60, 120, 3), dtype=np.uint8)
Image.fromarray(frame).save("frame.png")
Image.fromarray(image_tools.resize_with_pad(frame, 224, 224)).save("pad.png")
Image.fromarray(image_tools.resize_with_pad(frame, 96, 400)).save("pad_up.png")
Image.fromarray(cv2.resize(frame, (224, 224), interpolation=cv2.INTER_LANCZOS4)).save("lanczos.png")
