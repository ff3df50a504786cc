// SPDX-License-Identifier: Apache-2.0
#include "usda_world.h"

#include <math.h>
#include <string.h>

static void matrix_unit(matrix4 m)
{
    memset(m, 0, sizeof(matrix4));
    for (int i = 0; i < 4; i++) m[i][i] = 1;
}

/* m = m·by */
static void matrix_times(matrix4 m, matrix4 by)
{
    matrix4 out;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            out[i][j] = 0;
            for (int k = 0; k < 4; k++) out[i][j] += m[i][k] * by[k][j];
        }
    memcpy(m, out, sizeof out);
}

/* Of a matrix4 that keeps the last row at 0 0 0 1; 0: it flattens. */
static int matrix_invert(matrix4 m)
{
    matrix4 out;
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

static void turn(matrix4 m, int axis, double degrees)
{
    const double a = degrees * 3.14159265358979323846 / 180, c = cos(a), s = sin(a);
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    matrix4 t;
    matrix_unit(t);
    t[j][j] = c, t[j][k] = -s, t[k][j] = s, t[k][k] = c;
    matrix_times(m, t);
}

/* rotateZXY: about z first, so its matrix stands last. */
static void turns(matrix4 m, const char *axes, const double *degrees)
{
    for (int i = (int)strlen(axes) - 1; i >= 0; i--)
        turn(m, axes[i] - 'X', axes[1] ? degrees[axes[i] - 'X'] : degrees[0]);
}

static void orient(matrix4 m, const double q[4])
{
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
    matrix4 t = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 0},
                 {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 0},
                 {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), 0},
                 {0, 0, 0, 1}};
    if (n > 0) matrix_times(m, t);
}

/* One op with its numbers; 0: it is none that USD has. */
static int op_make(const char *kind, const double v[USDA_NUMBERS], matrix4 m)
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

int usda_world(const struct usda_prim *prim, double code, matrix4 m)
{
    static const char head[] = "xformOp:", back[] = "!invert!";
    const int fresh = prim->n_ops && !strcmp(prim->op[0], "!resetXformStack!");
    if (prim->parent && !fresh) {
        if (!usda_world(prim->parent, code, m)) return 0;
    } else {
        matrix_unit(m);
    }
    for (int i = fresh; i < prim->n_ops; i++) {
        double value[USDA_NUMBERS];
        matrix4 t;
        const int inverse = !strncmp(prim->op[i], back, sizeof back - 1);
        const char *op = prim->op[i] + (inverse ? sizeof back - 1 : 0);
        if (!usda_value(usda_attribute_of(prim, op), code, value)) continue; // what has no value does nothing
        if (strncmp(op, head, sizeof head - 1) != 0 || !op_make(op + sizeof head - 1, value, t) ||
            (inverse && !matrix_invert(t)))
            return 0;
        matrix_times(m, t);
    }
    return 1;
}
