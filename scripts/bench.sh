#!/usr/bin/env bash
# Prints each speed beside the limit or the peer that it is measured against.
# Figures of the virtual rig say so. The machine's load decides much: it is
# printed first.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh rt-tests liborocos-kdl-dev # the peers
echo "machine: $(nproc) cores, load $(cut -d' ' -f1-3 /proc/loadavg)"

echo
load() { cut -d' ' -f1-3 /proc/loadavg; }
echo "== bus: CPU of one Fast Sync Read and Sync Write with its emulated servos, in memory"
go test -run '^$' -bench '^BenchmarkCycle$' -benchmem ./drivers/dynamixel | grep Benchmark
echo "== bus, virtual time: cycle rate of nine servos (read 10 bytes, write 4) against the wire model; limit 95 %"
go test -count=1 -run TestCycleRate -v ./drivers/dynamixel | grep -o 'virtual time.*'
echo "== bus, virtual: one silent servo; limit 3 ms a cycle"
go test -count=1 -run 'TestSilentServo$/.*false' -v ./drivers/dynamixel | grep -o 'virtual: .*'
echo "== bus and serial over a pty at the true rates (load $(load)): share of the wire model, limit 95 %; CPU, limit 100 us a cycle at 1 Mbps Fast Sync Read"
go test -run '^$' -bench 'PTYCycle$' -benchtime 1000x ./drivers/dynamixel | grep Benchmark
echo "== beside it ROBOTIS' Python SDK on the same pty; the published figure of the C++ SDK is 376 to 597 us"
go test -run '^$' -bench PTYCycleSDK -benchtime 1x ./drivers/dynamixel | grep -E 'Benchmark|SKIP|needs'
echo "== bus, virtual: 10^6 cycles, 1 % of bytes damaged both ways; no wrong value after the driver's check, recovery in the first undamaged cycle"
go test -count=1 -run TestDamagedBytes -v ./drivers/dynamixel -args -campaign-cycles=1000000 | grep -o 'virtual: .*'
echo "== serial: round trip of 14 and 189 bytes over a pty; a cycle at 1 Mbps has 3.1 ms"
go test -run '^$' -bench RoundTrip -benchmem ./drivers/serial | grep Benchmark
echo "== control: one tick without the bus; limit 0 allocs"
go test -run '^$' -bench Tick -benchmem ./agent | grep Benchmark
echo "== model: gravity (limit 2500 ns), forward and inverse kinematics (limit 10000 ns near a seed), contact (twice a tick)"
go test -run '^$' -bench 'Gravity|Forward|Inverse|Envelope' -benchmem ./sim | grep Benchmark
echo "== inverse kinematics of 10,000 poses beside Orocos KDL's two solvers, from seeds nearby and from home; limits 99.9 % solved, median 10000 ns"
go test -run '^$' -bench InverseBesideKDL -benchtime 1x ./sim | grep -E 'Benchmark|SKIP'
echo "== loop: lateness beside cyclictest in turn, idle, with both cores busy, and with garbage to collect; limits 1.5 times its p99, p50 100 us"
go test -run '^$' -bench '^BenchmarkLateness$' -benchtime 1x ./agent | grep -E 'Benchmark|SKIP'
echo "== loop, virtual: CPU of the loop's thread with mirror, recorder and telemetry and without, in turn; limit 2 % more"
go test -run '^$' -bench '^BenchmarkSinks$' -benchtime 1x ./cmd/twinrig | grep Benchmark
echo "== mirror: one report followed; real time allows 3.2 ms"
go test -run '^$' -bench Mirror -benchmem ./sim/mirror | grep Benchmark
echo "== telemetry: one report into MQTT's lanes while a broker takes the messages (load $(load)); limit p99 1000 ns, 0 allocs in the loop's thread (a test); B/op are the sender's"
go test -run '^$' -bench Put -benchmem -benchtime 20000x ./agent/telemetry/mqtt | grep Benchmark
echo "== metrics: one tick counted; 0 allocs (a test)"
go test -run '^$' -bench Put -benchmem ./agent/telemetry/metrics | grep Benchmark
echo "== record: one tick and one frame into the log; real time allows 3.2 ms a tick"
go test -run '^$' -bench 'Tick|Frame' -benchmem ./agent/record | grep Benchmark
echo "== report of a made-up study of 10,000 trials (load $(load)); limits 5 s, 500 MiB"
go test -run '^$' -bench '^BenchmarkReport$' -benchtime 1x ./cmd/twinrig | grep Benchmark

echo
echo "== virtual: 20 random poses held; limits 0.5 deg, 3 times better than without gravity compensation"
go test -run TestHoldsRandomPoses -v ./cmd/twinrig | grep virtual
echo "== virtual: hand at the ends of chunks of recorded motion (not part of the project); limits 5 mm median, 10 mm p95"
go test -count=1 -run TestChunkEndsOfRecordedMotion -v ./cmd/twinrig | grep -oE 'virtual: .*|no recorded segments'
echo "== virtual: scripted expert without hidden differences; limit 95 %"
go test -run TestExpertWithoutHiddenDifferences -v ./cmd/twinrig -args -expert-trials=60 | grep virtual
echo "== virtual: scripted expert on the twelve scenes of Table 2, with hidden differences; limit 90 %"
go test -run TestExpertOnTable2 -v ./cmd/twinrig -args -table2-trials=8 | grep virtual
echo "== virtual: studies killed at 200 random instants, limit: the same report"
go test -run TestKilledStudy -v ./cmd/twinrig -args -study-kills=200 -study-rounds=10 | grep virtual
echo "== virtual: the camera's place in the base from rendered pictures, 20 rigs; limit 1.0 mm and 0.2 deg in 19"
go test -timeout 30m -count=1 -run TestCalibExtrinsicsFindsTheTruth -v ./cmd/twinrig -args -extrinsics-seeds=20 | grep virtual

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
echo
echo "== virtual, lockstep: limit 10 times real time"
bin/twinrig demo --lockstep --out "$out/lockstep" 2>/dev/null | grep 'times as fast'
echo "== virtual, lockstep: the study of 240 trials, mirrored; limit 10 min"
bin/twinrig eval plan "$out/table2" >/dev/null
time bin/twinrig eval run "$out/table2" --lockstep 2>/dev/null
echo "== virtual, paced at 1 Mbps, latency timer 1 ms: limit 95 % of the wire model"
bin/twinrig demo --out "$out/paced" 2>/dev/null | grep 'wire model'
