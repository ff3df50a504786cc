// SPDX-License-Identifier: Apache-2.0
#include "shot.h"

#include "preset/preset.h"
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/phase.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIT_FRAMES = 48 }; ///< frames whose fire is read, at most

/// Emission of layers of cells, as the renderer's medium has it.
struct fire {
    const struct bw_volume *v;
    const struct bw_scene *scene;
    struct bw_blackbody colours;
    double *layer; ///< {rgb, x, y, x² + y²} weighted by light, of each layer of cells
    int32_t n;
    double sum, out; ///< of the light, what goes up and to the four sides and gets there
};
enum { RGB, X = 3, Y, SQUARE, LANES };

static double fire_weight(const double *lane) { return lane[0] + lane[1] + lane[2]; }

/// What a cell sends out; returns how much of light it takes away for good, 1/m.
static double cell_emission(const struct fire *f, size_t cell, float rgb[3])
{
    const struct bw_look *l = &f->scene->look;
    const double albedo = (double)(l->albedo[0] + l->albedo[1] + l->albedo[2]) / 3;
    float fire[2];
    bw_fire_at(f->v, cell, f->scene->ambient, fire);
    bw_emission(&f->colours, fire, rgb);
    const double smoke = f->v->density ? fmax((double)f->v->density[cell], 0) * (1 - (double)BW_ONWARD * albedo) : 0;
    const double soot = f->v->flame ? (double)(BW_SOOT * fire[0]) * l->flames.opacity : 0;
    return f->scene->extinction * (smoke + soot);
}

static void layer_add(const struct fire *f, int32_t k, double *lane)
{
    const struct bw_dense *b = &f->v->box;
    size_t cell = (size_t)k * (size_t)b->n[0] * (size_t)b->n[1];
    for (int32_t j = 0; j < b->n[1]; j++)
        for (int32_t i = 0; i < b->n[0]; i++, cell++) {
            float rgb[3];
            cell_emission(f, cell, rgb);
            const double w = (double)(rgb[0] + rgb[1] + rgb[2]);
            if (!(w > 0)) continue;
            const double x = b->origin[0] + (i + 0.5) * b->h, y = b->origin[1] + (j + 0.5) * b->h;
            for (int c = 0; c < 3; c++) lane[RGB + c] += (double)rgb[c];
            lane[X] += w * x, lane[Y] += w * y, lane[SQUARE] += w * (x * x + y * y);
        }
}

/// Light of a line of cells, `step` apart, that gets out at its two ends.
static void line_escape(struct fire *f, size_t cell, int32_t n, size_t step)
{
    for (int end = 0; end < 2; end++) {
        double clear = 1;
        for (int32_t i = 0; i < n && clear > 1e-3; i++) {
            float rgb[3];
            const double thin = f->v->box.h * cell_emission(f, cell + step * (size_t)(end ? i : n - 1 - i), rgb);
            f->out += 0.5 * clear * exp(-0.5 * thin) * (double)(rgb[0] + rgb[1] + rgb[2]);
            clear *= exp(-thin);
        }
    }
}

/// f->out: level, along both axes.
static void fire_escape(struct fire *f)
{
    const int32_t *n = f->v->box.n;
    const size_t row = (size_t)n[0], layer = row * (size_t)n[1];
    for (size_t k = 0; k < (size_t)n[2]; k++) {
        if (!(fire_weight(f->layer + LANES * k) > 0)) continue;
        for (size_t j = 0; j < (size_t)n[1]; j++) line_escape(f, k * layer + j * row, n[0], 1);
        for (size_t i = 0; i < (size_t)n[0]; i++) line_escape(f, k * layer + i, n[1], row);
    }
    f->out *= 0.5;
}

/// Layers from k on that hold a share of the light, as a lamp in its middle. Returns the next layer.
static int32_t lamp_make(const struct fire *f, const struct bw_dense *b, int32_t k, double share, struct shot_lamp *l)
{
    double lane[LANES] = {0}, z = 0, zz = 0, w = 0;
    for (; k < f->n && w < share * f->sum; k++) {
        const double *one = f->layer + LANES * (size_t)k, up = b->origin[2] + (k + 0.5) * b->h, own = fire_weight(one);
        for (int q = 0; q < LANES; q++) lane[q] += one[q];
        z += own * up, zz += own * up * up, w += own;
    }
    if (!(w > 0)) return k;
    l->at[0] = lane[X] / w, l->at[1] = lane[Y] / w, l->at[2] = z / w;
    const double spread = (lane[SQUARE] + zz) / w - l->at[0] * l->at[0] - l->at[1] * l->at[1] - l->at[2] * l->at[2];
    l->radius = fmax(sqrt(fmax(spread, 0) / 3), 0.5 * b->h);
    for (int c = 0; c < 3; c++) l->rgb[c] = lane[RGB + c] * b->h * b->h * b->h;
    return k;
}

/// The fire of a frame that is read: SHOT_LAMPS of the same brightness, one above the other.
static enum bw_status frame_light(const struct bw_volume *v, const struct bw_scene *scene, struct shot_frame *s)
{
    struct fire f = {.v = v, .scene = scene, .n = v->box.n[2]};
    if (!(f.layer = calloc((size_t)f.n + 1, LANES * sizeof *f.layer))) return BW_ERR_MEMORY;
    bw_flame_colours(&f.colours, scene);
    for (int32_t k = 0; k < f.n; k++) {
        layer_add(&f, k, f.layer + LANES * (size_t)k);
        f.sum += fire_weight(f.layer + LANES * (size_t)k);
    }
    fire_escape(&f);
    s->clear = f.sum > 0 ? f.out / f.sum : 1;
    const double gain = (double)bw_flame_gain(scene);
    for (int32_t i = 0, k = 0; i < SHOT_LAMPS; i++) {
        k = lamp_make(&f, &v->box, k, i + 1 < SHOT_LAMPS ? 1.0 / SHOT_LAMPS : 2, &s->lamp[i]);
        for (int c = 0; c < 3; c++) s->lamp[i].rgb[c] *= gain * (double)scene->look.firelight[c];
    }
    s->lit = 1;
    free(f.layer);
    return BW_OK;
}

static enum bw_status file_light(const struct bw_vdb_view *view, const char *path, const struct bw_scene *scene,
                                 struct shot_frame *s)
{
    struct bw_vdb_view own = *view;
    struct bw_volume v;
    float *memory = NULL;
    char why[1024];
    own.moves = own.roots = 0;
    enum bw_status status = bw_vdb_volume_whole(&own, path, &v, &memory, why, sizeof why);
    if (!status && (v.flame || v.temperature)) status = frame_light(&v, scene, s);
    free(memory);
    return status == BW_ERR_MEMORY ? status : BW_OK; // a file that can't be read lights nothing
}

enum bw_status shot_make(const struct cache *c, const struct bw_vdb_view *view, const struct cache_look *first,
                         bool lights, struct shot *s)
{
    struct bw_diag ignored = {0}; // told with the first look
    struct bw_preset *p = cache_preset(c, &ignored);
    const int32_t n = c->files.count, step = (n + LIT_FRAMES - 1) / LIT_FRAMES;
    enum bw_status status = BW_OK;
    *s = (struct shot){.frame = calloc((size_t)n, sizeof *s->frame)};
    if (!s->frame) status = BW_ERR_MEMORY;
    for (int32_t i = 0; i < n && !status; i++) {
        struct cache_look now = *first;
        if (p) cache_look_at(&now, c, p, view, c->files.frame[i], &ignored);
        s->frame[s->n++] = (struct shot_frame){.frame = c->files.frame[i],
                                               .camera = now.scene.camera,
                                               .exposure = now.scene.exposure,
                                               .extinction = now.scene.extinction,
                                               .fire = now.scene.look.fire,
                                               .clear = 1};
        if (lights && (i % step == 0 || i + 1 == n))
            status = file_light(view, c->files.path[i], &now.scene, &s->frame[i]);
    }
    bw_preset_free(p);
    bw_diag_free(&ignored);
    return status;
}

bool shot_camera_moves(const struct shot *s)
{
    for (int32_t i = 1; i < s->n; i++)
        if (memcmp(&s->frame[i].camera, &s->frame[0].camera, sizeof s->frame[0].camera) != 0) return true;
    return false;
}

void shot_free(struct shot *s)
{
    free(s->frame);
    s->frame = NULL;
}
