
import json

import bmesh
import numpy


# ---- obstacles, and what glows ----

def data_read():
    with open(os.path.join(here(), cache["data"]), encoding="utf-8") as f:
        return json.load(f)


def surface_material(name, look):
    """Colour with the grain of its material; roughness, metal, and what it sends out."""
    material = own_new(bpy.data.materials, name)
    put(material, use_nodes=True)
    n = Nodes(material.node_tree)
    rgb, kind = look["colour"], look.get("material", "plain")
    inputs = {"Base Color": colour(rgb), "Roughness": look["roughness"], "Metallic": float(kind == "metal")}
    if kind not in ("plain", "metal", "rubber", "painted", "wax"):
        place = n.new("TexCoord").outputs["Object"]
        size = 0.12 * look["scale"] * cache["scale"]
        grain = n.new("TexNoise", {"Vector": place, "Scale": 1 / size, "Detail": 6.0, "Roughness": 0.65}).outputs["Fac"]
        inputs["Base Color"] = n.ramp(grain, [(0.3, *(0.35 * c for c in rgb)), (0.7, *(1.65 * c for c in rgb))])
        inputs["Normal"] = n.new("Bump", {"Height": grain, "Strength": 0.5, "Distance": 0.3 * size}).outputs[0]
    shader = n.new("BsdfPrincipled", inputs)
    put_input(shader, ("Specular IOR Level", "Specular"), 0.5 * (look["roughness"] < 1))
    if max(look.get("glow", [0])) > 0:
        put_input(shader, ("Emission Color", "Emission"), colour(look["glow"]))
        put_input(shader, ("Emission Strength",), 1.0)
    n.new("OutputMaterial", {"Surface": shader.outputs[0]})
    return material


def put_input(node, names, value):
    """Of the names that a socket had in one version or another."""
    for name in names:
        if name in node.inputs:
            node.inputs[name].default_value = value
            return


def mesh_make(name, points, triangles):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(numpy.array(points).reshape(-1, 3).tolist(), [], numpy.array(triangles).reshape(-1, 3).tolist())
    return mesh


def obstacles_add(data):
    places = {int(frame): numpy.array(p).reshape(-1, 4, 3) for frame, p in data["places"].items()}
    materials = {}
    for i, one in enumerate(data["obstacles"]):
        look = json.dumps({k: v for k, v in one.items() if k not in ("points", "triangles")})
        if look not in materials:
            materials[look] = surface_material("obstacle", one)
        mesh = mesh_make(f"obstacle {i + 1}", one["points"], one["triangles"])
        mesh.materials.append(materials[look])
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
        put(mesh, use_auto_smooth=True, auto_smooth_angle=math.radians(35))
        if hasattr(mesh, "set_sharp_from_angle"):  # from 4.1 on
            mesh.set_sharp_from_angle(angle=math.radians(35))
        thing = add(mesh.name, mesh)
        thing.rotation_mode = "QUATERNION"
        poses = {frame: pose(p[i][0], p[i][1:]) for frame, p in places.items()}
        key(thing, "location", {frame: at for frame, (at, turn) in poses.items()})
        key(thing, "rotation_quaternion", steady({frame: turn for frame, (at, turn) in poses.items()}))


def pose(at, axes):
    return Vector(at), Matrix([list(a) for a in axes]).transposed().to_quaternion()


def steady(turns):
    """Quaternions of which none is the last one's opposite."""
    last = None
    for turn in turns.values():
        if last and turn.dot(last) < 0:
            turn.negate()
        last = turn
    return turns


def cells_add(volume):
    """Obstacles of a cache that does not say what they are: as its cells have them."""
    look = {"colour": cache["obstacle"], "roughness": cache["roughness"]}
    mesh = bpy.data.meshes.new("obstacles")
    mesh.materials.append(surface_material("obstacles", look))
    thing = add("obstacles", mesh)
    surface = thing.modifiers.new("surface", "VOLUME_TO_MESH")
    surface.object, surface.grid_name, surface.threshold = volume, cache["solid"], 0
    thing.rotation_euler, thing.scale = volume.rotation_euler, volume.scale


def sparks_add(frames):
    """Embers: drawn out along their way, a mesh a frame, seen in that frame alone."""
    material = own_new(bpy.data.materials, "embers")
    put(material, use_nodes=True)
    n = Nodes(material.node_tree)
    glow = n.new("Emission", {"Color": n.attribute("glow", "Color"), "Strength": 1.0})
    n.new("OutputMaterial", {"Surface": glow.outputs[0]})
    for frame, sparks in sorted((int(f), s) for f, s in frames.items()):
        if not sparks:
            continue
        spark = numpy.array(sparks).reshape(-1, 10)
        tail, head, size = spark[:, 0:3], spark[:, 3:6], spark[:, 6:7]
        way = head - tail
        way /= numpy.maximum(numpy.linalg.norm(way, axis=1, keepdims=True), 1e-12)
        side = numpy.cross(way, numpy.where(abs(way[:, 2:3]) < 0.9, [[0, 0, 1]], [[1, 0, 0]]))
        side *= 0.5 * size / numpy.maximum(numpy.linalg.norm(side, axis=1, keepdims=True), 1e-12)
        up = numpy.cross(side, way)
        points = numpy.stack([tail - 0.5 * size * way, head + 0.5 * size * way, *(
            0.5 * (tail + head) + d for d in (side, up, -side, -up))], axis=1)
        faces = [(e, 2 + k, 2 + (k + 1) % 4) for e in (0, 1) for k in range(4)]
        mesh = mesh_make(f"embers {frame}", points, 6 * numpy.arange(len(spark))[:, None, None] + numpy.array(faces))
        rgba = numpy.concatenate([spark[:, 7:10], numpy.ones((len(spark), 1))], axis=1)
        mesh.attributes.new("glow", "FLOAT_COLOR", "POINT").data.foreach_set("color", numpy.repeat(rgba, 6, axis=0).ravel())
        mesh.materials.append(material)
        thing = add(mesh.name, mesh)
        put(thing, visible_diffuse=False, visible_shadow=False)
        for path in "hide_render", "hide_viewport":
            for at, hidden in (frame - 1, True), (frame, False), (frame + 1, True):
                setattr(thing, path, hidden)
                thing.keyframe_insert(path, frame=at)


# ---- the floor ----

def floor_add():
    """It takes shadows and the fire's light, and fades into what is behind it."""
    x, y, z = cache["middle"]
    size = cache["size"]
    wide = min(4 * size * math.sqrt(cache["horizon"]), 400 * size)
    mesh = bpy.data.meshes.new("floor")
    corners = [(x + wide * i, y + wide * j, z) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    material = own_new(bpy.data.materials, "floor")
    put(material, use_nodes=True)
    n = Nodes(material.node_tree)
    place = n.new("NewGeometry").outputs["Position"]
    n.new("OutputMaterial", {"Surface": fading(n, place, ground_shader(n, place))})
    mesh.materials.append(material)
    add("floor", mesh)
    if cache["ground"] == "earth":
        stones_add()


def fading(n, place, shader):
    """Less of it the farther off it is."""
    away = n.new("VectorMath", {0: place, 1: cache["middle"]}, operation="DISTANCE").outputs["Value"]
    far = n.math("DIVIDE", n.math("MULTIPLY", away, away), -cache["horizon"] * cache["size"] ** 2)
    share = n.math("EXPONENT", far, label="fades with distance")
    return n.new("MixShader", {0: share, 1: n.new("BsdfTransparent").outputs[0], 2: shader}).outputs[0]


def noise(n, place, metres, detail, roughness):
    inputs = {"Vector": place, "Scale": 1 / (metres * cache["scale"]), "Detail": detail, "Roughness": roughness}
    return n.new("TexNoise", inputs).outputs["Fac"]


def ground_shader(n, place):
    """Painted, or soil in clods and patches, or asphalt with puddles."""
    if cache["ground"] not in ("earth", "street"):
        return n.new("BsdfDiffuse", {"Color": colour([cache["grey"]] * 3)}).outputs[0]
    if cache["ground"] == "earth":
        soil = 0.0
        for share, *wave in (0.6, 0.35, 8.0, 0.8), (0.2, 2.9, 3.0, 0.6), (0.12, 19.0, 3.0, 0.55), (0.08, 130.0, 3.0, 0.5):
            soil = n.math("MULTIPLY_ADD", noise(n, place, *wave), share, soil)
        rgb = n.ramp(soil, [(0.38, *cache["wet"]), (0.62, *cache["dry"])])
        height = n.math("MULTIPLY", noise(n, place, 0.4, 9.0, 0.66), 0.06 * cache["scale"])
        wet = 0.0
    else:
        grain, patches = noise(n, place, 0.03, 3.0, 0.9), noise(n, place, 1.6, 5.0, 0.5)
        wet = n.new("MapRange", {"Value": patches, "From Min": 0.5, "From Max": 0.56}).outputs[0]
        dry = n.ramp(grain, [(0.3, 0.045, 0.045, 0.045), (0.7, 0.085, 0.085, 0.085)])
        rgb = n.mix(wet, dry, (0.03, 0.03, 0.03, 1))
        height = n.math("MULTIPLY", n.math("MULTIPLY", grain, n.math("SUBTRACT", 1.0, wet)), 0.004 * cache["scale"])
    if cache["scorched"] > 0:
        off = n.new("VectorMath", {0: place, 1: cache["scorch"]}, operation="DISTANCE").outputs["Value"]
        torn = n.math("MULTIPLY_ADD", noise(n, place, 0.3, 5.0, 0.6), 0.6 * cache["scorched"], off)
        near = n.new("MapRange", {"Value": torn, "From Min": 1.6 * cache["scorched"], "From Max": 0.8 * cache["scorched"]})
        rgb = n.mix(n.math("MULTIPLY", near.outputs[0], 0.85), rgb, (0, 0, 0, 1))
    normal = n.new("Bump", {"Height": height, "Distance": 1.0}).outputs[0]
    dull = n.new("BsdfDiffuse", {"Color": rgb, "Normal": normal}).outputs[0]
    if cache["ground"] == "earth":
        return dull
    share = n.math("MULTIPLY", wet, n.new("Fresnel", {"IOR": 1.33}).outputs[0])
    return n.new("MixShader", {0: share, 1: dull, 2: n.new("BsdfGlossy", {"Roughness": 0.02}).outputs[0]}).outputs[0]


STONES = ((0.17, 0.15), (0.065, 0.3), (0.024, 0.4))  # one in a square of so many metres, in so many of the squares


def stones_add():
    """Stones in heaps on the earth round the stage, as many as a picture shows; rocks farther off."""
    x, y, z = cache["middle"]
    lot = numpy.random.default_rng(7)
    parts, grey = [], []
    forms = [stone_form(lot) for _ in range(8)]
    stage = cache["size"] / cache["scale"]
    rocks = [(min(0.75, 0.08 * stage), 0.06), (min(2.6, 0.26 * stage), 0.04)]
    for square, share in [s for s in STONES if s[0] > 0.008 * stage] + rocks:
        rock = (square, share) in rocks
        square *= cache["scale"]
        seen = math.sqrt(cache["horizon"])
        reach = (min(12, seen) if rock else min(5, seen, 70 * square / cache["size"])) * cache["size"]
        for _ in range(min(int(share * (2 * reach / square) ** 2), 1500)):
            at = lot.uniform(-reach, reach, 2)
            heap = 0.5 + 0.5 * math.sin(3 * at[0] / square ** 0.5) * math.sin(2.6 * at[1] / square ** 0.5 + 1)
            if lot.random() > heap or (rock and math.hypot(*at) < 2.2 * cache["size"]):
                continue
            radius = 0.36 * square * (0.25 + 0.75 * lot.random() ** 3)
            turn = lot.uniform(0, 2 * math.pi)
            c, s = math.cos(turn), math.sin(turn)
            form = forms[lot.integers(8)] * [radius, radius * lot.uniform(0.6, 1), radius * lot.uniform(0.5, 0.8)]
            parts.append(form @ [[c, s, 0], [-s, c, 0], [0, 0, 1]] + [x + at[0], y + at[1], z + 0.25 * radius])
            grey.append(lot.random() ** 2)
    material = own_new(bpy.data.materials, "stones")
    put(material, use_nodes=True)
    n = Nodes(material.node_tree)
    rgb = n.ramp(n.grid("grey"), [(0, 0.12, 0.104, 0.09), (1, 0.24, 0.205, 0.17)])
    shader = fading(n, n.new("NewGeometry").outputs["Position"], n.new("BsdfDiffuse", {"Color": rgb}).outputs[0])
    n.new("OutputMaterial", {"Surface": shader})
    points = numpy.concatenate(parts)
    mesh = mesh_make("stones", points, numpy.arange(len(points)))
    values = numpy.repeat(numpy.array(grey, numpy.float32), [len(p) for p in parts])
    mesh.attributes.new("grey", "FLOAT", "POINT").data.foreach_set("value", values)
    mesh.materials.append(material)
    add("stones", mesh)


def stone_form(lot):
    """A ball that some planes have cut, as corners of triangles."""
    shape = bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=2, radius=1)
    points = numpy.array([[v.co[:] for v in face.verts] for face in shape.faces]).reshape(-1, 3)
    shape.free()
    for _ in range(6):
        plane = lot.normal(size=3)
        plane[2] = abs(plane[2])
        plane /= numpy.linalg.norm(plane)
        over = points @ plane / lot.uniform(0.62, 0.95)
        points = points / numpy.maximum(over, 1)[:, None]
    return points


# ---- lights, sky and camera ----

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


def firelight_add():
    """The fire as lamps, which light surfaces; smoke sees the fire itself."""
    frames = cache["firelight"]
    for i in range(max(map(len, frames.values()), default=0)):
        lamps = {frame: lamp[i] for frame, lamp in frames.items()}
        lit = [lamp for lamp in lamps.values() if max(lamp["rgb"]) > 0]
        if not lit:
            continue
        data = bpy.data.lights.new(f"firelight {i + 1}", "POINT")
        thing = add(data.name, data)
        put(thing, visible_volume_scatter=False, visible_camera=False)
        put(data, use_shadow=cache["firelight_shadows"])
        put(data.cycles, cast_shadow=cache["firelight_shadows"])
        dark = lit[0]
        for lamp in lamps.values():  # one that is out stays where it was
            if not max(lamp["rgb"]) > 0:
                lamp.update(at=dark["at"], radius=dark["radius"], power=0, rgb=dark["rgb"])
            dark = lamp
        key(thing, "location", {f: lamp["at"] for f, lamp in lamps.items()})
        key(data, "shadow_soft_size", {f: lamp["radius"] for f, lamp in lamps.items()})
        key(data, "energy", {f: 4 * math.pi * lamp.get("power", 1) * max(lamp["rgb"]) for f, lamp in lamps.items()})
        key(data, "color", {f: [max(c / max(lamp["rgb"]), 0) for c in lamp["rgb"]] for f, lamp in lamps.items()})


def world_make():
    """Light from all around, and what the camera sees there."""
    world = own_new(bpy.data.worlds)
    put(world, use_nodes=True)
    n = Nodes(world.node_tree)
    to = n.new("SeparateXYZ", {0: n.new("TexCoord").outputs["Generated"]}).outputs
    height = n.new("MapRange", {"Value": to["Z"], "From Min": -1.0, "From Max": 1.0}).outputs[0]
    light = sides_colour(n, to) if cache["sides"] else n.mix(height, colour(cache["below"]), colour(cache["above"]))
    far = sky_colour(n) if cache["sky"] else None
    sky = n.new("Background", {"Color": far if cache["sky_lights"] else light})
    wall = n.new("Background", {"Color": far if cache["sky_seen"] else wall_colour(n)})
    eye = n.new("LightPath").outputs["Is Camera Ray"]
    mixed = n.new("MixShader", {0: eye, 1: sky.outputs[0], 2: wall.outputs[0]})
    n.new("OutputWorld", {"Surface": mixed.outputs[0]})
    bpy.context.scene.world = world


def sky_colour(n):
    image = bpy.data.images.load(os.path.join(here(), cache["sky"]))
    image["billow"] = whose
    return n.new("TexEnvironment", image=image).outputs[0]


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
    cameras = cache["camera"]
    first = next(iter(cameras.values()))
    data = bpy.data.cameras.new("camera")
    data.sensor_fit = "HORIZONTAL"
    data.clip_start, data.clip_end = 0.01 * cache["size"], 4000 * cache["size"]
    lens = {frame: data.sensor_width / (2 * eye["tan_x"]) for frame, eye in cameras.items()}
    key(data, "lens", lens if len(set(lens.values())) > 1 else dict(list(lens.items())[:1]))
    if first["aperture"] > 0:
        data.dof.use_dof = True
        key(data.dof, "focus_distance", {frame: eye["focus"] for frame, eye in cameras.items()})
        key(data.dof, "aperture_fstop", {f: lens[f] * 1e-3 / (2 * eye["aperture"]) for f, eye in cameras.items()})
    camera = add("camera", data)
    camera.rotation_mode = "QUATERNION"
    poses = {f: pose(eye["eye"], (eye["right"], eye["up"], [-c for c in eye["forward"]])) for f, eye in cameras.items()}
    key(camera, "location", {frame: at for frame, (at, turn) in poses.items()})
    key(camera, "rotation_quaternion", steady({frame: turn for frame, (at, turn) in poses.items()}))
    bpy.context.scene.camera = camera


def scene_set():
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = cache["first"], cache["first"] + cache["frames"] - 1
    scene.render.fps = max(1, round(cache["fps"]))
    scene.render.fps_base = scene.render.fps / cache["fps"]
    scene.unit_settings.scale_length = 1 / cache["scale"]
    scene.render.resolution_x, scene.render.resolution_y = cache["pixels"]
    scene.render.resolution_percentage = 100
    scene.render.engine = "CYCLES"
    put(scene.cycles, samples=128, sample_clamp_indirect=2, volume_bounces=cache["bounces"], volume_step_rate=1, use_denoising=can_denoise())
    put(scene.view_settings, view_transform="Filmic")
    put(scene.view_settings, look="Medium High Contrast")
    key(scene.view_settings, "exposure", cache["stops"])
    put(scene.render, use_motion_blur=cache["shutter"] > 0, motion_blur_shutter=cache["shutter"])


def bloom_add():
    """Light above white spreads over a fortieth and an eighth of the picture, as on the movie's film. A compositor
    that is in use stays as it is; from 5.0 on it is another one."""
    scene = bpy.context.scene
    if cache["bloom"] <= 0 or bpy.app.version >= (5, 0, 0):
        return
    if scene.use_nodes and not scene.node_tree.get("billow"):
        return
    scene.use_nodes = True
    tree = scene.node_tree
    tree["billow"] = whose
    tree.nodes.clear()

    def node(kind, *inputs, **settings):
        made = tree.nodes.new("CompositorNode" + kind)
        for name, value in settings.items():
            setattr(made, name, value)
        for socket, value in zip(made.inputs, inputs):
            if isinstance(value, bpy.types.NodeSocket):
                tree.links.new(value, socket)
            elif value is not None:
                socket.default_value = value
        made.location = 200 * len(tree.nodes), 0
        return made.outputs[0] if made.outputs else None

    def mix(operation, a, b, share=1.0):
        return node("MixRGB", share, a, b, blend_type=operation)

    def blur(image, percent):
        wide, high = cache["pixels"]
        factors = (percent * max(wide, high) / side for side in (wide, high))
        return node("Blur", image, filter_type="GAUSS", use_relative=True, **dict(zip(("factor_x", "factor_y"), factors)))

    seen, white = node("RLayers"), node("RGB")
    key(white, "default_value", {frame: colour([0.8 / 2 ** stops] * 3) for frame, stops in cache["stops"].items()})
    excess = mix("SUBTRACT", mix("LIGHTEN", seen, white), white)
    near = blur(excess, 5.5)
    spread = mix("MIX", near, blur(near, 17.0), 0.4)
    node("Composite", mix("ADD", seen, mix("SUBTRACT", spread, excess), cache["bloom"]))


def can_denoise():
    """Not every build can, and one that can't refuses to render."""
    try:
        import _cycles
        return bool(_cycles.with_openimagedenoise)
    except (ImportError, AttributeError):
        return False


def start_empty():
    """Blender's own first cube, lamp and camera go, where nothing has been made of them."""
    first = {thing for thing in bpy.data.objects if thing != smoke}
    if bpy.data.filepath or {thing.name for thing in first} != {"Cube", "Light", "Camera"}:
        return
    for thing in first:
        bpy.data.objects.remove(thing)


start_empty()
scene_set()
place(smoke)
beside = data_read()
if beside["obstacles"]:
    obstacles_add(beside)
elif cache["solid"]:
    cells_add(smoke)
sparks_add(beside["sparks"])
if cache["ground"]:
    floor_add()
lights_add()
firelight_add()
world_make()
camera_add()
bloom_add()
bpy.context.scene.frame_set(cache["first"])
