// SPDX-License-Identifier: Apache-2.0
/* Two domains that were exported to be shown at once (`blend`): each file fades out where the other one goes on, so
 * that the sum of both is the whole. The file's own metadata say that it is half of something, and of what bake. */
#include "vdb_view.h"

#include <picture/gather/fields.h>

#include <common/sequence/numbered.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the other half ---- */

/// What a file says of itself.
struct half {
    char hash[80], domain[80], blend[80]; ///< of the preset; "": nothing is said
    double voxel;
};

static void half_read(const char *path, struct half *h)
{
    struct bwvdb_file *f = NULL;
    uint32_t n = 0;
    *h = (struct half){0};
    if (bwvdb_open(path, &f, NULL)) return;
    const struct bwvdb_meta *m = bwvdb_file_meta(f, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (m[i].type != BWVDB_STRING) continue;
        if (!strcmp(m[i].key, "preset_hash")) snprintf(h->hash, sizeof h->hash, "%s", m[i].string);
        if (!strcmp(m[i].key, "domain")) snprintf(h->domain, sizeof h->domain, "%s", m[i].string);
        if (!strcmp(m[i].key, "blend")) snprintf(h->blend, sizeof h->blend, "%s", m[i].string);
    }
    for (int32_t g = 0; g < bwvdb_count(f) && !(h->voxel > 0); g++) h->voxel = bwvdb_grid_info(f, g)->voxel[0];
    bwvdb_close(f);
}

/// A file beside it, of the same frame, that is the other half.
static int partner_find(const char *path, char out[4096], double *voxel)
{
    struct half own, other;
    struct numbered as, at;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[4096];
    int found = 0;
    half_read(path, &own);
    if (!*own.blend || !*own.hash || !numbered_name(name, &as)) return 0;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    DIR *dir = opendir(folder);
    for (struct dirent *d; dir && !found && (d = readdir(dir));) {
        if (!strcmp(d->d_name, name) || !numbered_name(d->d_name, &at) || at.digits != as.digits) continue;
        if (strcmp(d->d_name + at.head, name + as.head) != 0) continue; // number and ending
        if ((size_t)snprintf(out, 4096, "%s/%s", folder, d->d_name) >= 4096) continue;
        half_read(out, &other);
        found = !strcmp(other.hash, own.hash) && !strcmp(other.domain, own.blend) && !strcmp(other.blend, own.domain);
        *voxel = other.voxel;
    }
    if (dir) closedir(dir);
    return found && *voxel > 0;
}

/* ---- both as one ---- */

/// One array of the sum, a layer a task.
struct summing {
    const struct bw_dense *to;
    const struct bw_volume *from[2];
    const float *in[2];
    float *out;
};

/// Nothing beyond a file's own box.
static float value_at(const struct bw_dense *b, const float *data, const double p[3])
{
    struct bw_tap tap;
    for (int a = 0; a < 3; a++)
        if (p[a] < b->origin[a] || p[a] > b->origin[a] + b->n[a] * b->h) return 0;
    bw_tap_at(b, p, &tap);
    return bw_tap_read(&tap, data);
}

static void layer_sum(int64_t k, void *user)
{
    const struct summing *s = user;
    float *out = s->out + (size_t)k * (size_t)s->to->n[1] * (size_t)s->to->n[0];
    for (int j = 0; j < s->to->n[1]; j++)
        for (int i = 0; i < s->to->n[0]; i++) {
            const int cell[3] = {i, j, (int)k};
            double p[3];
            for (int a = 0; a < 3; a++) p[a] = s->to->origin[a] + (cell[a] + 0.5) * s->to->h;
            *out = 0;
            for (int f = 0; f < 2; f++) *out += s->in[f] ? value_at(&s->from[f]->box, s->in[f], p) : 0;
            out++;
        }
}

/// On cells of the finer one, or as many times wider as makes them few enough.
static void box_join(const struct bw_dense *a, const struct bw_dense *b, struct bw_dense *out)
{
    const struct bw_dense *fine = a->h <= b->h ? a : b, *wide = fine == a ? b : a;
    *out = *fine;
    for (out->h = fine->h;; out->h *= 2) {
        double cells = 1;
        for (int d = 0; d < 3; d++) {
            const double before =
                ceil((fine->origin[d] - wide->origin[d]) / out->h - 1e-6); // on the fine one's lattice
            const double lo = fine->origin[d] - fmax(before, 0) * out->h;
            const double hi = fmax(fine->origin[d] + fine->n[d] * fine->h, wide->origin[d] + wide->n[d] * wide->h);
            out->origin[d] = lo;
            out->n[d] = (int32_t)ceil((hi - lo) / out->h - 1e-6);
            cells *= out->n[d];
        }
        if (cells < BW_GATHER_CELLS) return;
    }
}

/// `a` becomes the sum of both. 0: out of memory.
static int volumes_join(const struct bw_tools *tools, struct bw_volume *a, float **memory, struct bw_volume *b)
{
    struct bw_volume sum = *a;
    float **in[2][BW_VOLUME_ARRAYS], **out[BW_VOLUME_ARRAYS];
    size_t arrays = 0;
    bw_volume_arrays(a, in[0]);
    bw_volume_arrays(b, in[1]);
    bw_volume_arrays(&sum, out);
    box_join(&a->box, &b->box, &sum.box);
    for (int i = 0; i < BW_VOLUME_STILL; i++) arrays += *in[0][i] || *in[1][i];
    const struct bw_volume *solid = a->solid ? a : b;
    const size_t cells = bw_dense_cells(&sum.box), solids = solid->solid ? bw_dense_cells(&solid->solid_box) : 0;
    float *at = tools->alloc(tools->ctx, (arrays * cells + solids) * sizeof *at), *block = at;
    if (!at) return 0;
    for (int i = 0; i < BW_VOLUME_STILL; i++) {
        if (!*in[0][i] && !*in[1][i]) continue;
        struct summing s = {&sum.box, {a, b}, {*in[0][i], *in[1][i]}, at};
        tools->parallel(tools->ctx, sum.box.n[2], layer_sum, &s);
        *out[i] = at;
        at += cells;
    }
    for (int c = 0; c < 3; c++) sum.vel[c] = NULL; // a flow is in both where they overlap, and does not add up …
    sum.age = NULL;                                // … nor does age
    sum.solid_box = solid->solid_box;
    sum.solid = solids ? memcpy(at, solid->solid, solids * sizeof *at) : NULL;
    tools->release(tools->ctx, *memory);
    *a = sum;
    *memory = block;
    return 1;
}

enum bw_status bw_vdb_volume_whole(const struct bw_vdb_view *v, const char *path, struct bw_volume *out, float **memory,
                                   char *why, size_t why_size)
{
    char partner[4096];
    struct bw_vdb_view other = *v;
    struct bw_volume half = {0};
    float *half_memory = NULL;
    enum bw_status status = bw_vdb_volume(v, path, out, memory, why, why_size);
    if (status || !partner_find(path, partner, &other.voxel)) return status;
    status = bw_vdb_volume(&other, partner, &half, &half_memory, why, why_size);
    if (!status && bw_dense_cells(&half.box)) {
        if (!bw_dense_cells(&out->box)) { // an empty one
            *out = half;
            float *swap = *memory;
            *memory = half_memory;
            half_memory = swap;
        } else if (!volumes_join(v->tools, out, memory, &half)) {
            snprintf(why, why_size, "out of memory for %s and %s together", path, partner);
            status = BW_ERR_MEMORY;
        }
    }
    if (half_memory) v->tools->release(v->tools->ctx, half_memory);
    if (status && *memory) {
        v->tools->release(v->tools->ctx, *memory);
        *memory = NULL;
    }
    return status;
}
