# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's properties of a stage, made of the table that the stage's plugin has."""
import re

import bpy

STAGES = ("mac.forces", "fire", "dissipate")  # those of the presets that sources start from by themselves
MOST = 3.0e38
WHOLE = 2 ** 31 - 1  # Blender's whole numbers have 32 bits
NUMBER = r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?"
NAME_MOST = 63  # characters that a property's name may have in a .blend


def group_name(key, stage):
    """Of the property that holds what somebody set of the stage `key`, of type `stage`."""
    own = stage if key == stage else f"{stage}_{key}"
    return ("billow_stage_" + re.sub(r"\W", "_", own))[:NAME_MOST]


def number_of(text):
    """The number that a default begins with; None: it is no number."""
    found = re.match(NUMBER, str(text))
    return float(found.group()) if found else None


def vector_of(text):
    """The three numbers of a default."""
    found = [float(n) for n in re.findall(NUMBER, str(text))]
    return found if len(found) == 3 else (0.0, 0.0, 0.0)


def limited(parameter, most, kind):
    """Smallest and largest value, and the range in which a slider moves."""
    low, high = (kind(max(-most, min(most, parameter.get(key, default)))) for key, default in (("min", -most), ("max", most)))
    soft = dict(zip(("soft_min", "soft_max"), map(kind, parameter["usual"]))) if parameter.get("usual") else {}
    return {"min": low, "max": high, **soft}


def words(parameter):
    """What Blender shows of it when the mouse is over it, and its unit."""
    unit = f" [{parameter['unit']}]" if parameter.get("unit") else ""
    return {"name": parameter["key"].replace("_", " ").capitalize(), "description": parameter.get("doc", "").rstrip(".") + unit}


def property_of(parameter):
    """A Blender property, or None where it has none of that kind."""
    kind, default = parameter["type"], parameter.get("default", "")
    if kind == "choice":
        items = [(name, name.replace("_", " ").capitalize(), "") for name in parameter["choices"]]
        return bpy.props.EnumProperty(items=items, default=default, **words(parameter))
    if kind == "yes/no":
        return bpy.props.BoolProperty(default=default in ("yes", "true", True), **words(parameter))
    if kind == "number":
        return bpy.props.FloatProperty(default=number_of(default) or 0.0, precision=3, **limited(parameter, MOST, float),
                                       **words(parameter))
    if kind == "whole number":
        return bpy.props.IntProperty(default=int(min(number_of(default) or 0, WHOLE)), **limited(parameter, WHOLE, int),
                                     **words(parameter))
    if kind in ("vector", "colour"):
        subtype = {"subtype": "COLOR", "min": 0} if kind == "colour" else {"subtype": "XYZ"}
        return bpy.props.FloatVectorProperty(default=vector_of(default), precision=3, **subtype, **words(parameter))
    return None


def class_of(stage, parameters):
    """A group of the stage's parameters. `units` says how each is written, `still` which can't be keyed."""
    made = {p["key"]: property_of(p) for p in parameters if "key" in p}
    made = {key: value for key, value in made.items() if value is not None}
    kept = [p for p in parameters if p.get("key") in made]
    return type("Billow_stage_" + re.sub(r"\W", "_", stage), (bpy.types.PropertyGroup,),
                {"__annotations__": made, "units": {p["key"]: p.get("unit", "") for p in kept},
                 "defaults": {p["key"]: p.get("default") for p in kept},
                 "still": {p["key"] for p in kept if p.get("static")},
                 "automatic": {p["key"] for p in kept if number_of(p.get("default", "")) is None and p["type"] == "number"}})


def written(value, unit):
    """A value as presets have it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:.7g} {unit}".strip() if isinstance(value, float) else f"{value} {unit}".strip()
    return "[%s]" % ", ".join(written(float(part), unit) for part in value)


def given(group):
    """{key: text} of what somebody set."""
    return {key: written(getattr(group, key), unit) for key, unit in group.units.items() if group.is_property_set(key)}
