// SPDX-License-Identifier: Apache-2.0
/* bench_project HYPRE_SOLVE [N…]: one pressure problem by bench.project (mac.project in parts) and by hypre, in turn.
 *
 * A closed box of N³ cells, a sphere in it, a gust and two swirls. The sphere has cut cells: hypre gets the face
 * weights and the right-hand side that our solver made, bit by bit, so both solve the same equations. To 1e-5 of the
 * right-hand side's 2-norm, in double, from a zero guess; residuals are recomputed from both solutions by the same few
 * lines. Seconds are the solve's: what each had to build for the obstacle (levels, PFMG's set-up) stands apart. */
#include "bench.h"
#include "peers/hypre_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3 };

static const char *const metric[] = {"bench.project.levels",
                                     "bench.project.rhs",
                                     "bench.project.solve",
                                     "bench.project.correct",
                                     "bench.project.cycles",
                                     "bench.project.residual",
                                     NULL};
enum { LEVELS, RHS, SOLVE, CORRECT, CYCLES, RESIDUAL };

static char *preset_text(int n)
{
    return bw_printf(
        "billow: 1\nname: bench\n"
        "domain: {cells: [%d, %d, %d], size: [1 m, 1 m, 1 m], margin: 4096, sides: {rest: closed}}\n"
        "time: {fps: 24, frames: 1-4, substeps: 1}\n"
        "stages:\n"
        "  - collide: {wake: always, shape: {sphere: {center: [0.03, 0.05, 0.5], radius: 0.2}}}\n"
        "  - set: {field: vel, when: always, keep: true, value: [\"0.3*sin(9*x+4*z)\", \"0.3*sin(8*y+5*x)\", "
        "\"exp(-40*(x*x+y*y+(z-0.2)*(z-0.2)))\"]}\n"
        "  - bench.project: {tolerance: 1e-5, warm_start: false}\n",
        n, n, n);
}

static struct hypre_file *file_make(char *path, int n)
{
    const int32_t cells[3] = {n, n, n};
    const int fd = mkstemp(path);
    const int good = fd >= 0 && !ftruncate(fd, (off_t)hypre_file_bytes(cells));
    if (fd >= 0) close(fd);
    struct hypre_file *f = good ? hypre_file_map(path) : NULL;
    if (f) memcpy(f->n, cells, sizeof cells);
    return f;
}

struct peer {
    double setup, solve;
    int iterations;
};

static int peer_run(const char *program, const char *path, struct peer *out)
{
    char *command = bw_printf("OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1 mpirun --allow-run-as-root "
                              "--oversubscribe -np 2 '%s' '%s' 1e-5",
                              program, path);
    FILE *f = command ? popen(command, "r") : NULL;
    int got = f ? fscanf(f, "%lf %lf %d", &out->setup, &out->solve, &out->iterations) : 0;
    bw_free(command);
    return f && !pclose(f) && got == 3;
}

static void problem_run(const char *program, int n)
{
    char path[] = "/tmp/billow-hypre-XXXXXX";
    struct hypre_file *f = file_make(path, n);
    if (!f) return;
    const struct hypre_parts q = hypre_file_parts(f);
    struct bench_problem problem = {{n, n, n}, {q.w[0], q.w[1], q.w[2]}, q.b, q.ours};
    double solve = HUGE_VAL, whole = HUGE_VAL;
    struct peer theirs = {HUGE_VAL, HUGE_VAL, 0};
    struct bench_figures own = {0};
    int good = 1;
    bench_problem_wanted = &problem;
    for (int round = 0; round < ROUNDS && good; round++) {
        struct peer one;
        good = bench_measure(&(struct bench_run){preset_text(n), 2, 2, metric, &bench_module}, &own) &&
               peer_run(program, path, &one);
        if (!good) break;
        solve = fmin(solve, own.metric[SOLVE]);
        whole = fmin(whole, own.metric[RHS] + own.metric[SOLVE] + own.metric[CORRECT]);
        theirs = (struct peer){fmin(theirs.setup, one.setup), fmin(theirs.solve, one.solve), one.iterations};
    }
    if (good) {
        printf("%d^3 %14.4f %10.4f %7.0f %11.2e %11.2e | %8.4f %10.4f %7d %11.2e | %7.1f %7.1f\n", n, solve,
               own.metric[LEVELS], own.metric[CYCLES], own.metric[RESIDUAL], bench_residual(&problem, q.ours),
               theirs.solve, theirs.setup, theirs.iterations, bench_residual(&problem, q.theirs), theirs.solve / solve,
               theirs.solve / whole);
    } else {
        printf("%d^3: failed\n", n);
    }
    fflush(stdout);
    munmap(f, hypre_file_bytes(f->n));
    unlink(path);
}

int main(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "none")) {
        printf("the projection against hypre: left out, libhypre-dev and libopenmpi-dev were missing when this was "
               "built\n");
        return 0;
    }
    printf(
        "the same pressure problem, closed box with a sphere, to 1e-5 in double; seconds, the least of %d in turn\n"
        "(levels, set-up: what a changed obstacle costs; whole: right-hand side and correction of the velocity too)\n",
        ROUNDS);
    printf("cells   ours: solve     levels  cycles    recorded  recomputed | hypre: s     set-up    its.  recomputed "
           "|   ratio   whole\n");
    for (int i = 2; i < (argc > 2 ? argc : 4); i++) problem_run(argv[1], argc > 2 ? atoi(argv[i]) : i == 2 ? 128 : 256);
    return 0;
}
