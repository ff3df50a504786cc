// SPDX-License-Identifier: Apache-2.0
/* What of a scene is too much to be read by eye, as JSON beside its script: obstacles as triangles, where they stand,
 * and particles that glow. */
#include "scene.h"

#include "view/picture_tools.h"
#include <picture/volume/motion/streak.h>
#include <picture/volume/scene/flame.h>
#include <picture/volume/shape/shapes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPARKS = 4000 }; ///< of a frame, the brightest

struct data {
    FILE *f;
    struct cache *cache;
    const struct scene_facts *facts;
    struct bw_tools tools;
    struct bw_shapes *shapes;
    int failed; ///< memory ran out
};

static void numbers_put(FILE *f, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) fprintf(f, "%s%.7g", i ? "," : "", x[i]);
}

static void row_put(FILE *f, const char *key, const double *x, size_t n)
{
    fprintf(f, "\"%s\":[", key);
    numbers_put(f, x, n);
    fputc(']', f);
}

static void colour_put(FILE *f, const char *key, const float rgb[3])
{
    const double x[3] = {(double)rgb[0], (double)rgb[1], (double)rgb[2]};
    row_put(f, key, x, 3);
}

/* ---- obstacles ---- */

/// A corner of a mesh: where it is, and which of all it is.
struct corner {
    float at[3];
    int32_t n;
};

static int corner_compare(const void *a, const void *b)
{
    return memcmp(((const struct corner *)a)->at, ((const struct corner *)b)->at, sizeof((const struct corner *)a)->at);
}

/// Each place once, in the form's own axes, scaled, and which of them triangles' corners are. Errors: BW_ERR_MEMORY.
static enum bw_status mesh_put(FILE *f, const struct bw_form *form)
{
    const struct bw_mesh *m = form->mesh;
    const size_t n = 3 * (size_t)m->bvh.n;
    struct corner *c = malloc((n + 1) * sizeof *c);
    int32_t *which = malloc((n + 1) * sizeof *which), places = -1;
    for (size_t i = 0; c && which && i < n; i++) {
        for (int a = 0; a < 3; a++) c[i].at[a] = m->triangle[i / 3].corner[i % 3][a] + 0.0f; // -0 is 0
        c[i].n = (int32_t)i;
    }
    if (c && which) qsort(c, n, sizeof *c, corner_compare);
    fputs("\"points\":[", f);
    for (size_t i = 0; c && which && i < n; i++) {
        if (!i || corner_compare(&c[i], &c[i - 1])) {
            double p[3];
            for (int a = 0; a < 3; a++) p[a] = form->scale[a] * (m->middle[a] + (double)c[i].at[a]);
            if (i) fputc(',', f);
            numbers_put(f, p, 3);
            places++;
        }
        which[c[i].n] = places;
    }
    fputs("],\"triangles\":[", f);
    for (size_t i = 0; c && which && i < n; i++) fprintf(f, "%s%d", i ? "," : "", (int)which[i]);
    fputc(']', f);
    const enum bw_status status = c && which ? BW_OK : BW_ERR_MEMORY;
    free(c);
    free(which);
    return status;
}

static void finish_put(FILE *f, const struct bw_material_wish *m)
{
    static const char kinds[] = BW_MATERIAL_CHOICES;
    const char *kind = kinds;
    for (int32_t i = 0; i < m->kind && strchr(kind, '|'); i++) kind = strchr(kind, '|') + 1;
    fprintf(f, "\"material\":\"%.*s\",", (int)strcspn(kind, "|"), kind);
    colour_put(f, "colour", m->colour);
    fprintf(f, ",\"roughness\":%.4g,\"scale\":%.6g,", (double)m->roughness, m->scale);
    colour_put(f, "glow", m->glow);
}

/// Place and axes of all obstacles at a frame, 12 numbers each.
static void places_put(const struct data *d, int64_t frame)
{
    fprintf(d->f, "\"%lld\":[", (long long)frame);
    for (int32_t i = 0; d->shapes && i < d->shapes->n; i++) {
        const struct bw_form *form = &d->shapes->form[i];
        if (i) fputc(',', d->f);
        numbers_put(d->f, form->center, 3);
        for (int a = 0; a < 3; a++) fputc(',', d->f), numbers_put(d->f, form->axis[a], 3);
    }
    fputc(']', d->f);
}

static int shapes_move(const struct bw_shapes *s)
{
    for (int32_t i = 0; s && i < s->n; i++)
        if (s->form[i].moves) return 1;
    return 0;
}

static void shapes_at(struct data *d, int64_t frame)
{
    struct bw_volume v = {0};
    struct bw_diag ignored = {0}; // then cells show them
    float *memory = NULL;
    cache_obstacles(d->cache, NULL, d->facts->view, frame, &d->tools, &d->shapes, &v, &memory, &ignored);
    bw_diag_free(&ignored);
    free(memory);
}

static void obstacles_put(struct data *d)
{
    const struct shot *shot = &d->facts->shot;
    const struct bw_look *look = &d->facts->look.scene.look;
    int moves = 0;
    for (int32_t i = 0; i < shot->n && !moves; i++) { // one that comes later stands still at first
        shapes_at(d, shot->frame[i].frame);
        moves = shapes_move(d->shapes);
    }
    shapes_at(d, shot->frame[0].frame);
    fputs("\"obstacles\":[", d->f);
    for (int32_t i = 0; d->shapes && i < d->shapes->n; i++) {
        const struct bw_form *form = &d->shapes->form[i];
        fputs(i ? ",\n{" : "\n{", d->f);
        finish_put(d->f, form->look ? &look->each[form->look - 1] : &look->material);
        fputc(',', d->f);
        if (mesh_put(d->f, form)) d->failed = 1;
        fputc('}', d->f);
    }
    fputs("],\n\"places\":{", d->f);
    for (int32_t i = 0; i < (moves ? shot->n : 1); i++) {
        if (i) fputs(",\n", d->f), shapes_at(d, shot->frame[i].frame);
        places_put(d, shot->frame[i].frame);
    }
    fputs("},\n", d->f);
}

/* ---- particles ---- */

static int brighter(const void *a, const void *b)
{
    const struct bw_spark *p = a, *q = b;
    const double x = pow(p->kelvin, 4) * (double)(p->size * p->size),
                 y = pow(q->kelvin, 4) * (double)(q->size * q->size);
    return (x < y) - (x > y);
}

/// Both ends of the trajectory while the shutter is open, size, and radiance of each that glows.
static void sparks_put(struct data *d, const struct shot_frame *s)
{
    const struct bw_scene *scene = &d->facts->look.scene;
    struct bw_volume v = {0};
    struct bw_diag ignored = {0};
    struct bw_blackbody colours;
    int64_t n = 0;
    bw_blackbody_init(&colours, BW_CONTRAST, BW_BLACKBODY_WHITE);
    if (cache_sparks(d->cache, s->frame, &d->facts->look.sparks, d->facts->view, &v, &ignored)) v.n_sparks = 0;
    if (v.n_sparks > 1) qsort(v.spark, (size_t)v.n_sparks, sizeof *v.spark, brighter);
    fprintf(d->f, "\"%lld\":[", (long long)s->frame);
    for (int64_t i = 0; i < v.n_sparks && n < SPARKS; i++) {
        const struct bw_spark *p = &v.spark[i];
        double x[10] = {[6] = (double)p->size};
        float rgb[3];
        if (!(p->kelvin > BW_DRAPER)) continue;
        for (int e = 0; e < 2; e++) bw_streak_place(p, scene->streak, (double)e, x + 3 * e);
        bw_blackbody_rgb(&colours, p->kelvin, rgb);
        for (int c = 0; c < 3; c++)
            x[7 + c] = fmax((double)(BW_SPARK_SOLID * BW_GLOW * rgb[c]) * s->fire * scene->look.particles.glow, 0);
        if (n++) fputc(',', d->f);
        numbers_put(d->f, x, 10);
    }
    fputc(']', d->f);
    d->tools.release(d->tools.ctx, v.spark);
    bw_diag_free(&ignored);
}

char *scene_data_text(const struct scene_facts *a, struct cache *c)
{
    char *text = NULL;
    size_t size = 0;
    struct data d = {open_memstream(&text, &size), c, a, picture_tools(), NULL, 0};
    if (!d.f) return NULL;
    fputs("{\n", d.f);
    obstacles_put(&d);
    fputs("\"sparks\":{", d.f);
    for (int32_t i = 0; i < a->shot.n && a->look.sparks.which == BW_SHOW_HOT; i++) {
        if (i) fputs(",\n", d.f);
        sparks_put(&d, &a->shot.frame[i]);
    }
    fputs("}\n}\n", d.f);
    bw_shapes_free(&d.tools, d.shapes);
    const int bad = ferror(d.f) || d.failed;
    if (!fclose(d.f) && !bad) return text;
    free(text);
    return NULL;
}
