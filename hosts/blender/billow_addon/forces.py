# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's force fields as forces of ours. Of unit mass, as Blender's particles are: a strength is an acceleration.

Blender (effect.c, 3.4) pushes by
    wind        S n - f v                      n: the object's z axis, f: flow
    vortex      S n x r - v                    turns towards a rigid spin of S radians a second
    turbulence  S noise(x / size), each axis   RMS 0.3 S of the vector, 3 octaves, still
    drag        -v (linear + quadratic |v|)
    force       S r / |r|
times a falloff (1 + d)^-power, cut off at a largest distance d."""
import math

from . import motion, scene

TAKEN = {"WIND": "wind", "VORTEX": "vortex", "TURBULENCE": "turbulence", "DRAG": "wind", "FORCE": "attractor"}
TURBULENCE_RMS = 0.3
LEAST_RATE = 0.01  # 1/s: a wind without flow pushes on, so it drives towards a velocity a hundred times as high


def field_of(thing):
    field = thing.field
    return field if field and field.type != "NONE" else None


def all_of(domain):
    """Objects whose field acts on the gas of the domain."""
    if not domain.billow.forces:
        return []
    return [o for o in scene.all_objects() if field_of(o) and o.billow.acts and not o.hide_viewport]


def taken(things):
    return [t for t in things if field_of(t).type in TAKEN]


def half_distance(field):
    """Distance at which falloff by power leaves a half; None: there is none."""
    return 2 ** (1 / field.falloff_power) - 1 if field.falloff_power > 1e-4 else None


def reach(field):
    """How far it acts, in units of the scene, and how soft its edge is; None: everywhere."""
    half, most = half_distance(field), field.distance_max if field.use_max_distance else None
    if half is not None and (most is None or half < most):
        return half + (field.distance_min if field.use_min_distance else 0), 2 * half
    return most, 0.0


def notes(thing):
    """What of the field comes out otherwise here, a sentence each."""
    field, found = field_of(thing), []
    if field.type not in TAKEN:
        return [f"{thing.name}: there is no such force here as {field.type.lower().replace('_', ' ')}; it is left out"]
    if field.falloff_type == "CONE":
        found.append("a cone becomes a ball")
    if half_distance(field) is not None:
        found.append("falloff by power becomes a soft edge where half is left")
    if field.falloff_type == "TUBE" and field.radial_falloff:
        found.append("falloff by power from its axis is left out")
    if field.z_direction != "BOTH":
        found.append("it acts on both sides of its plane")
    if field.noise:
        found.append("its noise is left out")
    if field.shape in ("SURFACE", "POINTS") or thing.type == "CURVE":
        found.append("it acts from its origin, not from its surface")
    if field.use_absorption:
        found.append("obstacles do not absorb it")
    if field.type == "DRAG" and field.quadratic_drag:
        found.append("the quadratic part of the drag is left out")
    if field.type in ("VORTEX", "FORCE"):
        found.append("it pushes hardest %.3g m from its middle" % hardest(thing))
    return [f"{thing.name}: {sentence}" for sentence in found]


def hardest(thing):
    """Where ours pushes hardest, m."""
    far = reach(field_of(thing))[0]
    return max(far * scene.unit() if far is not None else 0.25 * scene.wide(), 1e-3)


class Field:
    """A field over the frames."""

    def __init__(self, thing):
        self.thing, self.rows, self.frames = thing, [], []

    def see(self, frame, graph):
        thing = self.thing.evaluated_get(graph)
        matrix, field = thing.matrix_world, field_of(thing) or field_of(self.thing)
        axis = matrix.col[2].xyz.normalized()
        self.frames.append(frame)
        self.rows.append({"at": tuple(scene.unit() * x for x in matrix.translation), "axis": tuple(round(x, 6) + 0.0 for x in axis),
                          "turn": tuple(matrix.to_euler("XYZ")), "strength": field.strength, "flow": field.flow,
                          "linear": field.linear_drag, "size": field.size})

    def keys(self, value, digits="%.6g", unit=""):
        """Text of value(row), a number or three, over the frames."""
        values = [value(row) for row in self.rows]
        if isinstance(values[0], tuple):
            return motion.keys(self.frames, values, digits + unit)
        return motion.keys_scalar(self.frames, values, digits + unit)

    def speed(self):
        """Of its origin, the mean, m/s."""
        way = sum(math.dist(a["at"], b["at"]) for a, b in zip(self.rows, self.rows[1:]))
        return way / max(len(self.rows) - 1, 1) * scene.rate()

    def kind(self):
        field, unit = field_of(self.thing), scene.unit()
        if field.type == "WIND":
            rate = lambda r: max(r["flow"], LEAST_RATE)
            return {"velocity": self.keys(lambda r: tuple(x * unit * r["strength"] / rate(r) for x in r["axis"])),
                    "rate": self.keys(rate, unit=" 1/s")}
        if field.type == "DRAG":
            return {"velocity": "[0, 0, 0]", "rate": self.keys(lambda r: max(r["linear"], 0.0), unit=" 1/s")}
        if field.type == "TURBULENCE":
            return {"strength": self.keys(lambda r: abs(r["strength"]) * unit * TURBULENCE_RMS),
                    "size": self.keys(lambda r: (r["size"] or 1.0) * unit, unit=" m"), "speed": "%.6g" % self.speed(),
                    "octaves": "3", "seed": str(field.seed)}
        far = hardest(self.thing)
        sign = far if field.type == "VORTEX" else -unit  # radians a second, against a push outwards
        turned = {"axis": self.keys(lambda r: r["axis"])} if field.type == "VORTEX" else {}
        return {"center": self.keys(lambda r: r["at"]), **turned, "radius": "%.6g m" % far,
                "strength": self.keys(lambda r: sign * r["strength"])}

    def where(self):
        """{shape, falloff} as the field is limited."""
        field, unit, wide = field_of(self.thing), scene.unit(), 8 * scene.wide()
        far, soft = reach(field)
        far = far * unit if far is not None else None
        center, axis = self.keys(lambda r: r["at"]), self.keys(lambda r: r["axis"])
        edge = {"falloff": "%.6g m" % (soft * unit)} if soft else {}
        if field.falloff_type == "TUBE" or (far is not None and (field.shape == "LINE" or self.is_axial())):
            radius = field.radial_max * unit if field.falloff_type == "TUBE" and field.use_radial_max else wide
            height = wide
            if far is not None and (field.shape == "LINE" or self.is_axial()):
                radius = min(radius, far)
            elif far is not None:
                height = 2 * far
            return {"shape": f"{{cylinder: {{center: {center}, axis: {axis}, radius: {radius:.6g}, height: {height:.6g}}}}}",
                    **edge} if min(radius, height) < wide else {}
        if far is None:
            return {}
        if field.shape == "PLANE":
            turn = self.keys(lambda r: r["turn"], "%.6g", " rad")
            size = f"[{wide:.6g}, {wide:.6g}, {2 * far:.6g}]"
            return {"shape": f"{{box: {{center: {center}, rotate: {turn}, size: {size}}}}}", **edge}
        return {"shape": f"{{sphere: {{center: {center}, radius: {far:.6g}}}}}", **edge}

    def is_axial(self):
        field = field_of(self.thing)
        return field.type == "VORTEX" and field.shape == "PLANE"

    def pairs(self):
        """Of a stage `force`."""
        kind = ", ".join(f"{key}: {value}" for key, value in self.kind().items())
        return {"kind": f"{{{TAKEN[field_of(self.thing).type]}: {{{kind}}}}}", **self.where()}
