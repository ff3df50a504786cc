// SPDX-License-Identifier: Apache-2.0
/* Finished caches: open, preview, scenes for other programs, check, compare; picking, particles, outlines of stages,
 * movies of the host's own pictures. Included by bake.h, whose rules apply: threads, errors, texts, handles. */
#ifndef BILLOW_CACHE_H
#define BILLOW_CACHE_H

#include "where.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bw_bake;
struct bw_cache;
struct bw_eye;
struct bw_film; ///< a movie that is being written
struct bw_pixels;
struct bw_session;
struct bw_snapshot;
struct bw_view;

/// Request for a movie of a cache. Zero means not given.
struct bw_movie_wish {
    uint32_t size;       ///< sizeof this struct
    const char *options; ///< the options of `billow preview` as YAML or JSON: "{view: slice, axis: x, frames: 1-20}"
    const char *out;     ///< NAME.mp4, .png or .exr, NAME_####.png; NULL: the cache's name, in the working folder
    void *user;
    /// After each frame, on the calling thread; 0: stop, BW_ERR_CANCELLED. May be NULL.
    int32_t (*on_frame)(int32_t done, int32_t total, void *user);
    int32_t as_it_is; ///< 1: # in `out` is literal
};

/// Request for previews of several caches side by side. Zero means not given.
struct bw_mosaic_wish {
    uint32_t size;                  ///< sizeof this struct
    int32_t columns, count;         ///< pictures per row; of all, row by row
    int32_t place;                  ///< a picture: of the n-th frame, from 1; 0: of the last
    struct bw_cache *const *caches; ///< `count` of them; NULL: an empty tile
    const char *const *labels;      ///< a text above each, also of several lines; NULL: none
    const char *options;            ///< of each picture, as bw_movie_wish has them, but `frames`: "{size: 240}"
    const char *out;                ///< NAME.png: one frame of each; NAME.mp4: all frames, the shorter ones hold
    double fps;                     ///< of the movie; 0: 24
    void *user;
    int32_t (*on_frame)(int32_t done, int32_t total, void *user); ///< as bw_movie_wish has it
};

/// `what`: a bake's folder, a folder of numbered VDB files, one of them, or a pattern such as smoke_####.vdb. Reads
/// names only. Errors: BW_ERR_IO.
BW_API enum bw_status bw_cache_open(struct bw_session *session, const char *what, struct bw_cache **cache);
BW_API void bw_cache_close(struct bw_cache *cache);
/// JSON, new memory: "name", "pattern", "file", "first", "last", "count", the existing "ranges", "missing" (1000 at
/// most); `inside` 1: read from all files, "fps", "voxel", "flow", "fields", "domain" too; BW_ERR: there is no flow.
BW_API char *bw_cache_describe(struct bw_cache *cache, int32_t inside);
/// The same with `inside` 1, and the name of the velocity grid, case-insensitive; grids vel.x, vel.y, vel.z are "vel".
/// NULL: vel, velocity or v.
BW_API char *bw_cache_survey(struct bw_cache *cache, const char *flow);
/// One frame; bw_snapshot_close. Errors: BW_ERR_IO, BW_ERR_USAGE (no such frame).
BW_API enum bw_status bw_cache_frame(struct bw_cache *cache, int64_t frame, struct bw_snapshot **snapshot);
/// Write a movie (.mp4), pictures (.png, .exr) or a contact sheet (.png), as `billow preview` does. Errors:
/// BW_ERR_USAGE, BW_ERR_IO, ….
BW_API enum bw_status bw_cache_movie(struct bw_cache *cache, const struct bw_movie_wish *wish);
/// Write a labelled contact sheet (.png) or movie (.mp4) of several caches. Errors: as of bw_cache_movie; BW_ERR_IO:
/// none of them has a frame.
BW_API enum bw_status bw_cache_mosaic(const struct bw_mosaic_wish *wish);
/// For other programs, new memory: `format` "blender" (a Python script) or "usd": smoke alone; "blender-scene" or
/// "usd-scene": with camera, lights, sky, floor and obstacles. "blender-data": JSON that belongs to "blender-scene", as
/// NAME_scene.json beside it. `files`: the files' folder as the text shall name it.
BW_API char *bw_cache_scene(struct bw_cache *cache, const char *format, const char *files);
/// Write what is far off round it, sky or backdrop as its movie shows them, as an .exr of the whole sphere, laid out as
/// Blender's environments are. *written (or NULL) 0: there is only a studio, and no file. Errors: BW_ERR_USAGE,
/// BW_ERR_IO.
BW_API enum bw_status bw_cache_sky(struct bw_cache *cache, const char *path, int32_t *written);

/* ---- without a session ---- */

/// Check a cache for what hosts expect. `what`: a bake's folder, any folder of VDB files, one of them, or a pattern
/// such as smoke_####.vdb. JSON, new memory: {"sequences", "problems", "findings"}; docs/library.md lists the kinds of
/// findings. Errors: BW_ERR_IO (there is no such file).
BW_API char *bw_cache_check(const char *what);
/// The same, and by the rules of a host: "blender", "houdini", "unreal", "unreal-nano", "arnold", "redshift", "vray",
/// "octane", "omniverse"; NULL: of none. Errors: as of bw_cache_check; BW_ERR_USAGE (no such host).
BW_API char *bw_cache_check_for(const char *what, const char *host);
/// Write a cache, which is only read, anew by a host's rules or as NanoVDB. `options`, as YAML or JSON: `for` (a host),
/// `out` (a folder), `force` (replace files), `proxy` (voxels twice as wide), `format` (vdb, nvdb), of the latter
/// `precision` (fp32, fp16, fp8) and `compression` (none, zip, blosc). JSON, new memory: {"for", "out", "files": how
/// many, "density_gain", "left_out": {grid: why}}. Errors: BW_ERR_USAGE (`out` holds them), BW_ERR_PRESET, BW_ERR_IO.
BW_API char *bw_cache_convert(const char *what, const char *options);
/// Compare two folders or two files. VDB files by grid and voxel, PNG and EXR by pixel, others by the first byte. In
/// folders bake.json, bake.log, timings.csv, checkpoints and hidden files are left out: they differ in every run. JSON,
/// new memory: {"equal", "files": how many, "differences": [{"file", "what", "text", and numbers}]}. Errors:
/// BW_ERR_USAGE (one is not there, or they are a folder and a file).
BW_API char *bw_cache_compare(const char *a, const char *b);

/* ---- picking, particles, outlines, movies ---- */

enum bw_met {
    BW_MET_NOTHING = 0,
    BW_MET_GAS = 1, ///< smoke or flame with an optical depth of 0.05 along the ray
    BW_MET_OBSTACLE = 2,
};

/// Picking: the first intersection of the camera ray through a point of a picture (x, y pixels from the top left), z
/// up, and in *met (enum bw_met) with what. `eye`, `width` and `height` are those of bw_view_picture. Errors:
/// BW_ERR_USAGE.
BW_API enum bw_status bw_view_meet(struct bw_view *view, const struct bw_eye *eye, int32_t width, int32_t height,
                                   const double point[2], double at[3], int32_t *met);

/// The particles of a frame, from the files of exporter ply beside the cache; without any the snapshot is empty. It has
/// no grids. bw_snapshot_close. Errors: BW_ERR_IO (a file that is cut short, or of another program).
BW_API enum bw_status bw_cache_points(struct bw_cache *cache, int64_t frame, struct bw_snapshot **snapshot);

/// JSON, new memory, at a frame: {"domains": [{"name", "lo", "hi", "voxel"}], "shapes": [{"stage", "type", "kind",
/// "on", …}]}: the shapes of the preset's stages, with the numbers of their parameters ("center", "radius", …) in
/// metres and radians at that time; "on": the stage is active then. Also while the bake runs.
BW_API char *bw_bake_outlines(struct bw_bake *bake, int64_t frame);

/// Begin a movie (MP4, as the mp4 exporter makes it) of pictures of that size, both even. Errors: BW_ERR_USAGE, BW_ERR
/// (there is no encoder).
BW_API enum bw_status bw_film_open(int32_t width, int32_t height, double fps, struct bw_film **film);
/// Add a picture, of 8 bits and 3 channels.
BW_API enum bw_status bw_film_add(struct bw_film *film, const struct bw_pixels *picture);
/// Write the movie to a new file, atomically; never overwrites. Errors: BW_ERR_IO.
BW_API enum bw_status bw_film_write(struct bw_film *film, const char *path);
/// Concatenate movies into a new file: parts by bw_cache_movie become the whole movie. Errors: BW_ERR_IO (also movies
/// of different formats).
BW_API enum bw_status bw_film_join(const char *const *parts, int32_t count, const char *path);
BW_API void bw_film_close(struct bw_film *film);
/// The same of a single picture, as PNG.
BW_API enum bw_status bw_pixels_write(const struct bw_pixels *picture, const char *path);

/* ---- files in untrusted folders: no link and no ".." in `name` leads out of the folder. Only regular files are read,
 * without blocking. Errors: BW_ERR_IO. ---- */

/// Open FOLDER/NAME for reading; the caller closes the descriptor. -1: error.
BW_API int bw_folder_open(const char *folder, const char *name);
/// Its content, of at most `most` bytes, zero-terminated; new memory. `bytes` may be NULL.
BW_API char *bw_folder_read(const char *folder, const char *name, size_t most, size_t *bytes);
/// 1: something of that name exists, of any type.
BW_API int bw_folder_has(const char *folder, const char *name);

#ifdef __cplusplus
}
#endif
#endif
