# SPDX-License-Identifier: Apache-2.0
"""The structs of billow/bake.h and billow/field.h as ctypes; tests/python compares every offset with the header's."""
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_uint32, c_void_p

Int3 = c_int32 * 3
Double3 = c_double * 3


class Attribute(Structure):
    _fields_ = [("name", c_char_p), ("precision", c_uint32), ("comps", c_uint32), ("unit", c_char_p)]


class LastError(Structure):
    _fields_ = [("status", c_int32), ("sentence", c_char_p), ("file", c_char_p), ("line", c_int32),
                ("column", c_int32), ("count", c_int32), ("text", c_char_p)]


class SessionOptions(Structure):
    _fields_ = [("size", c_uint32), ("plugin_path", c_char_p), ("preset_path", c_char_p)]


class BakeProgress(Structure):
    _fields_ = [("frame", c_int64), ("first", c_int64), ("last", c_int64), ("done", c_int32), ("total", c_int32),
                ("seconds", c_double), ("elapsed", c_double), ("substeps", c_int32), ("frame_done", c_int32),
                ("cells", c_int64), ("divergence", c_double), ("residual", c_double), ("iterations", c_double),
                ("memory", c_int64), ("line", c_char_p), ("written", c_int64)]


OnStart = CFUNCTYPE(None, c_void_p, c_void_p)
OnProgress = CFUNCTYPE(None, c_void_p, POINTER(BakeProgress), c_void_p)
OnFrame = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
OnLog = CFUNCTYPE(None, c_void_p, c_int32, c_char_p, c_char_p, c_void_p)
OnOutput = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_void_p)


class BakeOptions(Structure):
    _fields_ = [("size", c_uint32), ("mode", c_uint32), ("preset", c_char_p), ("text", c_char_p),
                ("set", POINTER(c_char_p)), ("mute", POINTER(c_char_p)), ("n_set", c_int32), ("n_mute", c_int32),
                ("frames", c_char_p), ("from_frame", c_char_p), ("seed", c_char_p), ("memory", c_char_p),
                ("out", c_char_p), ("simd", c_char_p), ("threads", c_uint32), ("quick", c_uint32), ("user", c_void_p),
                ("on_start", OnStart), ("on_progress", OnProgress), ("on_frame", OnFrame), ("on_log", OnLog),
                ("on_output", OnOutput), ("coarse", c_double), ("overcommit", c_uint32),
                ("warmup", c_uint32)]


class BakeFacts(Structure):
    _fields_ = [("size", c_uint32), ("up_to_date", c_int32), ("name", c_char_p), ("path", c_char_p),
                ("out", c_char_p), ("hash", c_char_p), ("simd", c_char_p), ("source", c_char_p),
                ("source_out", c_char_p), ("first", c_int64), ("last", c_int64), ("fps", c_double),
                ("memory", c_double), ("memory_allowed", c_double), ("bytes", c_double), ("seconds", c_double),
                ("checkpoint", c_char_p), ("resumed", c_int64)]


class SnapshotGrid(Structure):
    _fields_ = [("name", c_char_p), ("domain", c_char_p), ("unit", c_char_p), ("kind", c_uint32),
                ("precision", c_uint32), ("comps", c_uint32), ("tile", Int3), ("lo", Int3), ("n", Int3),
                ("origin", Double3), ("voxel", c_double), ("background", Double3), ("n_tiles", c_int64),
                ("coord", POINTER(Int3)), ("data", POINTER(c_void_p) * 3), ("kelvin", c_double)]


class SnapshotPoints(Structure):
    _fields_ = [("name", c_char_p), ("count", c_int64), ("n_attributes", c_uint32),
                ("attributes", POINTER(Attribute)), ("data", POINTER(c_void_p))]


class SnapshotFacts(Structure):
    _fields_ = [("size", c_uint32), ("n_grids", c_uint32), ("n_points", c_uint32),
                ("grids", POINTER(SnapshotGrid)), ("points", POINTER(SnapshotPoints)), ("frame", c_int64),
                ("time", c_double), ("fps", c_double)]


class Box(Structure):
    _fields_ = [("lo", Int3), ("n", Int3)]


class Pixels(Structure):
    _fields_ = [("width", c_int32), ("height", c_int32), ("channels", c_int32), ("is_float", c_int32),
                ("memory", c_void_p), ("lo", Double3), ("hi", Double3),
                ("range", c_double * 2)]


class Eye(Structure):
    _fields_ = [("at", c_double * 3), ("target", c_double * 3), ("up", c_double * 3), ("angle", c_double)]


class ViewFacts(Structure):
    _fields_ = [("size", c_uint32), ("renders", c_int32), ("width", c_int32), ("height", c_int32), ("lo", c_double * 3),
                ("hi", c_double * 3), ("seen_lo", c_double * 3), ("seen_hi", c_double * 3), ("voxel", c_double),
                ("eye", Eye), ("bytes", c_int64), ("metre", c_double), ("y_up", c_int32)]


OnMovieFrame = CFUNCTYPE(c_int32, c_int32, c_int32, c_void_p)


class MovieWish(Structure):
    _fields_ = [("size", c_uint32), ("options", c_char_p), ("out", c_char_p), ("user", c_void_p),
                ("on_frame", OnMovieFrame), ("as_it_is", c_int32)]


class MosaicWish(Structure):
    _fields_ = [("size", c_uint32), ("columns", c_int32), ("count", c_int32), ("place", c_int32),
                ("caches", POINTER(c_void_p)), ("labels", POINTER(c_char_p)), ("options", c_char_p), ("out", c_char_p),
                ("fps", c_double), ("user", c_void_p), ("on_frame", OnMovieFrame)]


#: C's name of each, for the test of their layout.
IN_C = {"bw_attribute": Attribute, "bw_error": LastError, "bw_session_options": SessionOptions,
        "bw_bake_progress": BakeProgress, "bw_bake_options": BakeOptions, "bw_bake_facts": BakeFacts,
        "bw_snapshot_grid": SnapshotGrid, "bw_snapshot_points": SnapshotPoints, "bw_snapshot_facts": SnapshotFacts,
        "bw_box": Box, "bw_pixels": Pixels, "bw_movie_wish": MovieWish, "bw_mosaic_wish": MosaicWish,
        "bw_eye": Eye, "bw_view_facts": ViewFacts}
