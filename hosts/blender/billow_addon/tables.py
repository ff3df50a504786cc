# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's properties of a stage, made of the table that the stage's plugin has."""
import re

import bpy

STAGES = {"mac.forces": "Forces", "fire": "Combustion", "dissipate": "Dissipation"}
MOST = 3.0e38


def group_name(stage):
    return "stage_" + re.sub(r"\W", "_", stage)


def number_of(text):
    """The number that a default begins with; None: it is no number."""
    found = re.match(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", str(text))
    return float(found.group(0)) if found else None


def words(parameter):
    """What Blender shows of it when the mouse is over it, and its unit."""
    unit = f" [{parameter['unit']}]" if parameter.get("unit") else ""
    return {"name": parameter["key"].replace("_", " ").capitalize(), "description": parameter.get("doc", "") + unit}


def property_of(parameter):
    """A Blender property, or None where it has none of that kind."""
    kind, default = parameter["type"], parameter.get("default", "")
    if kind == "choice":
        items = [(name, name.capitalize(), "") for name in parameter["choices"]]
        return bpy.props.EnumProperty(items=items, default=default, **words(parameter))
    if kind in ("yes or no", "boolean", "bool"):
        return bpy.props.BoolProperty(default=default in ("yes", "true", True), **words(parameter))
    if kind == "number":
        low, high = parameter.get("min", -MOST), parameter.get("max", MOST)
        return bpy.props.FloatProperty(default=number_of(default) or 0.0, min=low, max=high, precision=3, **words(parameter))
    return None


def class_of(stage, parameters):
    """A group of the stage's parameters; `units` says how each is written."""
    made = {p["key"]: property_of(p) for p in parameters if "key" in p}
    made = {key: value for key, value in made.items() if value is not None}
    kept = [p for p in parameters if p.get("key") in made]
    return type("Billow_" + group_name(stage), (bpy.types.PropertyGroup,),
                {"__annotations__": made, "stage": stage, "units": {p["key"]: p.get("unit", "") for p in kept},
                 "automatic": {p["key"] for p in kept if number_of(p.get("default", "")) is None and p["type"] == "number"}})


def given(group):
    """{key: text} of what somebody set."""
    out = {}
    for key, unit in group.units.items():
        if group.is_property_set(key):
            value = getattr(group, key)
            out[key] = value if isinstance(value, str) else ("yes" if value is True else "no" if value is False else
                                                             f"{value:.7g} {unit}".strip())
    return out
