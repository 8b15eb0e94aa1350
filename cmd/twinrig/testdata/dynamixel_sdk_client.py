"""Drives the virtual rig's servos with ROBOTIS' own SDK.

Usage: dynamixel_sdk_client.py TTY. Exits with the first thing that is not as a
WidowX 250S on a U2D2 would have it.
"""
import sys
import time

import dynamixel_sdk as dxl

TORQUE, LED, GOAL_POSITION, PRESENT_POSITION = 64, 65, 116, 132
PRESENT_CURRENT, FIRMWARE, MOVING_THRESHOLD = 126, 6, 24
MODELS = {**{i: 1020 for i in range(1, 8)}, 8: 1060, 9: 1060}

port = dxl.PortHandler(sys.argv[1])
assert port.openPort() and port.setBaudRate(1000000)
bus = dxl.PacketHandler(2.0)


def ok(result, error=0):
    assert result == dxl.COMM_SUCCESS, bus.getTxRxResult(result)
    assert error == 0, bus.getRxPacketError(error)


# Ping, one by one and all at once.
for servo, model in MODELS.items():
    number, result, error = bus.ping(port, servo)
    ok(result, error)
    assert number == model, (servo, number)
_, result, _ = bus.ping(port, 42)
assert result == dxl.COMM_RX_TIMEOUT, result
found, result = bus.broadcastPing(port)
ok(result)
assert {i: v[0] for i, v in found.items()} == MODELS, found

# Read and write, in RAM and EEPROM; the lock and the limits.
firmware, result, error = bus.read1ByteTxRx(port, 3, FIRMWARE)
ok(result, error)
assert firmware >= 45, firmware
ok(*bus.write1ByteTxRx(port, 4, LED, 1))
led, result, error = bus.read1ByteTxRx(port, 4, LED)
ok(result, error)
assert led == 1
ok(*bus.write4ByteTxRx(port, 6, MOVING_THRESHOLD, 23))
ok(*bus.write1ByteTxRx(port, 6, TORQUE, 1))
result, error = bus.write4ByteTxRx(port, 6, MOVING_THRESHOLD, 24)
assert result == dxl.COMM_SUCCESS and error == dxl.ERRNUM_ACCESS, (result, error)
result, error = bus.write4ByteTxRx(port, 6, GOAL_POSITION, 9999)
assert result == dxl.COMM_SUCCESS and error in (dxl.ERRNUM_DATA_RANGE, dxl.ERRNUM_DATA_LIMIT), (result, error)
ok(*bus.write1ByteTxRx(port, 6, TORQUE, 0))


def positions(fast):
    group = dxl.GroupSyncRead(port, bus, PRESENT_CURRENT, 10)
    for servo in MODELS:
        assert group.addParam(servo)
    if fast:
        ok(group.fastSyncRead())
    else:
        ok(group.txRxPacket())
    for servo in MODELS:
        assert group.isAvailable(servo, PRESENT_CURRENT, 10), servo
    return [group.getData(servo, PRESENT_POSITION, 4) for servo in MODELS]


# Sync Read and Fast Sync Read see the same arm, lying in its sleep pose.
slow, fast = positions(False), positions(True)
assert max(abs(a - b) for a, b in zip(slow, fast)) <= 2, (slow, fast)
assert abs(slow[0] - 2048) < 30 and slow[1] < 950 and slow[3] > 2950, slow

# Sync Write: the waist and wrist_rotate turn, each its own way.
ok(*bus.write1ByteTxRx(port, 1, TORQUE, 1))
ok(*bus.write1ByteTxRx(port, 8, TORQUE, 1))
goals = {1: slow[0] + 60, 8: slow[7] - 80}
group = dxl.GroupSyncWrite(port, bus, GOAL_POSITION, 4)
for servo, goal in goals.items():
    assert group.addParam(servo, list(goal.to_bytes(4, "little")))
ok(group.txPacket())
deadline = time.monotonic() + 10
while True:
    now = positions(True)
    if all(abs(now[servo - 1] - goal) <= 25 for servo, goal in goals.items()):
        break
    assert time.monotonic() < deadline, (now, goals)

# Bulk Write and Bulk Read: another register of each servo.
group = dxl.GroupBulkWrite(port, bus)
assert group.addParam(2, LED, 1, [1])
assert group.addParam(9, TORQUE, 1, [1])
ok(group.txPacket())
group = dxl.GroupBulkRead(port, bus)
assert group.addParam(2, LED, 1) and group.addParam(9, TORQUE, 1) and group.addParam(5, PRESENT_POSITION, 4)
ok(group.txRxPacket())
assert group.getData(2, LED, 1) == 1 and group.getData(9, TORQUE, 1) == 1
assert abs(group.getData(5, PRESENT_POSITION, 4) - slow[4]) < 60

# Reboot: RAM is lost, EEPROM stays.
ok(*bus.reboot(port, 9))
deadline = time.monotonic() + 10
while bus.ping(port, 9)[1] != dxl.COMM_SUCCESS:
    assert time.monotonic() < deadline, "servo 9 is not back"
torque, result, error = bus.read1ByteTxRx(port, 9, TORQUE)
ok(result, error)
assert torque == 0
threshold, result, error = bus.read4ByteTxRx(port, 6, MOVING_THRESHOLD)
ok(result, error)
assert threshold == 23, threshold
for servo in (1, 8):
    ok(*bus.write1ByteTxRx(port, servo, TORQUE, 0))
port.closePort()
print("all as it should be")
