# SPDX-License-Identifier: Apache-2.0
"""blender -b shot.blend -P write_camera.py -- shot.usda: the scene's camera, frame by frame, as USD text.

For presets and `billow preview`: `camera: {file: shot.usda}`. Blender's own export to USD does as well, where it was
built with that. What moves the camera does not matter: parents, constraints, drivers are in its matrix.
"""
import sys
import bpy

scene = bpy.context.scene
camera = scene.camera
if not camera or camera.type != "CAMERA" or camera.data.type != "PERSP":
    sys.exit("the scene has no camera with a perspective lens")
lens = camera.data
unit = scene.unit_settings.scale_length or 1.0
tenth = 1e-3 / (0.1 * unit)     # of a unit, as USD gives lenses, in a millimetre
rows = {"xformOp:transform": [], "focalLength": [], "focusDistance": [], "fStop": []}
for frame in range(scene.frame_start, scene.frame_end + 1):
    scene.frame_set(frame)
    here = camera.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = here.matrix_world.transposed()
    dof = here.data.dof
    distance = dof.focus_distance
    if dof.focus_object:        # along the line of sight
        distance = -(here.matrix_world.inverted() @ dof.focus_object.matrix_world.translation).z
    rows["xformOp:transform"].append(
        (frame, "( %s )" % ", ".join("(%r, %r, %r, %r)" % tuple(row) for row in matrix)))
    rows["focalLength"].append((frame, repr(here.data.lens * tenth)))
    rows["focusDistance"].append((frame, repr(distance)))
    rows["fStop"].append((frame, repr(dof.aperture_fstop if dof.use_dof else 0.0)))

render = scene.render
wide, high = render.resolution_x * render.pixel_aspect_x, render.resolution_y * render.pixel_aspect_y
upright = lens.sensor_fit == "VERTICAL" or (lens.sensor_fit == "AUTO" and high > wide)
sensor = (lens.sensor_height if lens.sensor_fit == "VERTICAL" else lens.sensor_width) * tenth
film = (sensor * wide / high, sensor) if upright else (sensor, sensor * high / wide)


def samples(kind, name, indent):
    print("%s%s %s.timeSamples = {" % (indent, kind, name), file=out)
    for frame, value in rows[name]:
        print("%s    %d: %s," % (indent, frame, value), file=out)
    print("%s}" % indent, file=out)


with open(sys.argv[sys.argv.index("--") + 1], "w", encoding="utf-8") as out:
    print('#usda 1.0\n(\n    metersPerUnit = %r\n    upAxis = "Z"\n    startTimeCode = %d\n    endTimeCode = %d\n'
          '    timeCodesPerSecond = %r\n)\n' % (unit, scene.frame_start, scene.frame_end,
                                                scene.render.fps / scene.render.fps_base), file=out)
    print('def Xform "Shot"\n{', file=out)
    samples("matrix4d", "xformOp:transform", "    ")
    print('    uniform token[] xformOpOrder = ["xformOp:transform"]\n\n    def Camera "Camera"\n    {', file=out)
    print("        float horizontalAperture = %r\n        float verticalAperture = %r" % film, file=out)
    for name in ("focalLength", "focusDistance", "fStop"):
        samples("float", name, "        ")
    print("    }\n}", file=out)
