# ---- obstacles, floor, lights, camera: the studio of the preview ----

def obstacles_add(volume):
    stuff = own_new(bpy.data.materials, "obstacles")
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
    thing.rotation_euler, thing.scale = volume.rotation_euler, volume.scale


def floor_add():
    """A dark floor that takes shadows and the fire's light, and fades into the backdrop."""
    x, y, z = cache["middle"]
    size = cache["size"]
    mesh = bpy.data.meshes.new("floor")
    corners = [(x + 12 * size * i, y + 12 * size * j, z) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    material = own_new(bpy.data.materials, "floor")
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
    first = {thing for thing in bpy.data.objects if thing != smoke}
    if bpy.data.filepath or {thing.name for thing in first} != {"Cube", "Light", "Camera"}:
        return
    for thing in first:
        bpy.data.objects.remove(thing)


start_empty()
scene_set()
place(smoke)
if cache["solid"]:
    obstacles_add(smoke)
if cache["floor"]:
    floor_add()
lights_add()
world_make()
camera_add()
