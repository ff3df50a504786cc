# SPDX-License-Identifier: Apache-2.0
"""Convert the camera of another program to YAML, for `camera: {file: shot.yaml}`."""
import math


def angles(forward, up):
    """Azimuth, elevation and roll of a viewing direction. Straight down or up roll is 0."""
    elevation = math.asin(max(-1, min(1, -forward[2])))
    if abs(forward[2]) > 1 - 1e-9:
        side = -1 if forward[2] < 0 else 1
        return math.atan2(side * up[0], -side * up[1]), elevation, 0.0
    azimuth = math.atan2(-forward[0], forward[1])
    ca, sa, ce, se = math.cos(azimuth), math.sin(azimuth), math.cos(elevation), math.sin(elevation)
    return azimuth, elevation, math.atan2(up[0] * ca + up[1] * sa, -up[0] * sa * se + up[1] * ca * se + up[2] * ce)


def unwrapped(angle, before):
    """The angle plus full turns, nearest to that of the keyframe before."""
    return angle + 2 * math.pi * round((before - angle) / (2 * math.pi))


def parameter(key, frames, values, unit=""):
    """KEY: VALUE, or keyframes where the value changes."""
    texts = ["[%s]" % ", ".join("%.9g" % x for x in v) if isinstance(v, tuple) else ("%.9g %s" % (v, unit)).strip()
             for v in values]
    if len(set(texts)) == 1:
        return "  %s: %s\n" % (key, texts[0])
    keys = ",\n      ".join("%.9g: %s" % pair for pair in zip(frames, texts))
    return "  %s: {ease: linear, keys: {\n      %s}}\n" % (key, keys)


def text(shot):
    """The YAML of a shot, a list by frame: {frame, eye, forward, up (z up), lens, sensor (its longer side), fstop, focus}, m."""
    out = {name: [] for name in ("azimuth", "elevation", "roll", "distance", "target")}
    for key in shot:
        azimuth, elevation, roll = angles(key["forward"], key["up"])
        distance = key["focus"] if key["focus"] > 0 else 1.0
        out["azimuth"].append(unwrapped(azimuth, out["azimuth"][-1]) if out["azimuth"] else azimuth)
        out["elevation"].append(elevation)
        out["roll"].append(unwrapped(roll, out["roll"][-1]) if out["roll"] else roll)
        out["distance"].append(distance)
        out["target"].append(tuple(e + distance * f for e, f in zip(key["eye"], key["forward"])))
    frames = [key["frame"] for key in shot]
    yaml = "camera:\n  orbit: 0\n"
    for name in ("azimuth", "elevation", "roll"):
        yaml += parameter(name, frames, out[name], "rad")
    yaml += parameter("distance", frames, out["distance"], "m")
    yaml += "  target:\n  " + parameter("point", frames, out["target"])
    for name in ("lens", "sensor"):
        yaml += parameter(name, frames, [key[name] for key in shot], "m")
    if any(key["fstop"] > 0 for key in shot):
        yaml += parameter("fstop", frames, [key["fstop"] for key in shot]) + parameter("focus", frames, out["distance"], "m")
    return yaml
