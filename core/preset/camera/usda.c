// SPDX-License-Identifier: Apache-2.0
/* A camera looks along -z of its own, y up; the prims above it carry it. Matrices here take columns: place = M·(x, 1);
 * USD writes them for rows, transposed. */
#include "usda.h"

#include "base/alloc.h"
#include "base/file.h"
#include "usda_text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MOST = 100000 };

typedef double matrix[4][4];

static void matrix_unit(matrix m)
{
    memset(m, 0, sizeof(matrix));
    for (int i = 0; i < 4; i++) m[i][i] = 1;
}

/* m = m·by */
static void matrix_times(matrix m, matrix by)
{
    matrix out;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            out[i][j] = 0;
            for (int k = 0; k < 4; k++) out[i][j] += m[i][k] * by[k][j];
        }
    memcpy(m, out, sizeof out);
}

/* Of a matrix that keeps the last row at 0 0 0 1; 0: it flattens. */
static int matrix_invert(matrix m)
{
    matrix out;
    matrix_unit(out);
    double det = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
            out[i][j] = m[a][c] * m[b][e] - m[a][e] * m[b][c];
        }
    for (int k = 0; k < 3; k++) det += m[0][k] * out[k][0];
    if (!(fabs(det) > 0)) return 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[i][j] /= det;
    for (int i = 0; i < 3; i++) out[i][3] = -(out[i][0] * m[0][3] + out[i][1] * m[1][3] + out[i][2] * m[2][3]);
    memcpy(m, out, sizeof out);
    return 1;
}

/* ---- xformOps ---- */

static void turn(matrix m, int axis, double degrees)
{
    const double a = degrees * 3.14159265358979323846 / 180, c = cos(a), s = sin(a);
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    matrix t;
    matrix_unit(t);
    t[j][j] = c, t[j][k] = -s, t[k][j] = s, t[k][k] = c;
    matrix_times(m, t);
}

/* rotateZXY: about z first, so its matrix stands last. */
static void turns(matrix m, const char *axes, const double *degrees)
{
    for (int i = (int)strlen(axes) - 1; i >= 0; i--)
        turn(m, axes[i] - 'X', axes[1] ? degrees[axes[i] - 'X'] : degrees[0]);
}

static void orient(matrix m, const double q[4])
{
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
    matrix t = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 0},
                {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 0},
                {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), 0},
                {0, 0, 0, 1}};
    if (n > 0) matrix_times(m, t);
}

/* One op with its numbers; 0: it is none that USD has. */
static int op_make(const char *kind, const double v[USDA_NUMBERS], matrix m)
{
    matrix_unit(m);
    if (!strncmp(kind, "rotate", 6)) {
        const size_t n = strcspn(kind + 6, ":");
        char axes[4] = "";
        if (n != strspn(kind + 6, "XYZ") || (n != 1 && n != 3)) return 0;
        memcpy(axes, kind + 6, n);
        turns(m, axes, v);
        return 1;
    }
    const size_t n = strcspn(kind, ":");
    if (n == 9 && !strncmp(kind, "translate", n))
        for (int a = 0; a < 3; a++) m[a][3] = v[a];
    else if (n == 5 && !strncmp(kind, "scale", n))
        for (int a = 0; a < 3; a++) m[a][a] = v[a];
    else if (n == 6 && !strncmp(kind, "orient", n)) orient(m, v);
    else if (n == 9 && !strncmp(kind, "transform", n))
        for (int i = 0; i < 16; i++) m[i % 4][i / 4] = v[i];
    else return 0;
    return 1;
}

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

/* World from the prim's own; 0 after a sentence. */
static int world_of(struct search *s, const struct usda_prim *prim, double code, matrix m)
{
    static const char head[] = "xformOp:", back[] = "!invert!";
    const int fresh = prim->n_ops && !strcmp(prim->op[0], "!resetXformStack!");
    if (prim->parent && !fresh) {
        if (!world_of(s, prim->parent, code, m)) return 0;
    } else {
        matrix_unit(m);
    }
    for (int i = fresh; i < prim->n_ops; i++) {
        double value[USDA_NUMBERS];
        matrix t;
        const int inverse = !strncmp(prim->op[i], back, sizeof back - 1);
        const char *op = prim->op[i] + (inverse ? sizeof back - 1 : 0);
        if (!usda_value(usda_attribute_of(prim, op), code, value)) continue; // what has no value does nothing
        if (strncmp(op, head, sizeof head - 1) != 0 || !op_make(op + sizeof head - 1, value, t) ||
            (inverse && !matrix_invert(t)))
            return place_wrong(s, "what it does to the camera can't be read:", prim->op[i]);
        matrix_times(m, t);
    }
    return 1;
}

/* ---- a camera ---- */

static double number_of(const struct usda_prim *prim, const char *name, double code, double otherwise)
{
    double value[USDA_NUMBERS];
    return usda_value(usda_attribute_of(prim, name), code, value) ? value[0] : otherwise;
}

static void column_take(matrix m, int column, double sign, int y_up, double out[3])
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
    matrix m;
    if (!world_of(s, prim, code, m)) return 0;
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
