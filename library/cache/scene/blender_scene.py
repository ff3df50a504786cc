
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


def add(name, data):
    thing = bpy.data.objects.new(name, data)
    collection.objects.link(thing)
    return thing


# ---- the cache ----

def volume_add():
    volume = bpy.data.volumes.new(cache["name"])
    volume.filepath = os.path.join(here(), cache["file"])
    volume.grids.load()
    if cache["velocity"]:  # refused unless the grids are there
        put(volume, velocity_grid=cache["velocity"], velocity_unit="SECOND", velocity_scale=1)
    half = sum((volume.grids[0].matrix_object.col[a].xyz / 2 for a in range(3)), Vector())
    volume.grids.unload()
    volume.is_sequence = cache["frames"] > 1
    volume.frame_start, volume.frame_offset = cache["first"], cache["first"] - 1
    volume.frame_duration, volume.sequence_mode = cache["frames"], "CLIP"
    thing = add(cache["name"], volume)
    if cache["up"] == "y":
        thing.rotation_euler[0] = math.pi / 2
    half.rotate(thing.rotation_euler)
    thing.location = -half  # Cycles draws a voxel from its index up to the next one, and the file means its middle
    volume.materials.append(smoke_material())
    return thing


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

    def value(self, label, number):
        node = self.new("Value", label=label)
        node.outputs[0].default_value = number
        return node.outputs[0]

    def math(self, operation, *values, **settings):
        return self.new("Math", dict(enumerate(values)), operation=operation, **settings).outputs[0]

    def mix(self, share, a, b):
        """(1 - share) a + share b of colours."""
        return self.new("MixRGB", {0: share, 1: a, 2: b}).outputs[0]

    def grid(self, name, output="Fac"):
        node = self.new("Attribute", attribute_name=name, label=name)
        return node.outputs[output]


def colour(rgb):
    return (*rgb, 1)


def smoke_material():
    """What the preview shows: smoke scatters, flames absorb what they emit; a flame's colour is a black body's, and its
    brightness the square root of that body's luminance, for neither film nor screen can hold a fire's contrast."""
    material = bpy.data.materials.new(cache["name"])
    material.use_nodes = True
    n = Nodes(material.node_tree)
    thick = n.value("Thickness (1/m)", cache["extinction"])
    smoke = n.math("MULTIPLY", n.grid(cache["density"]), thick, label="smoke") if cache["density"] else 0.0
    inputs = {"Density Attribute": "", "Temperature Attribute": "", "Anisotropy": cache["anisotropy"],
              "Density": smoke, "Color": smoke_colour(n)}
    if cache["flame"] or cache["temperature"]:
        flame, kelvin = flame_sockets(n)
        soot = n.math("MULTIPLY", flame, n.math("MULTIPLY", thick, cache["soot"]), label="soot in flames")
        both = n.math("ADD", smoke, soot)
        share = n.math("DIVIDE", smoke, n.math("MAXIMUM", both, 1e-6), label="share of smoke")
        power = n.math("ADD", n.math("DIVIDE", -cache["c2"], kelvin), cache["c2"] / cache["white"])
        bright = n.math("EXPONENT", power, label="brightness at T")
        strength = n.math("MULTIPLY", n.math("MULTIPLY", soot, bright), n.value("Fire", cache["glow"]))
        inputs.update({"Density": both, "Color": n.mix(share, (0, 0, 0, 1), inputs["Color"]),
                       "Emission Strength": strength,
                       "Emission Color": n.mix(0.06, n.new("Blackbody", {0: kelvin}).outputs[0], (1, 1, 1, 1))})
    principled = n.new("VolumePrincipled", inputs)
    n.new("OutputMaterial", {"Volume": principled.outputs[0]})
    return material


def smoke_colour(n):
    """What smoke scatters: its own colour, or of a dye the hue alone, by how much of the smoke is dyed; a little paler
    than it is written: film is never that pure."""
    own = colour(cache["smoke"])
    if not cache["dye"]:
        return own
    dye = n.grid(cache["dye"], "Vector")
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
        hot = n.math("MINIMUM", n.math("MULTIPLY", flame, 2.0), 1.0)
        return flame, n.math("MULTIPLY_ADD", hot, 800.0, 1100.0, label="kelvin")
    heat = n.math("MULTIPLY_ADD", n.grid(cache["temperature"]), cache["kelvin"], cache["ambient"], label="kelvin")
    if not flame:
        flame = n.math("MULTIPLY", n.math("GREATER_THAN", heat, 798.0), 0.3, label="hot gas glows")
    return flame, heat


# ---- obstacles, floor, lights, camera: the studio of the preview ----

def obstacles_add(volume):
    stuff = bpy.data.materials.new("obstacles")
    stuff.use_nodes = True
    n = Nodes(stuff.node_tree)
    surface = n.new("BsdfDiffuse", {"Color": colour(cache["obstacle"])}).outputs[0]
    if cache["roughness"] < 1:
        mirror = n.new("BsdfGlossy", {"Color": (1, 1, 1, 1), "Roughness": cache["roughness"]}).outputs[0]
        surface = n.new("MixShader", {0: n.new("Fresnel", {"IOR": 1.5}).outputs[0], 1: surface, 2: mirror}).outputs[0]
    n.new("OutputMaterial", {"Surface": surface})
    mesh = bpy.data.meshes.new("obstacles")
    mesh.materials.append(stuff)
    thing = add("obstacles", mesh)
    surface = thing.modifiers.new("surface", "VOLUME_TO_MESH")
    surface.object, surface.grid_name, surface.threshold = volume, cache["solid"], 0
    thing.rotation_euler = volume.rotation_euler


def floor_add():
    """A dark floor that takes shadows and the fire's light, and fades into the backdrop."""
    x, y, z = cache["middle"]
    size = cache["size"]
    mesh = bpy.data.meshes.new("floor")
    corners = [(x + 12 * size * i, y + 12 * size * j, z) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    material = bpy.data.materials.new("floor")
    material.use_nodes = True
    n = Nodes(material.node_tree)
    away = n.new("VectorMath", {0: n.new("NewGeometry").outputs["Position"], 1: (x, y, z)}, operation="DISTANCE")
    far = n.math("DIVIDE", n.math("MULTIPLY", away.outputs["Value"], away.outputs["Value"]), -0.8 * size * size)
    share = n.math("EXPONENT", far, label="fades with distance")
    clear, grey = n.new("BsdfTransparent"), n.new("BsdfDiffuse", {"Color": colour([cache["floor"]] * 3)})
    mixed = n.new("MixShader", {0: share, 1: clear.outputs[0], 2: grey.outputs[0]})
    n.new("OutputMaterial", {"Surface": mixed.outputs[0]})
    mesh.materials.append(material)
    add("floor", mesh)


def lights_add():
    for i, light in enumerate(cache["lights"]):
        strength = max(light["rgb"])
        if strength <= 0:
            continue
        lamp = bpy.data.lights.new(f"light {i + 1}", "POINT" if "at" in light else "SUN")
        lamp.energy, lamp.color = cache["suns"] * strength, [c / strength for c in light["rgb"]]
        if "at" in light:  # in all directions, W
            lamp.energy, lamp.shadow_soft_size = 4 * math.pi * lamp.energy, light["radius"]
            add(lamp.name, lamp).location = light["at"]
            continue
        lamp.angle = light["angle"]
        add(lamp.name, lamp).rotation_euler = Vector(light["to"]).to_track_quat("Z", "Y").to_euler()


def world_make():
    """Light from all around that the camera does not see; what it sees is the backdrop."""
    world = bpy.data.worlds.new(cache["name"])
    world.use_nodes = True
    n = Nodes(world.node_tree)
    to = n.new("SeparateXYZ", {0: n.new("TexCoord").outputs["Generated"]}).outputs
    height = n.new("MapRange", {"Value": to["Z"], "From Min": -1.0, "From Max": 1.0}).outputs[0]
    seen = sides_colour(n, to) if cache["sides"] else n.mix(height, colour(cache["below"]), colour(cache["above"]))
    sky = n.new("Background", {"Color": seen})
    wall = n.new("Background", {"Color": wall_colour(n)})
    eye = n.new("LightPath").outputs["Is Camera Ray"]
    mixed = n.new("MixShader", {0: eye, 1: sky.outputs[0], 2: wall.outputs[0]})
    n.new("OutputWorld", {"Surface": mixed.outputs[0]})
    bpy.context.scene.world = world


def sides_colour(n, to):
    """The studio's six: each the squared cosine to it, whose mean over all directions is a sixth."""
    light = (0, 0, 0)
    for axis, sign, rgb in cache["sides"]:
        part = n.math("MAXIMUM", n.math("MULTIPLY", to[axis], sign), 0.0)
        part = n.new("VectorMath", {0: [6 * c for c in rgb], 3: n.math("MULTIPLY", part, part)}, operation="SCALE")
        light = n.new("VectorMath", {0: light, 1: part.outputs[0]}, operation="ADD").outputs[0]
    return light


def wall_colour(n):
    """Brightest a little below the middle of the picture; u and v are -1 … 1 over it."""
    seen = n.new("SeparateXYZ", {0: n.new("TexCoord").outputs["Window"]})
    u = n.math("MULTIPLY_ADD", seen.outputs["X"], 2.0, -1.0)
    v = n.math("MULTIPLY_ADD", seen.outputs["Y"], 2.0, -0.85)
    away = n.math("MULTIPLY_ADD", u, u, n.math("MULTIPLY", v, v))
    share = n.math("EXPONENT", n.math("MULTIPLY", away, -0.9))
    return n.mix(share, colour(cache["wall_edge"]), colour(cache["wall"]))


def camera_add():
    eye = cache["camera"]
    data = bpy.data.cameras.new("camera")
    data.sensor_fit, data.angle = "HORIZONTAL", 2 * math.atan(eye["tan_x"])
    data.clip_start, data.clip_end = 0.01 * cache["size"], 1000 * cache["size"]
    if eye["aperture"] > 0:
        data.dof.use_dof, data.dof.focus_distance = True, eye["focus"]
        data.dof.aperture_fstop = data.lens * 1e-3 / (2 * eye["aperture"])
    axes = Matrix((eye["right"], eye["up"], [-c for c in eye["forward"]])).transposed()
    camera = add("camera", data)
    camera.matrix_world = Matrix.Translation(eye["eye"]) @ axes.to_4x4()
    bpy.context.scene.camera = camera


def scene_set():
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = cache["first"], cache["first"] + cache["frames"] - 1
    scene.frame_set(cache["first"])
    scene.render.fps = max(1, round(cache["fps"]))
    scene.render.fps_base = scene.render.fps / cache["fps"]
    scene.unit_settings.scale_length = 1 / cache["scale"]
    scene.render.resolution_x, scene.render.resolution_y = cache["pixels"]
    scene.render.resolution_percentage = 100
    scene.render.engine = "CYCLES"
    put(scene.cycles, samples=128, sample_clamp_indirect=2, volume_bounces=cache["bounces"], volume_step_rate=1, use_denoising=can_denoise())
    put(scene.view_settings, view_transform="Filmic")
    put(scene.view_settings, look="Medium High Contrast", exposure=cache["stops"])


def can_denoise():
    """Not every build can, and one that can't refuses to render."""
    try:
        import _cycles
        return bool(_cycles.with_openimagedenoise)
    except (ImportError, AttributeError):
        return False


def start_empty():
    """Blender's own first cube, lamp and camera go, where nothing has been made of them."""
    if bpy.data.filepath or set(bpy.data.objects.keys()) != {"Cube", "Light", "Camera"}:
        return
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)


start_empty()
collection = bpy.data.collections.new(cache["name"])
bpy.context.scene.collection.children.link(collection)
smoke = volume_add()
if cache["solid"]:
    obstacles_add(smoke)
if cache["floor"]:
    floor_add()
lights_add()
world_make()
camera_add()
scene_set()
