// SPDX-License-Identifier: Apache-2.0
/* A camera looks along -z of its own, y up; the prims above it carry it. */
#include "usda.h"

#include "base/alloc.h"
#include "base/file.h"
#include "usda_world.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MOST = 100000 };

struct search {
    const char *name; ///< NULL: any
    const char *path;
    const struct bw_place *place;
    struct bw_diag *d;
    struct usda_shot *shot;
    char found[256]; ///< its path
    int32_t count;   ///< cameras that it may be
    char others[400];
};

static int place_wrong(struct search *s, const char *what, const char *which)
{
    bw_diag_error(s->d, s->place, BW_ERR_PRESET, "%s: %s %s", s->path, what, which);
    return 0;
}

/* ---- a camera ---- */

static double number_of(const struct usda_prim *prim, const char *name, double code, double otherwise)
{
    double value[USDA_NUMBERS];
    return usda_value(usda_attribute_of(prim, name), code, value) ? value[0] : otherwise;
}

static void column_take(matrix4 m, int column, double sign, int y_up, double out[3])
{
    const double v[3] = {sign * m[0][column], sign * m[1][column], sign * m[2][column]};
    out[0] = v[0];
    out[1] = y_up ? -v[2] : v[1];
    out[2] = y_up ? v[1] : v[2];
}

static int unit_make(double v[3])
{
    const double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int a = 0; a < 3; a++) v[a] /= n;
    return n > 0 && isfinite(n);
}

/* Lens and film are given in tenths of a unit (UsdGeomCamera), 50 and 20.955 × 15.2908 of them where nobody says. */
static int key_make(struct search *s, const struct usda_prim *prim, double code, struct usda_key *k)
{
    const double unit = prim->metres, tenth = 0.1 * unit;
    matrix4 m;
    if (!usda_world(prim, code, m)) return place_wrong(s, "the transforms that carry it can't be read:", s->found);
    k->code = code;
    column_take(m, 3, unit, prim->y_up, k->eye);
    column_take(m, 2, -1, prim->y_up, k->forward);
    column_take(m, 1, 1, prim->y_up, k->up);
    k->lens = tenth * number_of(prim, "focalLength", code, 50);
    k->sensor = tenth * number_of(prim, "horizontalAperture", code, 20.955);
    k->sensor_high = tenth * number_of(prim, "verticalAperture", code, 15.2908);
    k->focus = unit * number_of(prim, "focusDistance", code, 0);
    k->fstop = number_of(prim, "fStop", code, 0);
    if (!unit_make(k->forward) || !unit_make(k->up)) return place_wrong(s, "its scale flattens the camera", s->found);
    if (!isfinite(k->eye[0] + k->eye[1] + k->eye[2] + k->focus + k->fstop + k->sensor_high))
        return place_wrong(s, "its numbers are too large:", s->found);
    if (!(k->lens > 0 && k->sensor > 0 && isfinite(k->lens + k->sensor)))
        return place_wrong(s, "a lens and a film are wanted of", s->found);
    return 1;
}

static int code_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int codes_add(double **code, int32_t *n, const struct usda_attribute *a)
{
    double *grown = bw_realloc(*code, ((size_t)*n + (size_t)a->n) * sizeof *grown);
    if (!grown) return 0;
    *code = grown;
    for (int32_t i = 0; i < a->n; i++)
        if (!isnan(a->sample[i].code)) grown[(*n)++] = a->sample[i].code;
    return 1;
}

/* Whole frames from the first to the last: between samples what is linear of a transform is not so of our angles. */
static int codes_fill(double **code, int32_t *n)
{
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (int32_t i = 0; i < *n; i++) first = fmin(first, (*code)[i]), last = fmax(last, (*code)[i]);
    if (!*n || last - first > KEYS_MOST) return 1;
    const int32_t more = (int32_t)(floor(last) - ceil(first)) + 1;
    double *grown = more > 0 ? bw_realloc(*code, ((size_t)*n + (size_t)more) * sizeof *grown) : *code;
    if (!grown) return 0;
    *code = grown;
    for (int32_t i = 0; i < more; i++) grown[(*n)++] = ceil(first) + i;
    return 1;
}

/* All time codes at which something of the camera, or of what carries it, is said, and those between them. */
static int codes_of(const struct usda_prim *prim, double **code, int32_t *n)
{
    for (const struct usda_prim *p = prim; p; p = p->parent)
        for (const struct usda_attribute *a = p->attribute; a; a = a->next)
            if (!codes_add(code, n, a)) return 0;
    if (!codes_fill(code, n)) return 0;
    if (*n) qsort(*code, (size_t)*n, sizeof **code, code_compare);
    int32_t kept = 0;
    for (int32_t i = 0; i < *n; i++)
        if (!i || (*code)[i] > (*code)[kept - 1]) (*code)[kept++] = (*code)[i];
    *n = kept;
    return 1;
}

static int shot_make(struct search *s, const struct usda_prim *prim)
{
    double *code = NULL;
    int32_t n = 0;
    int good = codes_of(prim, &code, &n);
    const int32_t keys = n ? n : 1;
    s->shot->key = good && keys <= KEYS_MOST ? bw_calloc((size_t)keys * sizeof *s->shot->key) : NULL;
    s->shot->n = keys;
    if (!s->shot->key)
        bw_diag_error(s->d, NULL, BW_ERR_MEMORY, "out of memory for the camera of %s", s->path), good = 0;
    for (int32_t i = 0; good && i < keys; i++) good = key_make(s, prim, n ? code[i] : 0, &s->shot->key[i]);
    bw_free(code);
    return good;
}

/* "/World/Shot/Camera"; the front is cut where it is too long. */
static void path_write(const struct usda_prim *prim, char *out, size_t size)
{
    char rest[256] = "";
    for (; prim; prim = prim->parent) {
        snprintf(out, size, "/%.120s%.130s", prim->name, rest);
        snprintf(rest, sizeof rest, "%s", out);
    }
}

/* Blender and Maya put the camera below a transform that has the name that people know. */
static int is_meant(const struct search *s, const struct usda_prim *prim, const char *path)
{
    return !s->name || !strcmp(s->name, path) || !strcmp(s->name, prim->name) ||
           (prim->parent && !strcmp(s->name, prim->parent->name));
}

static int prim_tell(const struct usda_prim *prim, void *user)
{
    struct search *s = user;
    char path[256];
    if (strcmp(prim->type, "Camera") != 0) return 1;
    path_write(prim, path, sizeof path);
    const size_t n = strlen(s->others);
    snprintf(s->others + n, sizeof s->others - n, "%s%s", n ? ", " : "", path);
    if (!is_meant(s, prim, path) || s->count++) return 1;
    memcpy(s->found, path, sizeof path);
    return shot_make(s, prim);
}

enum bw_status usda_camera(const char *path, const char *name, const struct bw_place *place, struct usda_shot *shot,
                           struct bw_diag *d)
{
    struct search s = {.name = name, .path = path, .place = place, .d = d, .shot = shot};
    *shot = (struct usda_shot){0};
    char *text = bw_file_text(path, place, d);
    if (text) usda_walk(text, path, prim_tell, &s, d);
    bw_free(text);
    if (!d->status && !s.count)
        bw_diag_error(d, place, BW_ERR_PRESET, *s.others ? "%s holds no such camera, but %s" : "%s holds no camera",
                      path, s.others);
    else if (!d->status && s.count > 1)
        bw_diag_error(d, place, BW_ERR_PRESET, "%s holds several cameras; `name` says which: %s", path, s.others);
    if (d->status) bw_free(shot->key), shot->key = NULL;
    return d->status;
}
