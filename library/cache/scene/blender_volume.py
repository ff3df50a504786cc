
import math
import os

import bpy
from mathutils import Matrix, Vector


def here():
    """The folder of this script, run from the command line or in the text editor."""
    texts = [bpy.path.abspath(t.filepath) for t in bpy.data.texts if t.filepath]
    for path in [os.path.abspath(globals().get("__file__", ""))] + texts:
        if os.path.exists(os.path.join(os.path.dirname(path), cache["file"])):
            return os.path.dirname(path)
    raise FileNotFoundError(cache["file"] + " is not there: keep this script beside its cache")


def put(data, **values):
    """Set what this version of Blender knows."""
    for name, value in values.items():
        try:
            setattr(data, name, value)
        except (AttributeError, TypeError):
            pass


def key(owner, path, keys):
    """Set a value, {frame: value}; where there are several, evenly between them."""
    for frame, value in reversed(keys.items()):
        setattr(owner, path, value)
        if len(keys) > 1:
            owner.keyframe_insert(path, frame=frame)
    for curve in curves(owner.id_data) if len(keys) > 1 else ():
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def curves(data):
    action = data.animation_data.action
    if hasattr(action, "fcurves"):
        return action.fcurves
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]  # from 4.4 on
    return [curve for bag in bags for curve in bag.fcurves]


def add(name, data):
    thing = bpy.data.objects.new(name, data)
    collection.objects.link(thing)
    return thing


# says of what is in Blender that it is this cache's, whichever frame it begins with
whose = ascii(os.path.splitext(os.path.join(here(), cache["file"]))[0].rstrip("0123456789"))


def own_new(kind, name=cache["name"], *more):
    data = kind.new(name, *more)
    data["billow"] = whose
    return data


def collection_make():
    """A collection of the cache's own, in place of that which an earlier run of this script made."""
    for old in [c for c in bpy.data.collections if c.get("billow") == whose]:
        bpy.data.batch_remove({thing.data for thing in old.objects if thing.data} | set(old.objects) | {old})
    for kind in bpy.data.materials, bpy.data.worlds, bpy.data.images:
        bpy.data.batch_remove({data for data in kind if data.get("billow") == whose})
    own = own_new(bpy.data.collections)
    bpy.context.scene.collection.children.link(own)
    return own


# ---- the cache ----

def volume_add():
    volume = bpy.data.volumes.new(cache["name"])
    volume.filepath = os.path.join(here(), cache["file"])
    volume.grids.load()
    if cache["velocity"]:  # refused unless the grids are there
        put(volume, velocity_grid=cache["velocity"], velocity_unit="SECOND", velocity_scale=1)
    middle = volume.grids[0].matrix_object.to_3x3() @ Vector((0.5, 0.5, 0.5))
    volume.grids.unload()
    volume.is_sequence = cache["frames"] > 1
    volume.frame_start, volume.frame_offset = cache["first"], cache["first"] - 1
    volume.frame_duration, volume.sequence_mode = cache["frames"], "CLIP"
    thing = add(cache["name"], volume)
    thing["middle of a voxel"] = middle
    place(thing)
    volume.materials.append(smoke_material())
    return thing


CORNER_UNTIL = (4, 5, 0)  # Blender 4.5 draws a voxel round its place; before, it was drawn from there up to the next one


def place(thing):
    """Axes and unit of the files in those of the scene."""
    if cache["up"] == "y":
        thing.rotation_euler[0] = math.pi / 2
    unit = 1 / (cache["scale"] * bpy.context.scene.unit_settings.scale_length)
    thing.scale = unit, unit, unit
    off = Vector(thing["middle of a voxel"]) if bpy.app.version < CORNER_UNTIL else Vector()
    off.rotate(thing.rotation_euler)
    thing.location = -unit * off


# ---- its material ----

class Nodes:
    """A node tree, written as formulas: every value is a socket or a number."""

    def __init__(self, tree):
        self.tree = tree
        tree.nodes.clear()

    def new(self, kind, inputs=(), **settings):
        node = self.tree.nodes.new("ShaderNode" + kind)
        for name, value in settings.items():
            setattr(node, name, value)
        for name, value in dict(inputs).items():
            self.set(node.inputs[name], value)
        column = 1 + max((n.location[0] // 200 for n in self.sources(node)), default=-1)
        rows = [n.location[1] for n in self.tree.nodes if n != node and n.location[0] // 200 == column]
        node.location = (200 * column, min(rows, default=200) - 200)
        return node

    def sources(self, node):
        return [link.from_node for socket in node.inputs for link in socket.links]

    def set(self, socket, value):
        if isinstance(value, bpy.types.NodeSocket):
            self.tree.links.new(value, socket)
        else:
            socket.default_value = value

    def value(self, label, keys):
        """A number, {frame: value}."""
        node = self.new("Value", label=label)
        key(node.outputs[0], "default_value", keys)
        return node.outputs[0]

    def ramp(self, position, stops):
        """Colours [(position, r, g, b)], evenly between them."""
        node = self.new("ValToRGB", {0: position})
        stop = node.color_ramp.elements
        while len(stop) < len(stops):
            stop.new(1)
        for i, (at, *rgb) in enumerate(stops):
            stop[i].position, stop[i].color = at, colour(rgb)
        return node.outputs[0]

    def math(self, operation, *values, **settings):
        return self.new("Math", dict(enumerate(values)), operation=operation, **settings).outputs[0]

    def mix(self, share, a, b):
        """(1 - share) a + share b of colours."""
        return self.new("Mix", {0: share, 6: a, 7: b}, data_type="RGBA").outputs[2]

    def attribute(self, name, output):
        return self.new("Attribute", attribute_name=name, label=name).outputs[output]

    def grid(self, name):
        """A number. Eevee of 3.4 has a third of the temperature in an attribute's own Fac."""
        return self.new("SeparateXYZ", {0: self.attribute(name, "Vector")}).outputs["X"]


def colour(rgb):
    return (*rgb, 1)


def smoke_material():
    """What the preview shows: smoke scatters, flames absorb what they emit; a flame's colour is a black body's, and its
    brightness that body's luminance to the power of the look's `contrast`."""
    material = own_new(bpy.data.materials)
    put(material, use_nodes=True)
    n = Nodes(material.node_tree)
    thick = n.value("Thickness (1 / unit of the files)", cache["extinction"])  # render.space is OBJECT, as by default
    smoke = n.math("MULTIPLY", n.grid(cache["density"]), thick, label="smoke") if cache["density"] else 0.0
    inputs = {"Density Attribute": "", "Temperature Attribute": "", "Anisotropy": cache["anisotropy"],
              "Density": smoke, "Color": smoke_colour(n)}
    if cache["flame"] or cache["temperature"]:
        flame, kelvin = flame_sockets(n)
        soot = n.math("MULTIPLY", flame, n.math("MULTIPLY", thick, cache["soot"]), label="soot in flames")
        power = n.math("ADD", n.math("DIVIDE", -cache["c2"], kelvin), cache["c2"] / cache["white"])
        bright = n.math("EXPONENT", power, label="brightness at T")
        both = n.math("ADD", smoke, n.math("MULTIPLY", soot, flame_hides(n, bright, kelvin)))
        share = n.math("DIVIDE", smoke, n.math("MAXIMUM", both, 1e-6), label="share of smoke")
        strength = n.math("MULTIPLY", n.math("MULTIPLY", soot, bright), n.value("Fire", cache["glow"]))
        if cache.get("firelight"):  # lamps light surfaces instead, without grain
            strength = n.math("MULTIPLY", strength, n.math("SUBTRACT", 1.0, n.new("LightPath").outputs["Is Diffuse Ray"]))
        low, high = cache["colours"][0][0], cache["colours"][-1][0]
        heat = n.new("MapRange", {"Value": kelvin, "From Min": low, "From Max": high}).outputs[0]
        glow = n.ramp(heat, [((k - low) / (high - low), *rgb) for k, *rgb in cache["colours"]])
        inputs.update({"Density": both, "Color": n.mix(share, (0, 0, 0, 1), inputs["Color"]),
                       "Emission Strength": strength,
                       "Emission Color": glow})
    principled = n.new("VolumePrincipled", inputs)
    n.new("OutputMaterial", {"Volume": principled.outputs[0]})
    return material


def flame_hides(n, bright, kelvin):
    """How much of what is behind it a flame hides: a dim rim less, so that it is no dark outline round a bright core."""
    hides = cache["hides"]
    if hides["most"] == 1:
        return 1.0
    shine = n.math("MINIMUM", bright, 1.0)
    shines = n.math("DIVIDE", n.math("MULTIPLY", shine, 1 + hides["half"]), n.math("ADD", shine, hides["half"]))
    low, high = hides["kelvin"]
    glows = n.new("MapRange", {"Value": kelvin, "From Min": low, "From Max": high}).outputs[0]
    by_light = n.math("MULTIPLY_ADD", shines, hides["most"] - hides["dim"], hides["dim"])
    by_heat = n.math("MULTIPLY_ADD", glows, hides["most"] - hides["cold"], hides["cold"])
    return n.math("ADD", n.math("MULTIPLY", by_light, 1 - hides["soot"]), n.math("MULTIPLY", by_heat, hides["soot"]),
                  label="hides")


def smoke_colour(n):
    """What smoke scatters: its own colour, or of a dye the hue alone, by how much of the smoke is dyed; a little paler
    than it is written: film is never that pure."""
    own = colour(cache["smoke"])
    if not cache["dye"]:
        return own
    dye = n.attribute(cache["dye"], "Vector")
    parts = n.new("SeparateXYZ", {0: dye}).outputs
    top = n.math("MAXIMUM", n.math("MAXIMUM", parts["X"], parts["Y"]), parts["Z"], label="dye")
    hue = n.new("VectorMath", {0: dye, 3: n.math("DIVIDE", 0.95, n.math("MAXIMUM", top, 1e-4))}, operation="SCALE")
    pale = n.new("VectorMath", {0: hue.outputs[0], 1: (0.03, 0.03, 0.03)}, operation="MAXIMUM").outputs[0]
    if not cache["density"]:
        return pale
    share = n.math("DIVIDE", top, n.math("MAXIMUM", n.grid(cache["density"]), 1e-4))
    return n.mix(n.math("MINIMUM", share, 1.0, label="share of dye"), own, pale)


def flame_sockets(n):
    """How much there is to glow, and how hot it is in kelvin: the file holds what is above the ambient air."""
    flame = n.grid(cache["flame"]) if cache["flame"] else None
    if not cache["temperature"]:
        hot = n.math("MINIMUM", flame, 1.0)
        return flame, n.math("MULTIPLY_ADD", hot, 800.0, 1100.0, label="kelvin")
    heat = n.math("MULTIPLY_ADD", n.grid(cache["temperature"]), cache["kelvin"], cache["ambient"], label="kelvin")
    if not flame:
        flame = n.math("GREATER_THAN", heat, 798.0, label="hot gas glows")
    return flame, heat


# ---- what is made ----

collection = collection_make()
smoke = volume_add()
