# SPDX-License-Identifier: Apache-2.0
"""motion.py CSV USDA [LARGER]: what a scene is told of bodies is what they did. Reads axes and unit from the .usda alone, puts the corners
of every shape where its transforms say, and compares them with the .csv, in metres and z-up; and that with the motion that
the preset (run.sh) gives its bodies."""
import csv, math, re, sys

FPS, FIRST = 30, 1001
SIZE = {1: (.2, .2, .2), 2: (.1, .2, .3), 3: (.4, .15, .05)}  # half extents, m
START = {1: (-1, .25, .5), 2: (0, .5, 1), 3: (1, -.5, 1.5)}
VELOCITY = {1: (.5, 0, .25), 2: (0, -1, .5), 3: (0, 0, 0)}
ANGLE, SPIN = math.radians(30), 2.0  # of body 2, about z
LARGER = float(sys.argv[3]) if len(sys.argv) > 3 else 1  # by Froude's law, speeds grow by its root
for table, times in (SIZE, LARGER), (START, LARGER), (VELOCITY, LARGER ** .5):
    table.update({body: tuple(times * x for x in row) for body, row in table.items()})
SPIN /= LARGER ** .5


def turn(q, v):
    w, u = q[0], q[1:]
    cross = lambda a, b: [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]
    c = cross(u, v)
    d = cross(u, c)
    return [v[i] + 2 * (w * c[i] + d[i]) for i in range(3)]


def near(a, b, by, what):
    assert len(a) == len(b) and all(abs(x - y) <= by for x, y in zip(a, b)), "%s: %s, not %s" % (what, a, b)


def motion_read(path):
    rows = {}
    for r in csv.DictReader(open(path)):
        pos, q = [float(r[k]) for k in ("x", "y", "z")], [float(r[k]) for k in ("qw", "qx", "qy", "qz")]
        near([float(r["time"])], [(int(r["frame"]) - FIRST) / FPS], 1e-8, "time")
        rows[int(r["body"]), int(r["frame"])] = pos, q
    return rows


def scene_read(path):
    text = open(path).read()
    assert text.startswith("#usda 1.0\n(") and text.count("{") == text.count("}"), "no stage"
    head = lambda key: re.search(r"^    %s = (.*)$" % key, text, re.M).group(1)
    assert float(head("timeCodesPerSecond")) == FPS and int(head("startTimeCode")) == FIRST
    unit, y_up = float(head("metersPerUnit")), head("upAxis") == '"Y"'
    world = lambda v: [unit * x for x in ((v[0], -v[2], v[1]) if y_up else v)]
    bodies = {}
    for part in re.split(r"\n    def Xform ", text)[1:]:
        samples = lambda key: {int(f): [float(x) for x in v.split(",")] for f, v in
                               re.findall(r"(\d+): \(([^)]*)\)", re.search(key + r"\.timeSamples = \{(.*?)\}", part, re.S).group(1))}
        ball = re.search(r"double radius = (\S+)", part)
        half = [float(ball.group(1))] * 3 if ball else [float(x) for x in re.search(r"xformOp:scale = \((.*)\)", part).group(1).split(",")]
        assert all(x > 0 for x in half), half
        assert ball or "double size = 2\n" in part
        assert 'xformOpOrder = ["xformOp:translate", "xformOp:orient"]' in part
        bodies[int(re.match(r'"body_(\d+)"', part).group(1))] = half, samples("translate"), samples("orient")
    return bodies, world, int(head("endTimeCode"))


def corners(half, place):
    return [place([s[i] * half[i] for i in range(3)]) for s in ((x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))]


motion, (bodies, world, last) = motion_read(sys.argv[1]), scene_read(sys.argv[2])
assert sorted(bodies) == [1, 2, 3] and len(motion) == 3 * (last - FIRST + 1)
for (b, frame), (pos, q) in motion.items():
    t = (frame - FIRST) / FPS
    near(pos, [START[b][i] + VELOCITY[b][i] * t for i in range(3)], 1e-9, "body %d at frame %d" % (b, frame))
    near([sum(x * x for x in q)], [1], 1e-9, "a unit quaternion")
    if b == 2:
        a = ANGLE + SPIN * t
        near(turn(q, [1, 0, 0]), [math.cos(a), math.sin(a), 0], 1e-4, "body 2's first axis at frame %d" % frame)
    half, translate, orient = bodies[b]
    did = corners(SIZE[b], lambda c: [p + x for p, x in zip(pos, turn(q, c))])
    told = [world(v) for v in corners(half, lambda c: [p + x for p, x in zip(translate[frame], turn(orient[frame], c))])]
    for v in (did, told):  # which corner is which depends on the axes
        v.sort(key=lambda c: [round(x, 5) for x in c])
    if b == 1:  # a ball has no corners
        did, told = [pos], [world(translate[frame])]
    for one, other in zip(did, told):
        near(other, one, 1e-7 * LARGER, "body %d in the scene at frame %d" % (b, frame))
near(bodies[1][0], [SIZE[1][0] / abs(world([1, 0, 0])[0])] * 3, 1e-5, "radius")
