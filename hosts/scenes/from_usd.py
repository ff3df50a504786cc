# SPDX-License-Identifier: Apache-2.0
"""hython from_usd.py camera STAGE.usd shot.yaml [PRIM]: a camera of any USD stage, for `camera: {file: shot.yaml}`.
hython from_usd.py curve STAGE.usd path.csv [PRIM]: the points of a curve, for `{curve: path.csv}`.

PRIM is a name or a path; without it the stage has one of its kind. It runs where the library `pxr` is: Houdini's
hython, Maya's mayapy, usdpython, or Blender, as `blender -b -P from_usd.py -- camera …`.
"""
import math
import os
import sys

from pxr import Gf, Usd, UsdGeom

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import camera_yaml  # noqa: E402


def find_prim(stage, kinds, name):
    """The prim of that name or path, or under a parent of that name: Blender and Maya name the transform above it."""
    candidates = [p for p in stage.Traverse() if any(p.IsA(kind) for kind in kinds)]
    found = [p for p in candidates if not name or name in (str(p.GetPath()), p.GetName(), p.GetParent().GetName())]
    if len(found) != 1:
        sys.exit("name one of these prims: " + (", ".join(str(p.GetPath()) for p in candidates) or "there is none"))
    return found[0]


def time_codes(prim):
    """All time samples of the prim and its parents, and the whole frames between them."""
    found = set()
    while prim and prim.IsValid() and not prim.IsPseudoRoot():
        for attribute in prim.GetAttributes():
            found.update(attribute.GetTimeSamples())
        prim = prim.GetParent()
    if found:
        found.update(range(math.ceil(min(found)), math.floor(max(found)) + 1))
    return sorted(found) or [None]


def to_z_up(stage):
    """A function that converts vectors from the stage's axes to z up."""
    y_up = UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y
    return lambda v: (v[0], -v[2], v[1]) if y_up else (v[0], v[1], v[2])


def camera_text(stage, name):
    prim = find_prim(stage, (UsdGeom.Camera,), name)
    camera, unit, rotate, shot = UsdGeom.Camera(prim), UsdGeom.GetStageMetersPerUnit(stage), to_z_up(stage), []
    for frame in time_codes(prim):
        time = Usd.TimeCode.Default() if frame is None else Usd.TimeCode(frame)
        world = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(time) # rows are where the axes go
        axis = lambda i, sign: rotate((sign * Gf.Vec3d(world.GetRow3(i))).GetNormalized())
        number = lambda attribute, usual: usual if attribute.Get(time) is None else attribute.Get(time)
        film = max(number(camera.GetHorizontalApertureAttr(), 20.955), number(camera.GetVerticalApertureAttr(), 15.2908))
        shot.append({"frame": 1 if frame is None else frame, "eye": tuple(unit * x for x in rotate(world.ExtractTranslation())),
                     "forward": axis(2, -1), "up": axis(1, 1), "fstop": number(camera.GetFStopAttr(), 0),
                     "lens": 0.1 * unit * number(camera.GetFocalLengthAttr(), 50), "sensor": 0.1 * unit * film,
                     "focus": unit * number(camera.GetFocusDistanceAttr(), 0)}) # lenses are in tenths of a unit
    return camera_yaml.text(shot)


def curve_text(stage, name):
    prim = find_prim(stage, (UsdGeom.BasisCurves, UsdGeom.NurbsCurves), name)
    first = time_codes(prim)[0]
    time = Usd.TimeCode.Default() if first is None else Usd.TimeCode(first)
    world, unit, rotate = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(time), UsdGeom.GetStageMetersPerUnit(stage), to_z_up(stage)
    points = [rotate(world.Transform(Gf.Vec3d(p))) for p in UsdGeom.PointBased(prim).GetPointsAttr().Get(time)]
    return "x,y,z\n" + "".join("%.9g,%.9g,%.9g\n" % tuple(unit * x for x in p) for p in points)


def main():
    words = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else sys.argv[1:]
    if len(words) not in (3, 4) or words[0] not in ("camera", "curve"):
        sys.exit(__doc__)
    stage = Usd.Stage.Open(words[1])
    text = (camera_text if words[0] == "camera" else curve_text)(stage, words[3] if len(words) == 4 else None)
    with open(words[2], "w", encoding="utf-8") as out:
        out.write(text)


main()
