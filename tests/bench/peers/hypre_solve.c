// SPDX-License-Identifier: Apache-2.0
/* hypre_solve FILE TOLERANCE: solves bench_project's problem with hypre's conjugate gradients round a PFMG V-cycle, in
 * double, on the ranks it is started with, each a slab of planes. Structured grid, symmetric 7-point stencil, coarse
 * operators 7-point too. Prints the seconds of set-up and of the solve and the iterations, with that one of PFMG's
 * three relaxations that is the fastest; the last one's solution goes into the file. */
#include "hypre_file.h"
#include <HYPRE_struct_ls.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Comm world;

struct system {
    int32_t n[3], lo[3], hi[3]; /* of this rank, inclusive */
    HYPRE_StructMatrix a;
    HYPRE_StructVector b, x;
};

struct timing {
    double setup, solve;
    int iterations;
};

/* One row: the diagonal and the three high faces. Cells with no open face stand alone. */
static void row_make(const struct system *s, const struct hypre_parts *q, int64_t c, double row[4])
{
    const int64_t step[3] = {1, s->n[0], (int64_t)s->n[0] * s->n[1]};
    row[0] = 0;
    for (int a = 0; a < 3; a++) {
        const int inside = c / step[a] % s->n[a] + 1 < s->n[a];
        const double high = inside ? (double)q->w[a][c + step[a]] : 0;
        row[0] += (double)q->w[a][c] + high;
        row[1 + a] = -high;
    }
    if (row[0] == 0) row[0] = 6;
}

static void system_make(struct system *s, const struct hypre_parts *q)
{
    HYPRE_StructGrid grid;
    HYPRE_StructStencil stencil;
    HYPRE_Int offset[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, entry[4] = {0, 1, 2, 3};
    HYPRE_Int lo[3] = {s->lo[0], s->lo[1], s->lo[2]}, hi[3] = {s->hi[0], s->hi[1], s->hi[2]};
    HYPRE_StructGridCreate(world, 3, &grid);
    HYPRE_StructGridSetExtents(grid, lo, hi);
    HYPRE_StructGridAssemble(grid);
    HYPRE_StructStencilCreate(3, 4, &stencil);
    for (int e = 0; e < 4; e++) HYPRE_StructStencilSetElement(stencil, e, offset[e]);
    HYPRE_StructMatrixCreate(world, grid, stencil, &s->a);
    HYPRE_StructMatrixSetSymmetric(s->a, 1);
    HYPRE_StructMatrixInitialize(s->a);
    HYPRE_StructVectorCreate(world, grid, &s->b);
    HYPRE_StructVectorInitialize(s->b);
    HYPRE_StructVectorCreate(world, grid, &s->x);
    HYPRE_StructVectorInitialize(s->x);
    const int64_t plane = (int64_t)s->n[0] * s->n[1];
    double *row = malloc((size_t)plane * 5 * sizeof *row), *b = row + 4 * plane;
    for (int32_t k = s->lo[2]; row && k <= s->hi[2]; k++) {
        lo[2] = hi[2] = k;
        for (int64_t c = 0; c < plane; c++) {
            row_make(s, q, k * plane + c, row + 4 * c);
            b[c] = (double)q->b[k * plane + c];
        }
        HYPRE_StructMatrixSetBoxValues(s->a, lo, hi, 4, entry, row);
        HYPRE_StructVectorSetBoxValues(s->b, lo, hi, b);
    }
    free(row);
    HYPRE_StructMatrixAssemble(s->a);
    HYPRE_StructVectorAssemble(s->b);
    HYPRE_StructVectorAssemble(s->x);
}

static double now(void)
{
    MPI_Barrier(world);
    return MPI_Wtime();
}

/* The box is closed, so the coarsest grids are singular: PFMG, which halves one axis at a time, stops before them. */
static int levels_sensible(const struct system *s) { return (int)(log2(s->n[0]) + log2(s->n[1]) + log2(s->n[2])) - 4; }

/* `relax`: 1 weighted Jacobi; 2, 3 red-black Gauss–Seidel, symmetric or not. */
static struct timing system_solve(struct system *s, double tolerance, int relax)
{
    HYPRE_StructSolver cg, mg;
    HYPRE_Int iterations;
    struct timing t;
    HYPRE_StructPCGCreate(world, &cg);
    HYPRE_StructPCGSetTol(cg, tolerance);
    HYPRE_StructPCGSetMaxIter(cg, 200);
    HYPRE_StructPCGSetTwoNorm(cg, 1);
    HYPRE_StructPFMGCreate(world, &mg);
    HYPRE_StructPFMGSetMaxIter(mg, 1);
    HYPRE_StructPFMGSetTol(mg, 0);
    HYPRE_StructPFMGSetZeroGuess(mg);
    HYPRE_StructPFMGSetMaxLevels(mg, levels_sensible(s));
    HYPRE_StructPFMGSetRAPType(mg, 1);
    HYPRE_StructPFMGSetRelaxType(mg, relax);
    HYPRE_StructPFMGSetNumPreRelax(mg, 1);
    HYPRE_StructPFMGSetNumPostRelax(mg, 1);
    HYPRE_StructPCGSetPrecond(cg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, mg);
    double began = now();
    HYPRE_StructPCGSetup(cg, s->a, s->b, s->x);
    t.setup = now() - began;
    HYPRE_StructVectorSetConstantValues(s->x, 0);
    began = now();
    HYPRE_StructPCGSolve(cg, s->a, s->b, s->x);
    t.solve = now() - began;
    HYPRE_StructPCGGetNumIterations(cg, &iterations);
    t.iterations = (int)iterations;
    HYPRE_StructPCGDestroy(cg);
    HYPRE_StructPFMGDestroy(mg);
    return t;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    struct hypre_file *f = argc > 2 ? hypre_file_map(argv[1]) : NULL;
    int rank, size;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    if (!f) MPI_Abort(world, 1);
    const struct hypre_parts q = hypre_file_parts(f);
    struct system s = {.n = {f->n[0], f->n[1], f->n[2]},
                       .lo = {0, 0, f->n[2] * rank / size},
                       .hi = {f->n[0] - 1, f->n[1] - 1, f->n[2] * (rank + 1) / size - 1}};
    system_make(&s, &q);
    struct timing best = {0, HUGE_VAL, 0};
    for (int relax = 1; relax <= 3; relax++) {
        const struct timing t = system_solve(&s, atof(argv[2]), relax);
        if (HYPRE_GetError() == 0 && t.solve < best.solve) best = t;
    }
    HYPRE_Int lo[3] = {s.lo[0], s.lo[1], s.lo[2]}, hi[3] = {s.hi[0], s.hi[1], s.hi[2]};
    HYPRE_StructVectorGetBoxValues(s.x, lo, hi, q.theirs + (int64_t)s.n[0] * s.n[1] * s.lo[2]);
    if (rank == 0) printf("%.6f %.6f %d\n", best.setup, best.solve, best.iterations);
    MPI_Finalize();
    return 0;
}
