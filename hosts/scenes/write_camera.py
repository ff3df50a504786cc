# SPDX-License-Identifier: Apache-2.0
"""blender -b shot.blend -P write_camera.py -- shot.yaml: the scene's camera, frame by frame.

For presets and `billow preview`: `camera: {file: shot.yaml}`. What moves the camera does not matter: parents,
constraints, drivers are in its matrix.
"""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import camera_yaml  # noqa: E402

scene = bpy.context.scene
camera = scene.camera
if not camera or camera.type != "CAMERA" or camera.data.type != "PERSP":
    sys.exit("the scene has no camera with a perspective lens")
unit = scene.unit_settings.scale_length or 1.0
render = scene.render
wide, high = render.resolution_x * render.pixel_aspect_x, render.resolution_y * render.pixel_aspect_y
shot = []
for frame in range(scene.frame_start, scene.frame_end + 1):
    scene.frame_set(frame)
    here = camera.evaluated_get(bpy.context.evaluated_depsgraph_get())
    lens, dof, matrix = here.data, here.data.dof, here.matrix_world
    distance = dof.focus_distance
    if dof.focus_object:        # along the line of sight
        distance = -(matrix.inverted() @ dof.focus_object.matrix_world.translation).z
    upright = lens.sensor_fit == "VERTICAL" or (lens.sensor_fit == "AUTO" and high > wide)
    sensor = lens.sensor_height if lens.sensor_fit == "VERTICAL" else lens.sensor_width
    longer = sensor * max(1.0, wide / high if upright else high / wide)
    shot.append({"frame": frame, "eye": tuple(unit * matrix.translation), "forward": tuple(-matrix.col[2].xyz.normalized()),
                 "up": tuple(matrix.col[1].xyz.normalized()), "lens": 1e-3 * lens.lens, "sensor": 1e-3 * longer,
                 "focus": unit * distance, "fstop": dof.aperture_fstop if dof.use_dof else 0.0})
with open(sys.argv[sys.argv.index("--") + 1], "w", encoding="utf-8") as out:
    out.write(camera_yaml.text(shot))
