// SPDX-License-Identifier: Apache-2.0
#include "camera_file.h"

#include "base/alloc.h"
#include "preset/tree/node_private.h"
#include "preset/values/params.h"
#include "usda.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What our own camera is told of a key.
struct told {
    double azimuth, elevation, roll, target[3], distance, lens, sensor, fstop, focus;
};

/* As camera_turn of the renderer has it: without roll the right hand is level. Looking straight down or up azimuth and
 * roll are one, and roll stays 0. */
static void angles_of(const struct usda_key *k, struct told *t)
{
    const double *f = k->forward, *up = k->up;
    t->elevation = asin(fmax(-1, fmin(1, -f[2])));
    const int steep = fabs(f[2]) > 1 - 1e-9;
    t->azimuth = steep ? atan2(f[2] < 0 ? -up[0] : up[0], f[2] < 0 ? up[1] : -up[1]) : atan2(-f[0], f[1]);
    const double ca = cos(t->azimuth), sa = sin(t->azimuth), ce = cos(t->elevation), se = sin(t->elevation);
    const double along = up[0] * ca + up[1] * sa, above = -up[0] * sa * se + up[1] * ca * se + up[2] * ce;
    t->roll = steep ? 0 : atan2(along, above);
}

static void told_of(const struct usda_key *k, struct told *t)
{
    angles_of(k, t);
    t->distance = k->focus > 0 ? k->focus : 1;
    for (int a = 0; a < 3; a++) t->target[a] = k->eye[a] + t->distance * k->forward[a];
    t->lens = k->lens;
    t->sensor = fmax(k->sensor, k->sensor_high); // ours is the longer side
    t->fstop = k->fstop;
    t->focus = t->distance;
}

/* Angles go on from the key before, instead of jumping by a turn. */
static double unwound(double angle, double before) { return angle + 2 * M_PI * round((before - angle) / (2 * M_PI)); }

/* ---- as a tree ---- */

struct writing {
    const struct usda_shot *shot;
    const struct told *told;
    FILE *text;
};

static double member(const struct told *t, size_t offset, int c)
{
    double v;
    memcpy(&v, (const char *)t + offset + (size_t)c * sizeof v, sizeof v);
    return v;
}

static void value_write(const struct writing *w, int32_t i, size_t offset, int comps, const char *unit)
{
    if (comps == 1) fprintf(w->text, "%.9g %s", member(&w->told[i], offset, 0), unit);
    else {
        fprintf(w->text, "[");
        for (int c = 0; c < comps; c++) fprintf(w->text, "%s%.9g", c ? ", " : "", member(&w->told[i], offset, c));
        fprintf(w->text, "]");
    }
}

/* KEY: VALUE, or keys where it moves. */
static void line_write(const struct writing *w, const char *key, size_t offset, int comps, const char *unit)
{
    int moves = 0;
    for (int32_t i = 1; i < w->shot->n; i++)
        for (int c = 0; c < comps; c++) moves |= member(&w->told[i], offset, c) != member(&w->told[0], offset, c);
    fprintf(w->text, "%s: ", key);
    if (moves) fprintf(w->text, "{keys: {");
    for (int32_t i = 0; i < (moves ? w->shot->n : 1); i++) {
        if (moves) fprintf(w->text, "%s%.9g: ", i ? ", " : "", w->shot->key[i].code);
        value_write(w, i, offset, comps, unit);
    }
    fprintf(w->text, moves ? "}, ease: linear}" : "");
}

/* The text of a map; NULL: out of memory. */
static char *shot_text(const struct usda_shot *shot, const struct told *told)
{
    char *out = NULL;
    size_t size;
    struct writing w = {shot, told, open_memstream(&out, &size)};
    int opens = 0;
    if (!w.text) return NULL;
    for (int32_t i = 0; i < shot->n; i++) opens |= told[i].fstop > 0;
    fprintf(w.text, "{orbit: 0, ");
    line_write(&w, "azimuth", offsetof(struct told, azimuth), 1, "rad");
    line_write(&w, ", elevation", offsetof(struct told, elevation), 1, "rad");
    line_write(&w, ", roll", offsetof(struct told, roll), 1, "rad");
    line_write(&w, ", distance", offsetof(struct told, distance), 1, "m");
    line_write(&w, ", target: {point", offsetof(struct told, target), 3, "");
    line_write(&w, "}, lens", offsetof(struct told, lens), 1, "m");
    line_write(&w, ", sensor", offsetof(struct told, sensor), 1, "m");
    if (opens) {
        line_write(&w, ", fstop", offsetof(struct told, fstop), 1, "");
        line_write(&w, ", focus", offsetof(struct told, focus), 1, "m");
    }
    fprintf(w.text, "}\n");
    const int failed = ferror(w.text);
    if (!fclose(w.text) && !failed) return out;
    free(out);
    return NULL;
}

static char *shot_words(const struct usda_shot *shot)
{
    struct told *told = bw_calloc((size_t)shot->n * sizeof *told);
    for (int32_t i = 0; told && i < shot->n; i++) {
        told_of(&shot->key[i], &told[i]);
        if (!i) continue;
        told[i].azimuth = unwound(told[i].azimuth, told[i - 1].azimuth);
        told[i].roll = unwound(told[i].roll, told[i - 1].roll);
    }
    char *text = told ? shot_text(shot, told) : NULL;
    bw_free(told);
    return text;
}

/* Entries of `from` in place of the map's own. */
static enum bw_status entries_move(struct bw_node *map, struct bw_node *from)
{
    for (int32_t i = 0; i < from->count; i++) {
        struct bw_node *copy = bw_node_copy(from->child[i]);
        if (!copy || bw_node_put(map, from->child[i]->key, copy)) return BW_ERR_MEMORY;
    }
    return bw_node_put(map, "file", NULL) || bw_node_put(map, "name", NULL) ? BW_ERR_MEMORY : BW_OK;
}

enum bw_status camera_file_take(struct bw_node *camera, struct bw_diag *d)
{
    const struct bw_node *file = camera && camera->type == BW_NODE_MAP ? bw_node_get(camera, "file") : NULL;
    const struct bw_node *name = file ? bw_node_get(camera, "name") : NULL;
    struct usda_shot shot;
    if (bw_node_is_null(file)) return BW_OK;
    if (file->type != BW_NODE_SCALAR || (name && name->type != BW_NODE_SCALAR))
        return bw_diag_error(d, &file->place, BW_ERR_PRESET, "camera: file and name are texts");
    char *path = bw_path_absolute(file->text, file->place.file);
    if (!path) return bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for a camera");
    if (!usda_camera(path, bw_node_is_null(name) ? NULL : name->text, &file->place, &shot, d)) {
        char *text = shot_words(&shot);
        struct bw_node *said = text ? bw_node_parse(text, path, d) : NULL;
        if (!d->status && (!said || entries_move(camera, said)))
            bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for a camera");
        bw_node_free(said);
        free(text);
        bw_free(shot.key);
    }
    bw_free(path);
    return d->status;
}
