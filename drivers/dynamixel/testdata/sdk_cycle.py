"""Reads nine servos by Fast Sync Read and writes their goals, with ROBOTIS' SDK.

Usage: sdk_cycle.py TTY CYCLES. Prints the CPU microseconds of a cycle, and the
cycles a second.
"""
import sys
import time

import dynamixel_sdk as dxl

GOAL_POSITION, PRESENT_CURRENT = 116, 126

port = dxl.PortHandler(sys.argv[1])
assert port.openPort() and port.setBaudRate(1000000)
bus = dxl.PacketHandler(2.0)
state = dxl.GroupSyncRead(port, bus, PRESENT_CURRENT, 10)
goals = dxl.GroupSyncWrite(port, bus, GOAL_POSITION, 4)
for servo in range(1, 10):
    assert state.addParam(servo)
    assert goals.addParam(servo, [0, 8, 0, 0])

cycles = int(sys.argv[2])
wall, cpu = time.monotonic(), time.process_time()
late = 0
for _ in range(cycles):
    late += state.fastSyncRead() != dxl.COMM_SUCCESS
    result = goals.txPacket()
    assert result == dxl.COMM_SUCCESS, bus.getTxRxResult(result)
cpu, wall = time.process_time() - cpu, time.monotonic() - wall
assert late < cycles / 10, late
print(1e6 * cpu / cycles, cycles / wall)
