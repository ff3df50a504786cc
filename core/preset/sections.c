// SPDX-License-Identifier: Apache-2.0
/* The tables of sections.h. Nothing here changes with time: it is known before the first frame. */
#include "sections.h"

#include "preset/values/params.h"

// clang-format off
#define ABOVE_ZERO(S, m, name, word, default_, unit_, text) \
    {.key = name, .type = BW_PARAM_F64, .offset = BW_OFFSET(S, m, double), .def = default_, .unit = unit_, \
     .choices = word, .doc = text, .flags = BW_PARAM_MIN_OPEN}
#define ABOVE_ZERO_VEC3(S, m, name, word, unit_, text) \
    {.key = name, .type = BW_PARAM_VEC3, .offset = BW_OFFSET(S, m, bw_vec3), .unit = unit_, .choices = word, \
     .doc = text, .flags = BW_PARAM_MIN_OPEN}
#define FRAMES(S, m, name, default_, text) \
    {.key = name, .type = BW_PARAM_FRAMES, .offset = BW_OFFSET(S, m, struct bw_frames), .def = default_, .doc = text}
#define SPAN(S, m, name, default_, text) \
    {.key = name, .type = BW_PARAM_FRAMES, .offset = BW_OFFSET(S, m, struct bw_frames), .def = default_, \
     .doc = text, .flags = BW_PARAM_PARTS}
#define MAP(S, m, T, name, rows, low, high, text) \
    {.key = name, .type = BW_PARAM_MAP, .offset = BW_OFFSET(S, m, struct bw_list), .min = low, .max = high, \
     .doc = text, .n_sub = BW_COUNT(rows), .sub = rows, .sub_size = sizeof(T)}
#define NOTHING_MORE(name, text) {.key = name, .type = BW_PARAM_GROUP, .doc = text}
// clang-format on

/* ---- domain ---- */

#define CLOSED struct bw_closed_values
#define SIDE struct bw_side_values
#define SIDES struct bw_sides_values
#define DOMAIN struct bw_domain_values

static const struct bw_param closed_rows[] = {
    BW_CHOICE(CLOSED, no_slip, "slip", "free", "free|no", "Whether air slides along the wall."),
    BW_VEC3(CLOSED, velocity, "velocity", "[0, 0, 0]", "m/s", "Of the wall itself."),
};

/* In the order of enum bw_side_kind. */
static const struct bw_param side_rows[] = {
    BW_GROUP(SIDE, closed, CLOSED, "closed", closed_rows, "A wall."),
    NOTHING_MORE("open", "Air comes and goes."),
    {.key = "inflow",
     .type = BW_PARAM_VEC3,
     .offset = BW_OFFSET(SIDE, inflow, bw_vec3),
     .unit = "m/s",
     .doc = "Air blows with this velocity.",
     .flags = BW_PARAM_REQUIRED},
    NOTHING_MORE("periodic", "What leaves comes in at the other side."),
};

static const struct bw_param sides_rows[] = {
    BW_VARIANT(SIDES, word[0], SIDE, "left", NULL, side_rows, "Where x is least."),
    BW_VARIANT(SIDES, word[1], SIDE, "right", NULL, side_rows, "Where x is greatest."),
    BW_VARIANT(SIDES, word[2], SIDE, "front", NULL, side_rows, "Where y is least."),
    BW_VARIANT(SIDES, word[3], SIDE, "back", NULL, side_rows, "Where y is greatest."),
    BW_VARIANT(SIDES, word[4], SIDE, "bottom", NULL, side_rows, "Where z is least; closed when nothing is said."),
    BW_VARIANT(SIDES, word[5], SIDE, "top", NULL, side_rows, "Where z is greatest."),
    BW_VARIANT(SIDES, axis[0], SIDE, "x-", NULL, side_rows, "Another word for left."),
    BW_VARIANT(SIDES, axis[1], SIDE, "x+", NULL, side_rows, "Another word for right."),
    BW_VARIANT(SIDES, axis[2], SIDE, "y-", NULL, side_rows, "Another word for front."),
    BW_VARIANT(SIDES, axis[3], SIDE, "y+", NULL, side_rows, "Another word for back."),
    BW_VARIANT(SIDES, axis[4], SIDE, "z-", NULL, side_rows, "Another word for bottom."),
    BW_VARIANT(SIDES, axis[5], SIDE, "z+", NULL, side_rows, "Another word for top."),
    BW_VARIANT(SIDES, rest, SIDE, "rest", NULL, side_rows, "All that are not named; open when nothing is said."),
};

static const struct bw_param number_row[] = {{.type = BW_PARAM_F64, .unit = "m"}};

static const struct bw_param domain_rows[] = {
    ABOVE_ZERO_VEC3(DOMAIN, size, "size", "none", "m",
                    "Of the box; none: no box. Two of size, cells and voxel are given."),
    ABOVE_ZERO_VEC3(DOMAIN, cells, "cells", NULL, NULL, "Cells along x, y, z; 1 along one of them: a flat domain."),
    ABOVE_ZERO(DOMAIN, voxel, "voxel", NULL, NULL, "m", "Edge of a cell."),
    BW_INT(DOMAIN, flow, "flow", "1", 1, 8,
           "Cells of the flow (velocity, pressure, forces, obstacles) are that many times as wide as those of smoke, "
           "heat and all else it carries: 2 is three times as fast, without eddies of a few cells."),
    {.key = "center",
     .type = BW_PARAM_LIST,
     .offset = BW_OFFSET(DOMAIN, center, struct bw_list),
     .def = "[0, 0]",
     .min = 2,
     .max = 2,
     .unit = "m",
     .doc = "Where the box stands in x and y.",
     .n_sub = BW_COUNT(number_row),
     .sub = number_row,
     .sub_size = sizeof(double)},
    BW_F64(DOMAIN, floor, "floor", "0", 0, 0, "m", "Where its bottom is."),
    BW_VEC3(DOMAIN, origin, "origin", NULL, "m", "Its corner, instead of center and floor."),
    BW_F64(
        DOMAIN, margin, "margin", NULL, 0, 1e30, NULL,
        "Cells of still air kept around what is alive: 6; 24 in a flat domain, 16 in one closed or periodic along two "
        "axes."),
    BW_GROUP(DOMAIN, sides, SIDES, "sides", sides_rows, "What stands around it."),
};

/* ---- time, limits, fields, frames_from ---- */

#define TIME struct bw_time_values

static const struct bw_param count_row[] = {{.type = BW_PARAM_INT, .min = 1, .max = 100000}};

static const struct bw_param time_rows[] = {
    BW_F64(TIME, fps, "fps", "24", 0, 1e6, NULL, "Frames a second.", BW_PARAM_MIN_OPEN),
    FRAMES(TIME, frames, "frames", "1-100", "First and last frame; those of the files, when there is frames_from."),
    FRAMES(TIME, write, "write", NULL, "The frames that are written (--frames); all when nothing is said."),
    BW_F64(TIME, warmup, "warmup", "0", 0, 1e9, NULL, "Frames before the first that are not written.", BW_PARAM_STATIC),
    ABOVE_ZERO(TIME, files, "files", NULL, NULL, NULL,
               "Numbered files a second that shapes and `load` read; as many as frames when nothing is said."),
    {.key = "substeps",
     .type = BW_PARAM_LIST,
     .offset = BW_OFFSET(TIME, substeps, struct bw_list),
     .def = "auto",
     .min = 1,
     .max = 2,
     .choices = "auto",
     .doc = "Steps a frame: auto, a number, or [least, most]; auto: 1 to 64.",
     .n_sub = BW_COUNT(count_row),
     .sub = count_row,
     .sub_size = sizeof(int64_t)},
    ABOVE_ZERO(TIME, dt, "dt", NULL, NULL, "s", "A fixed step instead of substeps."),
    ABOVE_ZERO(TIME, cfl, "cfl", NULL, "5", NULL, "Cells that air may cross in a step."),
    BW_INT(TIME, seed, "seed", "0", 0, 9.2e18, "What random numbers begin with; another one gives another take."),
};

static const struct bw_param limits_rows[] = {
    ABOVE_ZERO(struct bw_limits_values, memory, "memory", NULL, NULL, "B", "A bake that would take more ends."),
    ABOVE_ZERO(struct bw_limits_values, time, "time", NULL, NULL, "s", "A bake that takes longer ends."),
};

#define CHECKPOINTS struct bw_checkpoints_values

static const struct bw_param checkpoints_rows[] = {
    BW_F64(CHECKPOINTS, every, "every", "60 s", 0, 1e9, "s", "At least so long between two; 0: not by time."),
    BW_INT(CHECKPOINTS, frames, "frames", "0", 0, 1e9, "One after so many frames; 0: not by frames."),
    BW_INT(CHECKPOINTS, keep, "keep", "0", 0, 1e9,
           "How many are kept, the newest; 0: two, and the fewer of those before the older they are."),
};

#define FIELD struct bw_field_values

static const struct bw_param field_rows[] = {
    BW_CHOICE(FIELD, kind, "kind", NULL, "scalar|vector|mac|particles", "When no stage says it."),
    BW_CHOICE(FIELD, precision, "precision", NULL, "f32|f64", "When no stage says it."),
    BW_BOOL(FIELD, advect, "advect", NULL, "Whether the flow carries it."),
    {.key = "background",
     .type = BW_PARAM_VEC3,
     .offset = BW_OFFSET(FIELD, background, bw_vec3),
     .doc = "Its value where nothing is stored: a number or [x, y, z].",
     .flags = BW_PARAM_SPREAD},
    BW_F64(FIELD, alive, "alive", NULL, 0, 1e30, NULL, "How far from the background a tile is kept."),
};

static const struct bw_param frames_from_rows[] = {
    BW_PATH(struct bw_frames_from_values, files, "files", "Numbered files: cache/plume_####.vdb."),
    BW_STRING(struct bw_frames_from_values, bake, "bake", NULL,
              "A preset: its cache, baked first where it is not there."),
};

/* ---- all of it ---- */

#define PRESET struct bw_preset_values

const struct bw_param bw_preset_rows[] = {
    {.key = "billow",
     .type = BW_PARAM_INT,
     .offset = BW_OFFSET(PRESET, billow, int64_t),
     .min = 1,
     .max = 1,
     .doc = "Version of the format.",
     .flags = BW_PARAM_REQUIRED},
    BW_STRING(PRESET, name, "name", NULL, "What its folder is called; the file's name when nothing is said."),
    BW_STRING(PRESET, extends, "extends", NULL, "The preset that this one changes."),
    {.key = "frames_from",
     .type = BW_PARAM_VARIANT,
     .offset = BW_OFFSET(PRESET, frames_from, struct bw_frames_from_values),
     .doc = "Frames that are read, one step each: files, or the bake that they come from.",
     .flags = BW_PARAM_SHORT,
     .n_sub = BW_COUNT(frames_from_rows),
     .sub = frames_from_rows,
     .sub_size = sizeof(struct bw_frames_from_values)},
    BW_GROUP(PRESET, domain, DOMAIN, "domain", domain_rows, "The box that is simulated, and its cells."),
    MAP(PRESET, domains, DOMAIN, "domains", domain_rows, 1, BW_MAX_DOMAINS, "Several of them, by name."),
    BW_GROUP(PRESET, time, TIME, "time", time_rows, "Frames and steps."),
    BW_GROUP(PRESET, limits, struct bw_limits_values, "limits", limits_rows, "When to give up."),
    BW_GROUP(PRESET, checkpoints, CHECKPOINTS, "checkpoints", checkpoints_rows, "What a killed bake goes on from."),
    ABOVE_ZERO(PRESET, ambient, "ambient", NULL, "293.15 K", "K", "Temperature of the air around."),
    BW_CHOICE(PRESET, character, "character", "natural", "calm|natural|wild",
              "How turbulent what is not said is. calm: nothing beside what is written; natural: sources are uneven "
              "and soft, and fronts break up, by the source's size and the flow's speed; wild: twice that."),
    ABOVE_ZERO(PRESET, scale, "scale", NULL, NULL, NULL,
               "How many times as large, and by Froude's law its square root slower, all of it is written and shown."),
    MAP(PRESET, fields, FIELD, "fields", field_rows, 0, 1000,
        "Fields of the preset's own, or what it wants of others."),
};
const uint32_t bw_preset_n_rows = BW_COUNT(bw_preset_rows);

/* ---- entries ---- */

#define ENTRY struct bw_entry_values

static const struct bw_param bind_row[] = {
    {.type = BW_PARAM_FIELD, .offset = BW_OFFSET(struct bw_bind_values, field, const char *)},
};

// clang-format off
#define EVERY_ENTRY                                                                                                    \
    BW_STRING(ENTRY, id, "id", NULL, "What others call it; its type when nothing is said."),                           \
    BW_BOOL(ENTRY, enabled, "enabled", "true", "false: as if it were not there."),                                     \
    BW_STRING(ENTRY, domain, "domain", NULL, "Where it works; the first domain when nothing is said."),                \
    BW_STRING(ENTRY, before, "before", NULL, "The id that it comes right before, in a preset that extends another."), \
    BW_STRING(ENTRY, after, "after", NULL, "The id that it comes right after.")
// clang-format on

const struct bw_param bw_stage_rows[] = {
    EVERY_ENTRY,
    SPAN(ENTRY, frames, "frames", NULL, "The frames in which it works, parts of them too; all when nothing is said."),
    MAP(ENTRY, bind, struct bw_bind_values, "bind", bind_row, 0, 0, "Other fields for its ports: {density: dye}."),
};
const uint32_t bw_stage_n_rows = BW_COUNT(bw_stage_rows);

const struct bw_param bw_export_rows[] = {EVERY_ENTRY};
const uint32_t bw_export_n_rows = BW_COUNT(bw_export_rows);
