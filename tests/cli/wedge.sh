#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wedge.sh BILLOW SOURCE: variants of a preset side by side: baked, shown, gone on with, picked; and what is refused.
. "$(dirname "$0")/prompt.sh"

sed -i 's/01-1006/01-1004/' puff.yaml
w="out/puff_wedge"

# ---- all of it ----
run wedge puff.yaml --vary stages.emit.density=0.5,1 --vary time.seed=1..3 --set stages.emit.noise.amount=1; expect "a wedge" 0 "6 of 6 members to bake" "wedge.png"
that "a member is the bake of its values" "$billow" bake puff.yaml --set stages.emit.noise.amount=1 --set stages.emit.density=1 --set time.seed=2 --out alone
that "byte by byte" cmp alone/vdb/puff_1004.vdb $w/005/vdb/puff_1004.vdb
that "and no two are alike" test "$(cat $w/*/vdb/puff_1004.vdb | wc -c)" -gt 0 -a "$(sha1sum $w/*/vdb/puff_1004.vdb | cut -d' ' -f1 | sort -u | wc -l)" = 6
cat >sheet.py <<'END'
import csv, json, struct, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/wedge.csv")))
assert [row["member"] for row in rows] == list("123456") and {row["state"] for row in rows} == {"done"}
assert [(row["stages.emit.density"], row["time.seed"]) for row in rows] == [(d, s) for d in ("0.5", "1") for s in "123"]
frames = list(csv.DictReader(open(sys.argv[1] + "/005/metrics.csv")))
several = 0
for name in frames[0].keys() - {"frame", "time"}:
    column = [float(row[name]) for row in frames if row[name]]
    assert [float(rows[4][name]), float(rows[4][name + ".max"])] == [column[-1], max(column)], name
    several += column[-1] < max(column)
assert several > 0
w, h = struct.unpack(">II", open(sys.argv[1] + "/wedge.png", "rb").read(24)[16:])
assert w > 1.2 * h or w > 600, (w, h)  # three in a row of two
plan = json.load(open(sys.argv[1] + "/wedge.json"))
assert plan["columns"] == 3 and len(plan["members"]) == 6
svg = open(sys.argv[1] + "/wedge.svg").read()
assert svg.count("<polyline") % 6 == 0 and "stats.mass_density" in svg and "stats.min_density" not in svg
END
that "table, sheet, plan and plots tell of six" python3 sheet.py $w
that "a movie of all" test -s $w/wedge.mp4
run wedge puff.yaml --vary stages.emit.density=0.5,1 --vary time.seed=1..3 --set stages.emit.noise.amount=1 --still; expect "the same command again" 0 "6 members"
that "bakes nothing" test "$(grep -c "members to bake" err.txt)" = 0
rm -r $w/003 && run wedge $w --again --still; expect "what is gone is baked" 0 "1 of 6 members to bake"
run wedge pick $w 5; expect "pick" 0 "puff_5.yaml"
that "the pick is the member" "$billow" bake puff_5.yaml --out picked
that "byte by byte, too" cmp picked/vdb/puff_1004.vdb $w/005/vdb/puff_1004.vdb
run wedge pick $w 5; expect "a pick does not replace" 2 "is there already"
run wedge pick $w 7; expect "a pick of none" 2 "from 1 to 6"
run wedge pick . 1; expect "a pick of no wedge" 2 "holds no wedge"

# ---- one fails, and it alone is run again ----
run wedge puff.yaml --vary stages.emit.density=1 --vary limits.time=1e-6,100,200 --still --out "a b"
expect "a member that fails" 1 "member 1 \(density=1 time=1e-6\) failed with code 7" "time limit" "a b/001.log" "--again"
that "the other is whole" "$billow" check "a b/002"
that "the table says so" grep -q '^1,1,1e-6,failed,7' "a b/wedge.csv"
that "members that are alike have no plot" test "$(grep -c polyline "a b/wedge.svg")" = 0
run wedge "a b" --still; expect "the folder alone" 1 "1 of 3 members to bake"
run wedge "a b" --set time.seed=3; expect "a wedge stays what it is" 2 "stays as it is"

# ---- stopped, and gone on with ----
sed 's/1001-1004/1001-1120/' puff.yaml >long.yaml
"$billow" wedge long.yaml --vary time.seed=1..2 --jobs 2 --still --out long 2>err.txt </dev/null &
pid=$!
baked() { [ "$(cat long/*/vdb/*.vdb 2>/dev/null | wc -c)" -gt 100000 ]; }
soon baked
members=$(cat /proc/$pid/task/$pid/children)
kill -STOP $members # or they would be done while others are asked
"$billow" wedge long.yaml --vary time.seed=1..2 --still --out long >out.txt 2>err2.txt; code=$?
mv err2.txt err.txt; expect "two into one folder" 2 "another wedge runs in long"
kill -TERM $pid
kill -CONT $members
{ wait $pid; } 2>/dev/null
code=$?
expect "stopped" 75
that "each with a checkpoint" test "$(grep -c '"code": 75' long/001.json long/002.json | grep -c :1)" = 2
kept=$(ls long/001/vdb | wc -l)
that "in the middle" test "$kept" -gt 0 -a "$kept" -lt 120
run wedge long --still; expect "it goes on" 0 "2 of 2 members to bake"
that "from there" grep -q "^resumed from" long/001/bake.log

# ---- a file of what varies ----
cat >vary.yaml <<'END'
grid: {stages.emit.density: [0.5, 1]}
list: [{time.seed: 1, stages.mac.forces.gravity: [0, 0, -9]}, {time.seed: 2}]
random: {draws: 3, seed: 3, stages.mac.forces.buoyancy: 0.5..1.5}
END
run wedge puff.yaml --vary vary.yaml --dry-run; expect "a file" 0 "^ +1 +density=0.5 seed=1 gravity=\[0, 0, -9\] buoyancy=" "^ +12 "
cp out.txt first.txt; run wedge puff.yaml --vary vary.yaml --dry-run; that "draws are the same each time" cmp first.txt out.txt
that "and differ from one another" test "$(grep -o 'buoyancy=[0-9.]*' out.txt | sort -u | wc -l)" = 3
sed 's/list/lits/' vary.yaml >wrong.yaml
run wedge puff.yaml --vary wrong.yaml; expect "a section that is none" 3 "wrong.yaml:2:7: .*did you mean list"
sed 's/0.5..1.5/much/' vary.yaml >wrong.yaml
run wedge puff.yaml --vary wrong.yaml; expect "a draw from nothing" 3 "wrong.yaml:3:.*\"much\" is nothing to draw from"

# ---- what is refused ----
refused() { local what=$1 wanted=$2 words=$3; shift 3; run wedge puff.yaml "$@"; expect "$what" "$wanted" "$words"; }
refused "nothing varies" 2 "wants --vary"
refused "a key that is not there" 3 'member 1 \(stages.emti.density=1\): nothing here has the id "emti"; did you mean "emit"' --vary stages.emti.density=1
refused "a value out of range" 3 "member 2 \(domain.voxel=-1\): .*out of range" --vary domain.voxel=1cm,-1
refused "too many values" 2 "2000 values; a wedge has 1000 members at most" --vary time.seed=1..2000
refused "too many members" 2 "makes 1600 members" --vary time.seed=1..40 --vary stages.emit.density=1..40
refused "no range" 2 "is no range" --vary time.seed=1.5..3
refused "a missing value" 2 "a value is missing" --vary time.seed=1,,2
refused "a key twice" 2 "time.seed is varied twice" --vary time.seed=1 --vary time.seed=2
refused "another wedge's folder" 2 "out/puff_wedge holds another wedge" --vary time.seed=1..2
refused "a bake's folder" 2 "alone holds a bake" --vary time.seed=1..2 --out alone
env PATH=/nowhere "$billow" wedge puff.yaml --vary time.seed=1..2 --on slurm --out farm >out.txt 2>err.txt; code=$?
expect "no Slurm" 1 "there is no Slurm here: sbatch can't be run"
refused "another farm" 2 "--on takes slurm" --vary time.seed=1..2 --on pbs
run status $w; expect "status of what was not submitted" 2 "was not submitted"
run cancel $w; expect "cancel of what was not submitted" 2 "was not submitted"

prompt_end
