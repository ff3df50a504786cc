// SPDX-License-Identifier: Apache-2.0
/* The departure point by the trapezoidal rule, solved by Newton's method: for advect_kernels.c, which includes this for
 * one cell at a time and for VEC_LANES, with LANES a number or a vector and LANES_NAME(x) its functions' names.
 *
 * With u at the step's start, c the increment by pressure and forces in half a step, and s = -dt/h, the displacement is
 *     D = s (u(x + D) + u'(x)) / 2,   u'(x) = u(x + D) + c(x + D) + c(x)
 *       = s (g(x + D) + c(x) / 2),    g = u + c / 2:
 * the mean of the velocities at the departure point and at arrival (advect_centred.c). In steady rotation x + D lies on
 * the circle through x, at any angle.
 *
 * Fixed-point iteration diverges beyond a radian of rotation, and well before that gains energy. So there are two steps
 * of Newton's method, the first with the gradient at the cell's centre, the second with that at the point reached, a
 * third where the second went far, which is where gas rotates by more than a radian; then one evaluation, so that no
 * displacement exceeds the gas's speed. Under strong compression, where trajectories nearly
 * meet, only the rotational part of the gradient is used, which is always invertible; in between a blend of both, so
 * that rounding does not decide.
 *
 * c(x) is sharpened against the mean of a cell's two faces, by ADVECT_SHARPER of its second difference: averages of u
 * and c at the cell, and of two cells at a face, blur D by an eighth of its second difference each. Uncorrected,
 * departure points would miss their circle by a fraction of (angle / radius)² each step: a vortex with a core of 5.7
 * cells would lose a tenth of its peak in five turns, as by viscosity, whatever the step. */

/* x = (I - m)^-1 b, m[c][a]: cells moved along c per cell along a. */
static inline void LANES_NAME(invert)(const LANES m[3][3], const LANES b[3], LANES x[3])
{
    const LANES none = LANES_NAME(set)(0), one = LANES_NAME(set)(1), half = LANES_NAME(set)(0.5f);
    const LANES least = LANES_NAME(set)(ADVECT_LEAST_DETERMINANT);
    const LANES xx = one - m[0][0], yy = one - m[1][1], zz = one - m[2][2];
    const LANES c0 = yy * zz - m[1][2] * m[2][1], c1 = m[1][2] * m[2][0] + m[1][0] * zz,
                c2 = m[1][0] * m[2][1] + yy * m[2][0];
    const LANES det = xx * c0 - m[0][1] * c1 - m[0][2] * c2;
    const LANES by = one / LANES_NAME(above)(det, least, det, one);
    const LANES over = det * LANES_NAME(set)(1 / ADVECT_LEAST_DETERMINANT) - one;
    const LANES fraction = LANES_NAME(above)(over, one, one, LANES_NAME(above)(over, none, over, none)); // of the whole
    const LANES whole[3] = {
        by * (c0 * b[0] + (m[0][1] * zz + m[0][2] * m[2][1]) * b[1] + (m[0][1] * m[1][2] + m[0][2] * yy) * b[2]),
        by * (c1 * b[0] + (xx * zz - m[0][2] * m[2][0]) * b[1] + (m[0][2] * m[1][0] + xx * m[1][2]) * b[2]),
        by * (c2 * b[0] + (m[0][1] * m[2][0] + xx * m[2][1]) * b[1] + (xx * yy - m[0][1] * m[1][0]) * b[2])};
    const LANES w[3] = {half * (m[1][2] - m[2][1]), half * (m[2][0] - m[0][2]), half * (m[0][1] - m[1][0])};
    const LANES along = w[0] * b[0] + w[1] * b[1] + w[2] * b[2];
    const LANES less = one / (one + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int a = 0; a < 3; a++) {
        const int p = (a + 1) % 3, q = (a + 2) % 3;
        const LANES turned = less * (b[a] + w[a] * along - (w[p] * b[q] - w[q] * b[p]));
        x[a] = turned + fraction * (whole[a] - turned);
    }
}

/* Gradient of component c at the cell's centre, times s. */
static inline void LANES_NAME(gradient)(const struct advect_trace *t, int32_t i, LANES m[3][3])
{
    const int32_t step[3] = {1, t->sy, t->sz};
    for (int c = 0; c < 3; c++)
        for (int a = 0; a < 3; a++) {
            const float *u = t->u[c] + i;
            if (a == c) m[c][a] = LANES_NAME(set)(t->scale[c]) * (LANES_NAME(load)(u + step[c]) - LANES_NAME(load)(u));
            else
                m[c][a] = LANES_NAME(set)(0.25f * t->scale[c]) *
                          ((LANES_NAME(load)(u + step[a]) + LANES_NAME(load)(u + step[c] + step[a])) -
                           (LANES_NAME(load)(u - step[a]) + LANES_NAME(load)(u + step[c] - step[a])));
        }
}

/* Value and gradient, times s, of component c at the centre moved by d. */
static inline LANES LANES_NAME(moved)(const struct advect_trace *t, int32_t i, int c, const LANES d[3], LANES m[3])
{
    LANES x[3] = {d[0], d[1], d[2]};
    x[c] = x[c] + LANES_NAME(set)(0.5f); // a centre lies half a cell above its low face
    struct LANES_NAME(corners) k;
    LANES_NAME(corners_load)(&k, t->u[c] + i, t->sy, t->sz, x);
    const LANES s = LANES_NAME(set)(t->scale[c]);
    LANES dx[4], p[4];
    for (int e = 0; e < 4; e++) {
        dx[e] = k.h[e] - k.l[e];
        p[e] = k.l[e] + k.a[0] * dx[e];
    }
    const LANES y0 = p[1] - p[0], y1 = p[3] - p[2], q0 = p[0] + k.a[1] * y0, q1 = p[2] + k.a[1] * y1, z = q1 - q0;
    const LANES x0 = dx[0] + k.a[1] * (dx[1] - dx[0]), x1 = dx[2] + k.a[1] * (dx[3] - dx[2]);
    m[0] = s * (x0 + k.a[2] * (x1 - x0));
    m[1] = s * (y0 + k.a[2] * (y1 - y0));
    m[2] = s * z;
    return s * (q0 + k.a[2] * z);
}

/* Newton's step from d. */
static inline void LANES_NAME(newton)(const struct advect_trace *t, int32_t i, const LANES own[3], const LANES d[3],
                                      LANES x[3])
{
    LANES m[3][3], b[3];
    for (int c = 0; c < 3; c++) b[c] = (LANES_NAME(moved)(t, i, c, d, m[c]) + own[c]) - d[c];
    LANES_NAME(invert)((const LANES(*)[3])m, b, x);
}

static inline LANES LANES_NAME(share)(LANES x)
{
    const LANES none = LANES_NAME(set)(0), one = LANES_NAME(set)(1);
    return LANES_NAME(above)(x, one, one, LANES_NAME(above)(x, none, x, none));
}

static inline LANES LANES_NAME(square)(const LANES x[3]) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; }

/* A third step, from d, where the second, x, was long: less of it where x was short, or where it is not much shorter
 * itself, as where d lies between cells of unlike gradients. */
static inline void LANES_NAME(third)(const struct advect_trace *t, int32_t i, const LANES own[3], const LANES x[3],
                                     LANES d[3])
{
    const LANES none = LANES_NAME(set)(0), one = LANES_NAME(set)(1), two = LANES_NAME(set)(2);
    const LANES before = LANES_NAME(square)(x);
    const LANES is_long =
        LANES_NAME(share)(before * LANES_NAME(set)(1 / (ADVECT_NEWTON_NEAR * ADVECT_NEWTON_NEAR)) - one);
    LANES y[3];
    if (!LANES_NAME(any)(is_long)) return;
    LANES_NAME(newton)(t, i, own, d, y);
    const LANES shorter =
        LANES_NAME(share)(two - LANES_NAME(set)(4) * LANES_NAME(square)(y) / (before + LANES_NAME(set)(1e-30f)));
    for (int c = 0; c < 3; c++) {
        const LANES further = LANES_NAME(bounded)(t, i, c, d[c] + is_long * shorter * y[c]);
        d[c] = LANES_NAME(above)(is_long, none, further, d[c]);
    }
}

static inline void LANES_NAME(trapezoid)(const struct advect_trace *t, int32_t i)
{
    const int32_t step[3] = {1, t->sy, t->sz}, more[3] = {1, t->ahead_sy, t->ahead_sz};
    LANES m[3][3], b[3], d[3], x[3], own[3];
    LANES_NAME(gradient)(t, i, m);
    for (int c = 0; c < 3; c++) {
        const LANES s = LANES_NAME(set)(0.5f * t->scale[c]);
        const LANES here = LANES_NAME(load)(t->u[c] + i) + LANES_NAME(load)(t->u[c] + i + step[c]);
        const LANES ahead = LANES_NAME(load)(t->ahead[c] + i) + LANES_NAME(load)(t->ahead[c] + i + more[c]);
        const LANES beyond =
            (LANES_NAME(load)(t->ahead[c] + i - more[c]) + LANES_NAME(load)(t->ahead[c] + i + 2 * more[c])) -
            (LANES_NAME(load)(t->u[c] + i - step[c]) + LANES_NAME(load)(t->u[c] + i + 2 * step[c]));
        own[c] = s * ((ahead - here) + LANES_NAME(set)(2 * ADVECT_SHARPER) * ((ahead - here) - beyond));
        b[c] = s * ahead;
    }
    LANES_NAME(invert)((const LANES(*)[3])m, b, d);
    for (int c = 0; c < 3; c++) d[c] = LANES_NAME(bounded)(t, i, c, d[c]);
    LANES_NAME(newton)(t, i, own, d, x);
    for (int c = 0; c < 3; c++) d[c] = LANES_NAME(bounded)(t, i, c, d[c] + x[c]);
    LANES_NAME(third)(t, i, own, x, d);
    LANES_NAME(stage)(t, i, d, x);
    for (int c = 0; c < 3; c++) LANES_NAME(store)(t->d[c] + i, LANES_NAME(bounded)(t, i, c, x[c] + own[c]));
}

#undef LANES
#undef LANES_NAME
