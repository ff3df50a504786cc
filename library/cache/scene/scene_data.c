// SPDX-License-Identifier: Apache-2.0
/* What of a scene is too much to be read by eye, as JSON beside its script: obstacles as triangles, where they stand,
 * and particles that glow. */
#include "obstacles.h"

#include <picture/volume/motion/streak.h>
#include <picture/volume/scene/flame.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPARKS = 4000 }; ///< of a frame, the brightest

struct data {
    FILE *f;
    struct scene_obstacles obstacles;
    const struct scene_facts *facts;
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

static void mesh_put(struct data *d, const struct bw_form *form)
{
    struct scene_mesh m;
    if (scene_mesh_make(form, &m)) d->failed = 1;
    fputs("\"points\":[", d->f);
    numbers_put(d->f, m.point, 3 * (size_t)m.n_points);
    fputs("],\"triangles\":[", d->f);
    for (int32_t i = 0; i < 3 * m.n_triangles; i++) fprintf(d->f, "%s%d", i ? "," : "", (int)m.corner[i]);
    fputc(']', d->f);
    scene_mesh_free(&m);
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
    const struct bw_shapes *s = d->obstacles.shapes;
    for (int32_t i = 0; s && i < s->n; i++) {
        const struct bw_form *form = &s->form[i];
        if (i) fputc(',', d->f);
        numbers_put(d->f, form->center, 3);
        for (int a = 0; a < 3; a++) fputc(',', d->f), numbers_put(d->f, form->axis[a], 3);
    }
    fputc(']', d->f);
}

static void obstacles_put(struct data *d)
{
    const struct shot *shot = &d->facts->shot;
    const struct bw_shapes *s = d->obstacles.shapes;
    fputs("\"obstacles\":[", d->f);
    for (int32_t i = 0; s && i < s->n; i++) {
        fputs(i ? ",\n{" : "\n{", d->f);
        finish_put(d->f, scene_finish(d->facts, &s->form[i]));
        fputc(',', d->f);
        mesh_put(d, &s->form[i]);
        fputc('}', d->f);
    }
    fputs("],\n\"places\":{", d->f);
    for (int32_t i = 0; i < (d->obstacles.move ? shot->n : 1); i++) {
        if (i) fputs(",\n", d->f), scene_obstacles_at(&d->obstacles, shot->frame[i].frame);
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
    if (cache_sparks(d->obstacles.cache, s->frame, &d->facts->look.sparks, d->facts->view, &v, &ignored))
        v.n_sparks = 0;
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
    d->obstacles.tools.release(d->obstacles.tools.ctx, v.spark);
    bw_diag_free(&ignored);
}

char *scene_data_text(const struct scene_facts *a, struct cache *c)
{
    char *text = NULL;
    size_t size = 0;
    struct data d = {.f = open_memstream(&text, &size), .facts = a};
    if (!d.f) return NULL;
    scene_obstacles_begin(&d.obstacles, a, c);
    fputs("{\n", d.f);
    obstacles_put(&d);
    fputs("\"sparks\":{", d.f);
    for (int32_t i = 0; i < a->shot.n && a->look.sparks.which == BW_SHOW_HOT; i++) {
        if (i) fputs(",\n", d.f);
        sparks_put(&d, &a->shot.frame[i]);
    }
    fputs("}\n}\n", d.f);
    scene_obstacles_end(&d.obstacles);
    const int bad = ferror(d.f) || d.failed;
    if (!fclose(d.f) && !bad) return text;
    free(text);
    return NULL;
}
