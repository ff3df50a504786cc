#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes dusk.hdr, a sky a while after sunset, and so without a sun: afterglow in the picture's middle, mauve opposite,
blue above, clouds that are lit from below; or nightfall.hdr, half an hour later: a narrow band of orange, deep blue
above it, bars of cloud before both. 1 of it is what `exposure: 1` shows as middle grey and a half.

    dusk.py FILE.hdr [later]"""
import math
import sys

WIDE, HIGH = 768, 384


def mix(a, b, t):
    return [p + t * (q - p) for p, q in zip(a, b)]


def smooth(lo, hi, x):
    t = min(max((x - lo) / (hi - lo), 0), 1)
    return t * t * (3 - 2 * t)


def lot(i, j):
    n = (i * 374761393 + j * 668265263) & 0xFFFFFFFF
    n = ((n ^ n >> 13) * 1274126177) & 0xFFFFFFFF
    return (n ^ n >> 16) / 0xFFFFFFFF


def noise(x, y):
    i, j = math.floor(x), math.floor(y)
    u, v = x - i, y - j
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    low = lot(i, j) + u * (lot(i + 1, j) - lot(i, j))
    return low + v * (lot(i, j + 1) + u * (lot(i + 1, j + 1) - lot(i, j + 1)) - low)


def waves(x, y, octaves):
    total, weight = 0, 0.5
    for _ in range(octaves):
        total += weight * noise(x, y)
        x, y, weight = 2.03 * x + 5.1, 2.03 * y + 1.7, weight * 0.55
    return total / 0.95


def sky(round_, up):
    """Of a direction, by the angle from where the sun set and over the horizon, rad."""
    if up < 0:
        return [0.055, 0.045, 0.04]
    near = math.exp(-((round_ / 1.1) ** 2)) # towards the afterglow
    low = mix([0.17, 0.15, 0.165], [0.85, 0.47, 0.24], near)
    rose = mix([0.15, 0.155, 0.19], [0.36, 0.29, 0.26], near)
    blue = mix([0.075, 0.105, 0.16], [0.115, 0.16, 0.225], near)
    zenith = [0.018, 0.034, 0.075]
    rgb = mix(low, rose, smooth(-0.01, 0.07, up))
    rgb = mix(rgb, blue, smooth(0.03, 0.24, up))
    rgb = mix(rgb, zenith, smooth(0.2, 1.1, up))
    # A layer of clouds, drawn out by the wind: their bases hold the last light where it comes from low.
    far = 1 / (math.sin(up) + 0.06)
    x, y = far * math.cos(round_), far * math.sin(round_)
    bend = waves(0.35 * x, 0.35 * y, 3)
    body = waves(0.5 * x + 1.6 * bend, 1.25 * y + 1.3 * bend, 7)
    thick = smooth(0.42, 0.8, body) * smooth(0.005, 0.09, up)
    lit = mix([0.12, 0.115, 0.14], [0.62, 0.33, 0.21], near * math.exp(-up / 0.3))
    base = mix(lit, [0.04, 0.046, 0.065], smooth(0.5, 0.8, body))
    return mix(rgb, base, 0.7 * thick)


def nightfall(round_, up):
    """The same, later."""
    if up < 0:
        return [0.012, 0.012, 0.014]
    near = math.exp(-((round_ / 0.9) ** 2))
    low = mix([0.05, 0.065, 0.105], [0.95, 0.36, 0.1], near)
    rose = mix([0.045, 0.07, 0.125], [0.3, 0.19, 0.17], near)
    teal = mix([0.03, 0.058, 0.12], [0.05, 0.1, 0.175], near)
    rgb = mix(low, rose, smooth(-0.01, 0.075, up))
    rgb = mix(rgb, teal, smooth(0.04, 0.17, up))
    rgb = mix(rgb, [0.008, 0.018, 0.05], smooth(0.12, 0.75, up))
    # Bars of cloud, thin, dark against the glow, their lower edges lit by it.
    x, y = 3.2 * round_, 26 * up / (1 + 1.5 * up)
    body = waves(x + 0.6 * waves(2 * x, y, 2), 1.3 * y + 0.8 * waves(x, 0.5 * y, 3), 6)
    under = waves(x + 0.6 * waves(2 * x, y - 0.3, 2), 1.3 * (y - 0.3) + 0.8 * waves(x, 0.5 * y - 0.15, 3), 6)
    thick = smooth(0.52, 0.78, body) * smooth(0.01, 0.05, up) * (1 - smooth(0.25, 0.6, up))
    rim = smooth(0.02, 0.16, body - under) * near * math.exp(-up / 0.16)
    cloud = mix(mix([0.022, 0.03, 0.055], [0.06, 0.05, 0.07], near), [0.7, 0.24, 0.1], 0.8 * rim)
    return mix(rgb, cloud, 0.75 * thick)


def rgbe(rgb):
    most = max(rgb)
    part, power = math.frexp(most)
    return [int(c * part * 256 / most) for c in rgb] + [power + 128]


def runs(line):
    out, x = bytearray(), 0
    while x < len(line):
        n = 1
        while n < 127 and x + n < len(line) and line[x + n] == line[x]:
            n += 1
        if n > 2:
            out += bytes([128 + n, line[x]])
            x += n
            continue
        begin = x
        while x < len(line) and x - begin < 128 and not (x + 2 < len(line) and line[x] == line[x + 1] == line[x + 2]):
            x += 1
        out += bytes([x - begin]) + bytes(line[begin:x])
    return out


if len(sys.argv) not in (2, 3) or not sys.argv[1].endswith(".hdr") or sys.argv[2:] not in ([], ["later"]):
    sys.exit(__doc__)
look = nightfall if sys.argv[2:] == ["later"] else sky
with open(sys.argv[1], "wb") as out:
    out.write(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n" % (HIGH, WIDE))
    for row in range(HIGH):
        up = math.pi * (0.5 - (row + 0.5) / HIGH)
        line = [rgbe(look(2 * math.pi * ((k + 0.5) / WIDE - 0.5), up)) for k in range(WIDE)]
        out.write(bytes([2, 2, WIDE >> 8, WIDE & 255]))
        for c in range(4):
            out.write(runs([p[c] for p in line]))
