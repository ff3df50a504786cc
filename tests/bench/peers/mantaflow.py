# SPDX-License-Identifier: Apache-2.0
"""Bakes a plume with Blender's Mantaflow, for peer.sh to compare with:

    blender -b --factory-startup --python mantaflow.py -- cube|fire|plume RES FRAMES FOLDER

RES cells on the longest side of a unit cube, or of the box of the preset `plume`. Plain smoke (no fuel), or in `fire`, a unit
cube, fuel that burns and smokes, one fixed step a frame, a ball as its source, VDB half + Blosc. (In Blender 3.4 one step a frame means: adaptive steps off.)"""
import sys

import bpy

place, resolution, frames, folder = sys.argv[-4], int(sys.argv[-3]), int(sys.argv[-2]), sys.argv[-1]
size, middle, source_at, radius = {
    "cube": ((1, 1, 1), (0, 0, 0.5), (0, 0, 0.2), 0.15),
    "plume": ((2.2, 1.6, 3.4), (0.45, 0, 1.7), (-0.1, 0, 0), 0.27),
}["cube" if place == "fire" else place]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.frame_start, scene.frame_end, scene.render.fps = 1, frames, 24

bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, location=source_at, segments=48, ring_count=24)
source = bpy.context.object.modifiers.new("Fluid", "FLUID")
source.fluid_type = "FLOW"
source.flow_settings.flow_type = "BOTH" if place == "fire" else "SMOKE"
source.flow_settings.flow_behavior = "INFLOW"
source.flow_settings.fuel_amount = place == "fire"  # otherwise fuel and flame are simulated for plain smoke too
source.flow_settings.surface_distance = 0
source.flow_settings.volume_density = 1

bpy.ops.mesh.primitive_cube_add(size=1, location=middle)
domain = bpy.context.object
domain.scale = size
bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
fluid = domain.modifiers.new("Fluid", "FLUID")
fluid.fluid_type = "DOMAIN"
settings = fluid.domain_settings
settings.domain_type = "GAS"
settings.resolution_max = resolution
settings.use_adaptive_domain = False
settings.use_adaptive_timesteps = False
settings.timesteps_min = settings.timesteps_max = 1
settings.cache_directory = folder
settings.cache_frame_start, settings.cache_frame_end = 1, frames
settings.cache_type = "ALL"
settings.cache_data_format = "OPENVDB"
settings.openvdb_data_depth = "16"
settings.openvdb_cache_compress_type = "BLOSC"
settings.cache_resumable = False
try:
    bpy.context.view_layer.update()
except SystemError:  # Blender 3.4 lets a harmless error of Mantaflow's first update out
    pass
with bpy.context.temp_override(scene=scene, object=domain, active_object=domain):
    bpy.ops.fluid.bake_all()
