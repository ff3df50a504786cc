// SPDX-License-Identifier: Apache-2.0
/* libbillow: run bakes, inspect them while they run, and inspect finished caches. The API for programs; plugins use
 * <billow/plugin.h>. Link with `pkg-config --cflags --libs billow-embed`. 0.x: it may still change.
 *
 * struct bw_session *session;                            // plugins and presets struct bw_bake *bake;
 * // a preset, read, wired and checked struct bw_bake_options o = {.size = sizeof o, .preset = "plume", .out = "",
 * .on_frame = look}; if (bw_session_open(NULL, &session) || bw_bake_open(session, &o, &bake) || bw_bake_start(bake) ||
 * bw_bake_wait(bake, -1)) fputs(bw_error_last()->text, stderr); bw_bake_close(bake); bw_session_close(session);
 *
 * Threads. All functions are thread-safe, on the same handles, too. A bake runs on threads of its own; its callbacks
 * run on one of them, one at a time. A call that is not allowed from a callback is documented, and returns an error.
 * Several bakes may run at once: limits are per bake, and results are bit-identical to a bake alone. pthread_cancel
 * takes effect after a call, not inside.
 *
 * Handles are closed once, by their own close function; NULL is allowed there. A closed handle, or one of another kind,
 * is detected: BW_ERR_USAGE, or no effect. Objects are reference-counted: a handle may be closed while others use it.
 *
 * Forks. In a forked child all functions of the parent's bakes return BW_ERR_USAGE. A child that does not exec must end
 * with _exit.
 *
 * Errors. Functions that return an enum bw_status, or NULL, set bw_error_last(); their outputs are NULL then.
 *
 * Texts are UTF-8, file names arbitrary bytes; numbers do not depend on the locale. "New memory" is freed by
 * bw_text_free. JSON is described in docs/library.md; keys are only ever added.
 *
 * The library never exits, prints, or changes signal handlers, the working folder, the locale or the floating-point
 * modes of the host's threads. Environment: bw_session_open reads BILLOW_PLUGIN_PATH, and XDG_DATA_HOME or HOME for the
 * user's plugins; bw_process_rank and bw_bake_join read the variables of mpirun and srun. Relative paths start from the
 * working folder at the time of use. */
#ifndef BILLOW_BAKE_H
#define BILLOW_BAKE_H

#include "cache.h"
#include "field.h"
#include "status.h"
#include "where.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bw_session;  ///< loaded plugins, and folders of presets
struct bw_bake;     ///< a preset with its overrides, about to run, running, or done
struct bw_snapshot; ///< fields and particles of one frame; immutable
struct bw_view;     ///< one frame, to render from any camera
struct bw_cache;    ///< a finished sequence of VDB files, by Billow or not

/* ---- errors and texts ---- */

/// The last error.
struct bw_error {
    enum bw_status status;
    const char *sentence; ///< the first error: "plume.yaml:14:5: mac.project needs …"; never NULL
    const char *file;     ///< where it is, or NULL
    int32_t line, column; ///< from 1, or 0
    int32_t count;        ///< number of errors; `text` has the first 100
    const char *text;     ///< all errors, a line each, with the source line and a caret below it if known
};

/// Result of the calling thread's last call that returns a status or a pointer. After a success the status is BW_OK and
/// `text` has its warnings. Never NULL; strings are valid until the next such call on this thread.
BW_API const struct bw_error *bw_error_last(void);
/// Version, "0.1.0", and plugin ABI, "0.8". Static.
BW_API const char *bw_version(void);
BW_API const char *bw_plugin_interface(void);
/// MPI rank of this process, and number of ranks, by the environment of mpirun or srun. 0 of 1: started alone.
BW_API int32_t bw_process_rank(int32_t *size);
/// Free new memory; NULL is allowed.
BW_API void bw_text_free(char *text);
/// The nearest of `n` words to a mistyped one, or NULL; for "did you mean".
BW_API const char *bw_nearest_word(const char *word, const char *const *words, uint32_t n);
/// Human-readable number: "2.1 GiB" (unit "B"), "3:19" ("s"), "1.2M" (""), "2 frames" ("frame"). Returns `out`.
BW_API const char *bw_number_words(double x, const char *unit, char out[48]);

/// A YAML file of the host's, by the parser of presets. JSON, new memory. A node has "line", "column" (from 1) and one
/// of "text" (and "quoted", it between quotes, if it needs them), "list", "map". Errors: BW_ERR_IO, BW_ERR_PRESET
/// (place).
BW_API char *bw_yaml_read(const char *path);

/* ---- sessions ---- */

struct bw_session_options {
    uint32_t size;           ///< sizeof this struct
    const char *plugin_path; ///< folders of plugins before all others, joined by ':'; NULL: none
    const char *preset_path; ///< the same for presets
};

/// Load all plugins. Those that can't be loaded are warnings, and listed by bw_session_list. `o` may be NULL.
/// Errors: BW_ERR_MEMORY.
BW_API enum bw_status bw_session_open(const struct bw_session_options *o, struct bw_session **session);
BW_API void bw_session_close(struct bw_session *session);
/// JSON, new memory: {"stages", "exporters", "presets", "broken"}, each with names, briefs and files.
BW_API char *bw_session_list(struct bw_session *session);
/// JSON, new memory: versions, SIMD level, cores, memory, folders. `folder`: for its free disk space.
BW_API char *bw_session_machine(struct bw_session *session, const char *folder);
/// JSON Schema of presets, new memory.
BW_API char *bw_session_schema(struct bw_session *session);
/// JSON, new memory, describing everything named `name`: {"stage"} and {"exporter"} with every parameter and port,
/// {"section"} of presets, {"preset"} with its chain, {"file"} of a .vdb file with its grids. Errors: BW_ERR_USAGE
/// (nothing has that name), BW_ERR_PRESET, BW_ERR_IO.
BW_API char *bw_session_describe(struct bw_session *session, const char *name);
/// Check a plugin's tables strictly. JSON, new memory: {"entries"}. Errors: BW_ERR_PLUGIN with all errors.
BW_API char *bw_plugin_validate(const char *path);

/* ---- bakes ---- */

/// What to do if the output folder holds another bake.
enum bw_bake_mode {
    BW_BAKE_KEEP = 0,    ///< refuse to start; no run if the folder is up to date
    BW_BAKE_REPLACE = 1, ///< remove that bake's files, once the first frame of the new one is complete
    BW_BAKE_BESIDE = 2,  ///< write into the next free NAME_v002, NAME_v003 …
    BW_BAKE_RESUME = 3,  ///< resume from the newest checkpoint; without one, start from the first frame
};

/// Progress of a bake.
struct bw_bake_progress {
    int64_t frame, first, last;              ///< first … last are written; earlier ones are warm-up
    int32_t done, total;                     ///< frames made and to make, warm-up included
    double seconds, elapsed;                 ///< of this frame, of all
    int32_t substeps, frame_done;            ///< frame_done 1: the frame is complete; 0: after a substep
    int64_t cells;                           ///< active, all domains
    double divergence, residual, iterations; ///< largest of the projections' metrics; NAN: none is reported
    int64_t memory;                          ///< resident bytes of the process
    const char *line;                        ///< summary in one line, valid until the callback returns
    int64_t written; ///< frames up to this one have their files on the disk, movies apart; first - 1: none
};

/// Options of a bake. Everything is copied; zero means not given. Callbacks run on the bake's thread, one at a time,
/// and may call all functions of this header but those marked "not from a callback of the same bake".
struct bw_bake_options {
    uint32_t size;           ///< sizeof this struct
    uint32_t mode;           ///< enum bw_bake_mode
    const char *preset;      ///< a name or a path …
    const char *text;        ///< … or the preset itself; `preset` then stands for its file, in messages and paths
    const char *const *set;  ///< "stages.ID.key=value", "domain.voxel=1cm", …
    const char *const *mute; ///< ids of stages and exporters to leave out
    int32_t n_set, n_mute;
    const char *frames;     ///< "A-B": only these are written
    const char *from_frame; ///< RESUME: values may change from this frame on; NULL: they must not
    const char *seed;       ///< a whole number
    const char *memory;     ///< "12G": stop cleanly beyond
    const char *out;        ///< output folder; "": out/NAME; NULL: nothing is written, exporters do not run
    const char *simd;       ///< "baseline", "avx2", "avx512"; NULL: the best there is
    uint32_t threads;       ///< 0: all cores
    uint32_t quick;         ///< 1: voxels twice as large, simpler pictures, into out/NAME_quick
    void *user;             ///< handed to the callbacks
    /// Before the first frame, after the folder was prepared. Not called if the folder is up to date.
    void (*on_start)(struct bw_bake *bake, void *user);
    /// After each substep and each frame, and when the last files are written.
    void (*on_progress)(struct bw_bake *bake, const struct bw_bake_progress *p, void *user);
    /// A frame in first … last is complete, with `warmup` also one before. `snapshot` is valid during the call;
    /// bw_snapshot_hold extends that.
    void (*on_frame)(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user);
    /// Log lines of core, stages and exporters: 0 debug, 1 info, 2 warning. At the latest when the substep ends.
    void (*on_log)(struct bw_bake *bake, int32_t level, const char *who, const char *text, void *user);
    /// A finished output: "movie", "picture", "cache" (of volumes), "particles".
    void (*on_output)(struct bw_bake *bake, const char *what, const char *path, void *user);
    double coarse;       ///< factor on the voxel size; 0: 1
    uint32_t overcommit; ///< 1: start even if full boxes would not fit into memory
    uint32_t warmup;     ///< 1: on_frame is called for the frames before the first as well
};

/// Facts of a bake. Strings live as long as the bake.
struct bw_bake_facts {
    uint32_t size;           ///< set it to sizeof this struct before the call
    int32_t up_to_date;      ///< the folder holds this bake, finished
    const char *name, *path; ///< of the preset
    const char *out;         ///< NULL: nothing is written
    const char *hash, *simd; ///< of all values; the level that is used
    /// The preset whose cache this one reads, and the folder to bake it into first; then add the override
    /// "frames_from=PATTERN" (bw_cache_describe). NULL: not needed.
    const char *source, *source_out;
    int64_t first, last; ///< frames that are written
    double fps;
    double memory, memory_allowed; ///< bytes: upper bound, for full boxes; the machine's, or the limit
    double bytes, seconds;         ///< of all files; duration; after the end
    const char *checkpoint;        ///< the newest; NULL: none
    int64_t resumed;               ///< the frame after which it resumed; INT64_MIN: it did not
};

/// Read a preset and create its stages; nothing runs, nothing is written. Errors: BW_ERR_PRESET with all errors,
/// BW_ERR_USAGE (an override or option makes no sense), BW_ERR_MEMORY, ….
BW_API enum bw_status bw_bake_open(struct bw_session *session, const struct bw_bake_options *o, struct bw_bake **bake);
/// A running bake is cancelled and waited for. Not from a callback of the same bake. exit() and a return from main do
/// that with all bakes of the process, and no more can be started; _exit does not.
BW_API enum bw_status bw_bake_close(struct bw_bake *bake);
BW_API enum bw_status bw_bake_facts(struct bw_bake *bake, struct bw_bake_facts *facts);
/// JSON, new memory: "wiring", estimates of memory and disk, the output "folder" and its differences, "resolved": the
/// preset with all values, as YAML.
BW_API char *bw_bake_describe(struct bw_bake *bake);
/// The checks before a first frame: initialises all stages and, with `out`, exporters. Not while it runs.
BW_API enum bw_status bw_bake_check(struct bw_bake *bake);
/// The file of a preset, by its name or path; new memory. Errors: BW_ERR_PRESET (there is none).
BW_API char *bw_session_find(struct bw_session *session, const char *preset);
/// A preset's text as JSON, new memory, as it is written: {"text"} a value, {"list"}, {"map": [[key, value], …]}, each
/// with its "line", what bytes of the text it takes ("at": [from, to], of maps in braces and lists in brackets with
/// these), "flow" (in braces or brackets) and, in maps, where its "key" begins: [byte, column]. What another name
/// stands for (*name) has no "at". Errors: BW_ERR_PRESET.
BW_API char *bw_preset_tree(const char *text, const char *name);
/// One bake over all ranks of mpirun or srun: call it before the start on each, with the same bake open, `out` on rank
/// 0 only. No effect in a process started alone. Errors are returned by bw_bake_start.
BW_API enum bw_status bw_bake_join(struct bw_bake *bake);
/// After the end: 1, all ranks have ended with the same result, and rank 0 has the error message; 0: this one alone has
/// failed, and aborts the others when its process ends.
BW_API int bw_bake_parted(struct bw_bake *bake);
/// Start it; once per handle. Errors: BW_ERR_USAGE (the folder holds another bake, or another process bakes there, or
/// this one was started before), BW_ERR_LIMIT (full boxes would not fit), BW_ERR_IO.
BW_API enum bw_status bw_bake_start(struct bw_bake *bake);
/// Wait until it is done, at most `seconds` (< 0: no limit). 0: all frames are done; 1: it still runs; else its error:
/// BW_ERR_CANCELLED, BW_ERR_DIVERGED, …. Complete frames are kept. May be called again. Not from a callback of the same
/// bake (BW_ERR_USAGE).
BW_API int bw_bake_wait(struct bw_bake *bake, double seconds);
/// Request a stop at the end of the substep, with a checkpoint; a second call: at once, without. Does not wait. Allowed
/// from callbacks, before the start and after the end.
BW_API enum bw_status bw_bake_cancel(struct bw_bake *bake);
/// Request a checkpoint at the end of the frame. Allowed from callbacks.
BW_API enum bw_status bw_bake_checkpoint(struct bw_bake *bake);

/// Change values of a running bake that writes nothing (`out` NULL), between two steps, to those of another of the same
/// preset and options, open, never started; it gives them once. Only what may change with time may, by `info`. Where a
/// value is out of its range then, on_log has a warning and all stay. Errors: BW_ERR_USAGE, and nothing changes.
BW_API enum bw_status bw_bake_set_values(struct bw_bake *bake, struct bw_bake *values);

/* ---- snapshots: one frame, of a running bake or of a cache ---- */

/// A grid field. Component c of cell (i,j,k) with (i,j,k) = tile·coord[t] + (a,b,d) is data[c][t][a + tile[0]·(b +
/// tile[1]·d)], in a bake's snapshots; those of caches have no tiles and are read by boxes. Everything belongs to the
/// snapshot.
struct bw_snapshot_grid {
    const char *name, *domain, *unit; ///< domain: "main", …; NULL in caches
    uint32_t kind, precision, comps;  ///< enum bw_kind, enum bw_precision; 1 or 3
    int32_t tile[3];                  ///< cells of a tile
    int32_t lo[3], n[3];              ///< bounding box of cells; the background outside
    double origin[3], voxel;          ///< m (caches: world units): low corner of cell (0,0,0), edge
    double background[3];
    int64_t n_tiles; ///< active tiles, by coordinate
    const int32_t (*coord)[3];
    const void *const *data[3]; ///< of `precision`; NULL without tiles
    double kelvin;              ///< of caches: K above ambient for a stored 1; 0: unknown
};

/// Particles, of bakes alone: data[a] is count × comps numbers of attributes[a].precision.
struct bw_snapshot_points {
    const char *name;
    int64_t count;
    uint32_t n_attributes;
    const struct bw_attribute *attributes;
    const void *const *data;
};

struct bw_snapshot_facts {
    uint32_t size; ///< set it to sizeof this struct before the call
    uint32_t n_grids, n_points;
    const struct bw_snapshot_grid *grids;
    const struct bw_snapshot_points *points;
    int64_t frame;
    double time, fps; ///< s since the first frame
};

/// Cells lo … lo+n-1.
struct bw_box {
    int32_t lo[3], n[3];
};

/// Pixels, top row first, without padding; the caller's: bw_pixels_free.
struct bw_pixels {
    int32_t width, height;
    int32_t channels; ///< 3 RGB; 4 RGBA, premultiplied
    int32_t is_float; ///< 0: 8 bits, sRGB; 1: floats, linear light, of renders
    void *memory;
    double lo[3], hi[3]; ///< of slices: the layer of cells that fills the picture, m; else equal
    double range[2];     ///< likewise: of its colours
};
enum { BW_PIXELS_FLOAT = 1, BW_PIXELS_ALPHA = 2 }; ///< ALPHA: renders, smoke alone over nothing; implies FLOAT

/// Keep a snapshot beyond the callback, and beyond the bake. Copy on write: memory only for tiles that the bake
/// changes.
BW_API enum bw_status bw_snapshot_hold(struct bw_snapshot *snapshot);
/// Release a snapshot of bw_snapshot_hold or bw_cache_frame.
BW_API void bw_snapshot_close(struct bw_snapshot *snapshot);
/// All grids and particles. Pointers are valid as long as the snapshot.
BW_API enum bw_status bw_snapshot_facts(struct bw_snapshot *snapshot, struct bw_snapshot_facts *facts);
/// Component `c` of grid number `grid` on a box of cells as floats, x fastest, into n[0]·n[1]·n[2] floats of the
/// caller's: beyond the domain by its sides' rules, in inactive tiles the background. mac: values on the low faces,
/// or with `centred` means of both. Errors: BW_ERR_USAGE (no such grid or component).
BW_API enum bw_status bw_snapshot_read(struct bw_snapshot *snapshot, uint32_t grid, uint32_t c,
                                       const struct bw_box *box, int32_t centred, float *out);
/// A picture as the png exporter makes it. `look`: its parameters as YAML or JSON ("view: render", "{size: 360,
/// field: vel}"), NULL: its defaults; of a cache's snapshot the options of `billow preview`, and no flags. `flags`:
/// of BW_PIXELS_…. Errors: BW_ERR_PRESET (a parameter is wrong), BW_ERR_MEMORY.
BW_API enum bw_status bw_snapshot_picture(struct bw_snapshot *snapshot, const char *look, uint32_t flags,
                                          struct bw_pixels *pixels);
BW_API void bw_pixels_free(struct bw_pixels *pixels);

/* ---- views: a frame to render from any camera ---- */

/// A camera, m (caches: world units), z up. A narrow angle from afar approximates a parallel projection.
struct bw_eye {
    double at[3], target[3], up[3]; ///< position; point in the picture's centre; approximate up vector
    double angle;                   ///< of view, from the top to the bottom of the picture, rad
};

struct bw_view_facts {
    uint32_t size;                        ///< set it to sizeof this struct before the call
    int32_t renders, width, height;       ///< 0: flat, or nothing to render; size of the bake's own pictures
    double lo[3], hi[3];                  ///< the stage: the domain, or the smoke's bounding box
    double seen_lo[3], seen_hi[3], voxel; ///< bounding box of what is visible, equal: empty; cell width
    struct bw_eye eye;                    ///< the camera of the bake's own pictures
    int64_t bytes;                        ///< of memory used
    double metre;                         ///< world units to a metre: 1, but of caches
    int32_t y_up;                         ///< 1: the snapshot's grids have y up, (x, z, -y) of coordinates here
};

/// With the bake's own look, else the default; the snapshot may be closed. Errors: BW_ERR_IO, _PRESET, _MEMORY.
BW_API enum bw_status bw_view_open(struct bw_snapshot *snapshot, struct bw_view **view);
/// With the look of another open bake (NULL: its own), and over that `n_set` of `billow preview --set`'s values.
BW_API enum bw_status bw_view_open_as(struct bw_snapshot *snapshot, struct bw_bake *look, const char *const *set,
                                      int32_t n_set, struct bw_view **view);
BW_API void bw_view_close(struct bw_view *view);
BW_API enum bw_status bw_view_facts(struct bw_view *view, struct bw_view_facts *facts);
/// 8 bits; `eye` NULL: the bake's own camera. Lights stay where the movie has them. `coarse` 1: with cells twice as
/// wide, much faster. Errors: BW_ERR_USAGE (invalid eye or size, …).
BW_API enum bw_status bw_view_picture(struct bw_view *view, const struct bw_eye *eye, int32_t width, int32_t height,
                                      int32_t coarse, struct bw_pixels *pixels);

#ifdef __cplusplus
}
#endif

#endif
