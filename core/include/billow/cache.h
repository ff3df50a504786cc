// SPDX-License-Identifier: Apache-2.0
/* What bake.h says of finished caches: opened, shown, handed to other programs, checked and compared; and to those who
 * look closely: the place that a pixel shows, particles of caches, where obstacles, emitters and domains are, movies of
 * pictures of one's own. Included by bake.h, whose rules hold: threads, errors, texts, handles. */
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
struct bw_film; ///< a movie in the making
struct bw_pixels;
struct bw_session;
struct bw_snapshot;
struct bw_view;

/// What a movie of a cache shall be. Zero what is not given.
struct bw_movie_wish {
    uint32_t size;       ///< sizeof this struct
    const char *options; ///< the options of `billow preview` as YAML or JSON: "{view: slice, axis: x, frames: 1-20}"
    const char *out;     ///< NAME.mp4, .png or .exr, NAME_####.png; NULL: the cache's name, in the working folder
    void *user;
    /// After each frame, on the calling thread; 0: stop, BW_ERR_CANCELLED. May be NULL.
    int32_t (*on_frame)(int32_t done, int32_t total, void *user);
    int32_t as_it_is; ///< 1: # in `out` is a letter of the name
};

/// Several caches side by side. Zero what is not given.
struct bw_mosaic_wish {
    uint32_t size;                  ///< sizeof this struct
    int32_t columns, count;         ///< pictures in a row; of all, row by row
    int32_t place;                  ///< a picture: of which frame, counted from 1; 0: of the last
    struct bw_cache *const *caches; ///< `count` of them; NULL: an empty place
    const char *const *labels;      ///< a text above each, of several lines perhaps; NULL: none
    const char *options;            ///< of each picture, as bw_movie_wish has them, but `frames`: "{size: 240}"
    const char *out;                ///< NAME.png: one frame of each; NAME.mp4: all frames, the shorter ones hold
    double fps;                     ///< of the movie; 0: 24
    void *user;
    int32_t (*on_frame)(int32_t done, int32_t total, void *user); ///< as bw_movie_wish has it
};

/// `what`: a bake's folder, a folder of numbered VDB files, one of them, or a pattern such as smoke_####.vdb. Looks
/// at names alone. Errors: BW_ERR_IO.
BW_API enum bw_status bw_cache_open(struct bw_session *session, const char *what, struct bw_cache **cache);
BW_API void bw_cache_close(struct bw_cache *cache);
/// JSON, new memory: "name", "pattern", "file", "first", "last", "count", the "ranges" there are, "missing" (1000 at
/// most); `inside` 1: read from all files, "fps", "voxel", "flow", "fields", "domain" too; BW_ERR: there is no flow.
BW_API char *bw_cache_describe(struct bw_cache *cache, int32_t inside);
/// The same from inside, with the flow's grid by name: capitals or not, and what is vel.x, vel.y, vel.z in the files is
/// "vel". NULL: vel, velocity or v.
BW_API char *bw_cache_survey(struct bw_cache *cache, const char *flow);
/// One frame; bw_snapshot_close. Errors: BW_ERR_IO, BW_ERR_USAGE (no such frame).
BW_API enum bw_status bw_cache_frame(struct bw_cache *cache, int64_t frame, struct bw_snapshot **snapshot);
/// Write a movie (.mp4), pictures (.png, .exr) or a contact sheet (.png), as `billow preview` does. Errors:
/// BW_ERR_USAGE, BW_ERR_IO, ….
BW_API enum bw_status bw_cache_movie(struct bw_cache *cache, const struct bw_movie_wish *wish);
/// Write a labelled contact sheet (.png) or movie (.mp4) of several caches. Errors: as of bw_cache_movie; BW_ERR_IO:
/// none of them has a frame.
BW_API enum bw_status bw_cache_mosaic(const struct bw_mosaic_wish *wish);
/// A scene for other programs, new memory: `format` "blender" (a Python script) or "usd". `files`: the files' folder
/// as the scene shall name it.
BW_API char *bw_cache_scene(struct bw_cache *cache, const char *format, const char *files);

/* ---- without a session ---- */

/// Is a cache whole, and what hosts expect? `what`: a bake's folder, any folder of VDB files, one of them, or a pattern
/// such as smoke_####.vdb. JSON, new memory: {"sequences", "problems", "findings"}; docs/library.md tells the kinds of
/// findings. Errors: BW_ERR_IO (there is no such file).
BW_API char *bw_cache_check(const char *what);
/// In what do two folders or two files differ? VDB files by grid and voxel, PNG and EXR by pixel, others by the first
/// byte. What tells of the moment is left out of folders: bake.json, bake.log, timings.csv, checkpoints, hidden files.
/// JSON, new memory: {"equal", "files": how many, "differences": [{"file", "what", "text", and numbers}]}. Errors:
/// BW_ERR_USAGE (one is not there, or they are a folder and a file).
BW_API char *bw_cache_compare(const char *a, const char *b);

/* ---- looking closely ---- */

enum bw_met {
    BW_MET_NOTHING = 0,
    BW_MET_GAS = 1, ///< smoke or flame that takes a twentieth of the light from behind it
    BW_MET_OBSTACLE = 2,
};

/// What the ray through a point of a picture (x, y pixels from the top left) meets first, in *met (enum bw_met), and
/// where, as the view has it (z up). `eye`, `width` and `height` are those of bw_view_picture. Errors: BW_ERR_USAGE.
BW_API enum bw_status bw_view_meet(struct bw_view *view, const struct bw_eye *eye, int32_t width, int32_t height,
                                   const double point[2], double at[3], int32_t *met);

/// The particles of a frame, from the PLY files that the bake wrote beside (its `ply` exporter); without any the
/// snapshot is empty. It has no grids. bw_snapshot_close. Errors: BW_ERR_IO (a file that is cut short or foreign).
BW_API enum bw_status bw_cache_points(struct bw_cache *cache, int64_t frame, struct bw_snapshot **snapshot);

/// JSON, new memory, at a frame: {"domains": [{"name", "lo", "hi", "voxel"}], "shapes": [{"stage", "type", "kind",
/// "on", …}]}: what of the preset's stages has a place, with the numbers of its own table ("center", "radius", …) in
/// metres and radians at that time, "on": the stage acts then. Also while the bake runs.
BW_API char *bw_bake_outlines(struct bw_bake *bake, int64_t frame);

/// Begin a movie (MP4, as the mp4 exporter makes it) of pictures of that size, both even. Errors: BW_ERR_USAGE, BW_ERR
/// (there is no encoder).
BW_API enum bw_status bw_film_open(int32_t width, int32_t height, double fps, struct bw_film **film);
/// One picture more, of 8 bits and 3 channels.
BW_API enum bw_status bw_film_add(struct bw_film *film, const struct bw_pixels *picture);
/// Write what there is to a file that is not there yet: it appears whole, or not at all. Errors: BW_ERR_IO.
BW_API enum bw_status bw_film_write(struct bw_film *film, const char *path);
/// Write movies one behind another as one, to a file that is not there yet: parts that bw_cache_movie made are the
/// movie of all. Errors: BW_ERR_IO (movies that do not go together, too).
BW_API enum bw_status bw_film_join(const char *const *parts, int32_t count, const char *path);
BW_API void bw_film_close(struct bw_film *film);
/// The same of a single picture, as PNG.
BW_API enum bw_status bw_pixels_write(const struct bw_pixels *picture, const char *path);

/* ---- records in a folder that somebody else may have made. `name` is followed from the folder on: no link and no ".."
 * leads out of it. Only regular files are read, and none is waited for. Errors: BW_ERR_IO. ---- */

/// A descriptor to read FOLDER/NAME from, the caller's to close; -1 after a sentence.
BW_API int bw_folder_open(const char *folder, const char *name);
/// All of it, `most` bytes at most, a 0 behind; new memory. `bytes` may be NULL.
BW_API char *bw_folder_read(const char *folder, const char *name, size_t most, size_t *bytes);
/// 1: something of that name is there, whatever it is.
BW_API int bw_folder_has(const char *folder, const char *name);

#ifdef __cplusplus
}
#endif
#endif
