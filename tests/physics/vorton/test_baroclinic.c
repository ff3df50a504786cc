// SPDX-License-Identifier: Apache-2.0
/* Vorticity by density: nothing without gravity, nothing lost on the way, how fast heavy balls start, unstable layers
 * grow and drops mirror each other; heat; grids; what is warned of and refused. */
#include "grid/grid.h"
#include "physics/physics.h"
#include <string.h>
#include <unistd.h>

#define HEAD "billow: 1\ndomain: {cells: [16, 16, 16], voxel: 1}\n"
#define FLOW "  - vorton.velocity: {method: direct}\n  - vorton.advect: {max_turn: 10}\n"

static double *attribute(const struct test_run *r, const char *name, int64_t *count)
{
    struct bw_particles *p = bw_chain_particles(r->chain, "vortons");
    cr_assert_not_null(p);
    *count = bw_particles_table.count(p);
    return bw_particles_table.attribute(p, name);
}

/* ---- nothing ---- */

static void expect_still(const char *domain, const char *gravity)
{
    struct test_run r =
        run("billow: 1\ndomain: %s\ntime: {fps: 24, frames: 1001-1004, substeps: 2}\nstages:\n"
            "  - vorton.emit: {density: 0.3, temperature: 5, source: {fill: {shape: {sphere: {radius: 10 cm}}, "
            "spacing: 2 cm}}}\n" FLOW "  - baroclinic: {gravity: %s}\n",
            domain, gravity);
    int64_t n;
    const double *a = attribute(&r, "strength", &n);
    cr_assert_gt(n, 100);
    for (int64_t i = 0; i < 3 * n; i++) cr_assert_eq(a[i], 0, "gravity %s: strength %g", gravity, a[i]);
    test_end(&r);
}

Test(baroclinic, nothing_comes_of_nothing)
{
    expect_still("{cells: [16, 16, 16], voxel: 1}", "[0, 0, 0]");
    expect_still("{cells: [64, 1, 64], voxel: 1 cm}", "[0, -9.81, 0]");
}

static struct test_run pushed(const char *gravity)
{
    return run("billow: 1\ndomain: {cells: [32, 1, 32], voxel: 2 cm, sides: {rest: closed}}\n"
               "time: {fps: 24, frames: 1-3, substeps: 1}\nstages:\n"
               "  - emit: {temperature: 30 K, density: 1, shape: {sphere: {center: [0, 0, 0.3], radius: 10 cm}}}\n"
               "  - mac.advect: {}\n  - baroclinic: {grid: true, smoke: 0.02, gravity: %s}\n  - mac.project: {}\n",
               gravity);
}

Test(baroclinic, grid_in_a_plane)
{
    static const char *const gravity[] = {"[0, -9.81, 0]", "[0, 0, 0]", "[0, -9.81, -1]"};
    for (int i = 0; i < 3; i++) {
        struct test_run r = pushed(gravity[i]);
        double most = 0;
        for (uint32_t c = 0; c < 3; c++) {
            struct grid u = grid_of(&r, "vel", c);
            most = fmax(most, grid_max(&u));
            bw_free(u.v);
        }
        if (i < 2) cr_assert_eq(most, 0, "gravity %s: %g m/s", gravity[i], most);
        else cr_assert_gt(most, 1e-3);
        test_end(&r);
    }
}

/* ---- nothing is lost ---- */

/// One step of a soft, shifted ball; `rest` goes to baroclinic.
static struct test_run ball(const char *emit, const char *rest, const char *flow, double fps, int frames,
                            uint32_t threads)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    return run_with(&o,
                    HEAD "time: {fps: %g, frames: 1001-%d, substeps: 1, seed: 4}\nstages:\n"
                         "  - vorton.emit: {%s}\n%s  - baroclinic: {%s}\n",
                    fps, 1000 + frames, emit, flow, rest);
}
#define SOFT                                                                                                           \
    "density: 0.1, temperature: -20 K, source: {fill: {shape: {sphere: {center: [0.13, 7.7, -3.1], radius: 20 "        \
    "cm}}, spacing: 2.5 cm, edge: 8 cm}}"

Test(baroclinic, transfer_keeps_mass_and_strength)
{
    struct test_run r = ball(SOFT, "", FLOW, 24, 4, 2);
    int64_t n;
    const double *a = attribute(&r, "strength", &n), *v = attribute(&r, "volume", &n),
                 *d = attribute(&r, "density", &n);
    const double *t = attribute(&r, "temperature", &n);
    double sum[3] = {0}, all = 0, mass = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) sum[c] += a[3 * i + c];
        all += sqrt(a[3 * i] * a[3 * i] + a[3 * i + 1] * a[3 * i + 1] + a[3 * i + 2] * a[3 * i + 2]);
        mass += v[i] * (d[i] - 1.2 / 293.15 * t[i]);
    }
    cr_assert_gt(all, 1e-4, "nothing was made");
    for (int c = 0; c < 3; c++) cr_assert_float_eq(sum[c], 0, 1e-12 * all, "Σα: %g of %g", sum[c], all);
    cr_assert_float_eq(metric(&r, "baroclinic.mass"), mass, 1e-12 * mass);
    cr_assert_lt(metric(&r, "baroclinic.transfer"), 1e-12);
    cr_assert_lt(metric(&r, "baroclinic.residue"), 1e-12);
    test_end(&r);
    struct test_run s = ball(SOFT, "method: gourlay", FLOW, 24, 4, 2);
    cr_assert_lt(metric(&s, "baroclinic.transfer"), 1e-6);
    test_end(&s);
}

static uint64_t hash(const struct test_run *r, const char *name)
{
    int64_t n;
    const unsigned char *v = (const unsigned char *)attribute(r, name, &n);
    uint64_t h = 1469598103934665603ull;
    for (int64_t i = 0; i < 24 * n; i++) h = (h ^ v[i]) * 1099511628211ull;
    return h;
}

Test(baroclinic, equal_bytes)
{
    static const char *const how[] = {"", "density: local", "method: gourlay"};
    for (int k = 0; k < 3; k++) {
        const char *flow = FLOW "  - vorton.diffuse: {temperature: 1e-3, density: 1e-3}\n";
        struct test_run one = ball(SOFT, how[k], flow, 24, 4, 1), two = ball(SOFT, how[k], flow, 24, 4, 2);
        cr_assert_eq(hash(&one, "pos"), hash(&two, "pos"), "%s", how[k]);
        cr_assert_eq(hash(&one, "strength"), hash(&two, "strength"), "%s", how[k]);
        test_end(&one);
        test_end(&two);
    }
}

/* ---- how fast ---- */

/* How a heavy ball of radius 1 starts from rest, against ⅔ g' and against its weight. */
struct start {
    double mean, middle; ///< acceleration of all of it and of what is nearer to its middle than ¾, over ⅔ g'
    double impulse;      ///< ½ Σ x × α a second, over the weight
};

static struct start start_of(const char *rest, const char *fill)
{
    int gourlay = strstr(rest, "gourlay") != NULL; // gives at a step's end
    char emit[512];
    snprintf(emit, sizeof emit, "density: 0.012, source: {fill: {shape: {sphere: {radius: 1}}, jitter: 0, %s}}", fill);
    struct test_run r = ball(emit, rest, "  - vorton.velocity: {}\n  - vorton.advect: {}\n", 100, 2 + gourlay, 2);
    int64_t n, counted = 0, in_middle = 0;
    const double *d = attribute(&r, "density", &n), *x = attribute(&r, "pos", &n), *a = attribute(&r, "strength", &n),
                 *v = attribute(&r, "volume", &n);
    const float *u = (const float *)attribute(&r, "velocity", &n);
    double dt = .01, gain = 2. / 3 * 9.81 * .01 * dt * (gourlay ? 1 : .5), weight = 0;
    struct start s = {0};
    for (int64_t i = 0; i < n; i++) {
        weight += 9.81 * d[i] / 1.2 * v[i];
        s.impulse -= .5 * (x[3 * i] * a[3 * i + 1] - x[3 * i + 1] * a[3 * i]) / dt / (1 + gourlay);
        if (d[i] < .006) continue;
        s.mean -= (double)u[3 * i + 2] / gain, counted++;
        if (x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2] > .75 * .75) continue;
        s.middle -= (double)u[3 * i + 2] / gain, in_middle++;
    }
    s.mean /= (double)counted;
    s.middle /= (double)in_middle;
    s.impulse /= weight;
    printf("heavy ball, %-30s %-14s mean %.4f, middle %.4f of 2/3 g'; impulse %.4f of its weight\n", fill, rest, s.mean,
           s.middle, s.impulse);
    test_end(&r);
    return s;
}

/* A vortex sheet g' sinθ a second on a sphere is that of a flow uniform inside: acceleration ⅔ g'. Cores and cells blur
 * the sheet by their size: first order in it, for the mean; hardly felt in the middle. */
Test(baroclinic, heavy_ball)
{
    if (test_short()) cr_skip_test("accuracy alone");
    struct start coarse = start_of("", "spacing: 12 cm, core: 12 cm, margin: 2"),
                 fine = start_of("", "spacing: 6 cm, core: 6 cm, margin: 2");
    struct start bare = start_of("", "spacing: 6 cm, core: 6 cm, margin: 0"),
                 gourlay = start_of("method: gourlay", "spacing: 6 cm, core: 6 cm, margin: 0");
    double limit = 2 * fine.mean - coarse.mean;
    cr_assert(limit > .97 && limit < 1.03, "the mean tends to %.4f of ⅔ g' (%.4f, %.4f)", limit, coarse.mean,
              fine.mean);
    cr_assert(fine.middle > .95 && fine.middle < 1.02, "%.4f of ⅔ g' in the middle", fine.middle);
    cr_assert_float_eq(fine.impulse, 1, .005, "impulse %.4f of the weight", fine.impulse);
    cr_assert(bare.impulse > .93 && gourlay.impulse > .4 && gourlay.impulse < .75,
              "without vortons around: %.4f, Gourlay's %.4f", bare.impulse, gourlay.impulse);
}

/* ---- layers: heavy above light ---- */

/* A slab of heavy over light vortons on a lattice, lengths in those of the wave. */
struct layers {
    double spacing, core, cell; ///< of the vortons' lattice; of cores and of baroclinic's lattice
    int n[3];
};

static struct layers layers_of(double spacing, double core, double cell)
{
    return (struct layers){spacing,
                           core * spacing,
                           cell * spacing,
                           {(int)round(2.5 / spacing), (int)round(1.6 / spacing), 2 * (int)round(.35 / spacing)}};
}

/// Heavy above z = 0, light below, displaced without compression by size·cos kx.
static char *layers_write(const struct layers *l, double size)
{
    static char path[] = "/tmp/billow-layers-XXXXXX.csv";
    memcpy(path, "/tmp/billow-layers-XXXXXX.csv", sizeof path);
    int fd = mkstemps(path, 4);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "x,y,z,strength_x,strength_y,strength_z,radius,volume,density\n");
    for (int k = -l->n[2] / 2; k < l->n[2] / 2; k++)
        for (int j = 0; j < l->n[1]; j++)
            for (int i = 0; i < l->n[0]; i++) {
                double x = l->spacing * (i + .5 - .5 * l->n[0]), y = l->spacing * (j + .5 - .5 * l->n[1]),
                       z = l->spacing * (k + .5);
                double e = size * exp(-2 * PI * fabs(z));
                fprintf(f, "%.9g,%.9g,%.9g,0,0,0,%g,%g,%g\n", x + (z > 0 ? e : -e) * sin(2 * PI * x), y,
                        z + e * cos(2 * PI * x), l->core, pow(l->spacing, 3), z > 0 ? .012 : -.012);
            }
    fclose(f);
    return path;
}

/// Part cos kx of the height of the middle wave at the interface after so long.
static double layers_height(const struct layers *l, double size, double seconds, int steps)
{
    char *path = layers_write(l, size);
    struct test_run r =
        run(HEAD "time: {fps: %.9g, frames: 1-%d, substeps: 1}\nstages:\n"
                 "  - vorton.emit: {source: {file: {file: %s}}}\n  - vorton.velocity: {}\n  - vorton.advect: {}\n"
                 "  - baroclinic: {cell: %.9g}\n",
            steps / seconds, steps + 1, path, l->cell);
    int64_t n;
    const double *pos = attribute(&r, "pos", &n);
    double wave = 0, weight = 0;
    unlink(path);
    cr_assert_eq(n, l->n[0] * l->n[1] * l->n[2]);
    for (int64_t p = 0; p < n; p++) {
        const int64_t k = p / l->n[0] / l->n[1] - l->n[2] / 2;
        double x = l->spacing * ((double)(p % l->n[0]) + .5 - .5 * l->n[0]),
               y = l->spacing * ((double)(p / l->n[0] % l->n[1]) + .5 - .5 * l->n[1]);
        if (k < -1 || k > 0 || fabs(x) > .5 || fabs(y) > .2) continue;
        wave += pos[3 * p + 2] * cos(2 * PI * x);
        weight += cos(2 * PI * x) * cos(2 * PI * x);
    }
    test_end(&r);
    return wave / weight;
}

/// Growth of a wave of length 1 on the interface over √(A g k), from the height of the rows beside it, which goes as
/// cosh γt.
static double layers_growth(const struct layers *l, double seconds, int steps)
{
    const double size = .01, was = size * exp(-PI * l->spacing), up = layers_height(l, size, seconds, steps),
                 down = layers_height(l, -size, seconds, steps);
    return acosh((up - down) / (2 * was)) / seconds / sqrt(.01 * 9.81 * 2 * PI);
}

/* What cores and lattice leave of it: they spread the sheet across the interface by a deviation d, d² = core² + 5/6
 * cell² (to the lattice and back by B-splines, ¼ each, and a difference over two cells, ⅓), along it by e, e² = core² +
 * ½ cell². Of a sheet γ cos kx at z comes ½ γ exp(-k|z - z'|) at z', here half a spacing from the middle; and the
 * slab's faces, stable and half as strong, answer. */
static double layers_expected(const struct layers *l)
{
    const double k = 2 * PI, z = .5 * l->spacing, core2 = l->core * l->core, cell2 = l->cell * l->cell;
    const double d = sqrt(core2 + 5. / 6 * cell2), along = exp(-.5 * k * k * (core2 + .5 * cell2)),
                 thick = .5 * l->n[2] * l->spacing;
    double mean = 0;
    for (int i = -4000; i <= 4000; i++)
        mean += .0025 / sqrt(2 * PI) * exp(-.5 * .0025 * .0025 * i * i) * exp(-k * fabs(.0025 * i * d - z));
    return sqrt(mean * along * exp(k * z) * (1 - exp(-2 * k * thick)));
}

static double layers_compared(double spacing, double core, double cell, double seconds, int steps)
{
    const struct layers l = layers_of(spacing, core, cell);
    double growth = layers_growth(&l, seconds, steps), expected = layers_expected(&l);
    printf("layers: spacing 1/%-2.0f, core %.2f, cell %.2f of it, %.2f s: growth %.4f of sqrt(A g k); so thick an "
           "interface's %.4f\n",
           1 / spacing, core, cell, seconds, growth, expected);
    fflush(stdout);
    if (seconds < .5)
        cr_assert_float_eq(growth, expected, .025 * expected, "growth %.4f of √(A g k), not %.4f", growth, expected);
    return growth;
}

/* At first displacements grow as cosh γt, and after a while still. */
Test(baroclinic, rayleigh_taylor)
{
    if (test_short()) cr_skip_test("accuracy alone");
    double coarse = layers_compared(1. / 16, 1, 1, .25, 2);
    cr_assert_float_eq(coarse, .84, .03);
    double fine = layers_compared(1. / 32, .7, 1, .25, 2);
    cr_assert_float_eq(fine, 1, .08, "growth %.4f of √(A g k)", fine);
    double late = layers_compared(1. / 24, .7, .5, 1.5, 6);
    cr_assert_float_eq(late, 1, .1, "growth %.4f of √(A g k)", late);
}

/// Energy of the flow after a time t in which displacements have grown to cosh γt, so that it is as sinh² γt: half a
/// step later, for it leads what goes along it.
static double grid_energy(int frames)
{
    struct test_run r =
        run("billow: 1\ndomain: {cells: [96, 1, 192], voxel: 0.010416666666666666, origin: [0, 0, -1], "
            "sides: {left: periodic, right: periodic, rest: closed}, margin: 200}\n"
            "time: {fps: 50, frames: 1-%d, substeps: 4}\nstages:\n"
            "  - set: {field: density, value: \"0.5 + 0.5*tanh((z - 0.01*cos(2*pi*x))/0.006)\"}\n" KEEP_VEL
            "  - mac.advect: {scheme: maccormack}\n  - baroclinic: {grid: true, smoke: 0.24}\n"
            "  - mac.project: {tolerance: 1e-6}\n"
            "  - stats: {}\n",
            frames);
    double energy = metric(&r, "stats.energy_vel");
    test_end(&r);
    return energy;
}

Test(baroclinic, rayleigh_taylor_on_a_grid)
{
    if (test_short()) cr_skip_test("accuracy alone");
    double want = sqrt(.1 * 9.81 * 2 * PI), ratio = sqrt(grid_energy(15) / grid_energy(8)), lo = .1,
           hi = 20; // t = 0.2825 and 0.1425 s
    for (int i = 0; i < 60; i++) {
        double mid = .5 * (lo + hi);
        if (sinh(.2825 * mid) / sinh(.1425 * mid) < ratio) lo = mid;
        else hi = mid;
    }
    printf("layers on a grid: growth %.4f of sqrt(A g k)\n", lo / want);
    cr_assert_float_eq(lo, want, .1 * want, "growth %.3f 1/s, not %.3f", lo, want);
}

/* ---- mirrors ---- */

Test(baroclinic, two_drops)
{
    struct test_run r =
        run(HEAD "time: {fps: 24, frames: 1-%d, substeps: 2}\nstages:\n"
                 "  - vorton.emit: {id: heavy, density: 0.1, source: {fill: {shape: {sphere: {center: [0, 0, 0.2], "
                 "radius: 10 cm}}, spacing: 2 cm, jitter: 0}}}\n"
                 "  - vorton.emit: {id: light, density: -0.1, source: {fill: {shape: {sphere: {center: [0, 0, -0.2], "
                 "radius: 10 cm}}, spacing: 2 cm, jitter: 0}}}\n"
                 "  - vorton.velocity: {}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n  - baroclinic: {}\n",
            test_short() ? 4 : 17);
    int64_t n;
    const double *x = attribute(&r, "pos", &n), *d = attribute(&r, "density", &n);
    double sum = 0, moved = 0, wrong = 0;
    for (int64_t i = 0; i < n / 2;
         i++) { // same lattice: i of one, in the same order of x and y, from the other end of z
        double least = HUGE_VAL, up = x[3 * i + 2];
        for (int64_t k = n / 2; k < n; k++)
            least = fmin(least, hypot(hypot(x[3 * k] - x[3 * i], x[3 * k + 1] - x[3 * i + 1]), x[3 * k + 2] + up));
        wrong += least * least;
        if (d[i] > 0) moved += .2 - up, sum++;
    }
    wrong = sqrt(wrong / (double)(n / 2));
    moved /= sum;
    printf("two drops: fallen by %.4f m, mirrored to %.2e m\n", moved, wrong);
    cr_assert_gt(moved, test_short() ? 0 : .05);
    cr_assert_lt(wrong, .01 * moved, "mirrored to %.2e m of %.3f m", wrong, moved);
    test_end(&r);
}

/* ---- heat ---- */

/* A hot ball and a light one of the same deviation move alike, to the bit; at 100 K `local` is the ideal gas. */
Test(baroclinic, heat_is_lightness)
{
    struct test_run hot = ball("temperature: 20 K, source: {fill: {shape: {sphere: {radius: 20 cm}}, spacing: 3 cm}}",
                               "expansion: 0.0625, ambient_density: 1", FLOW, 24, 4, 2);
    struct test_run light = ball("density: -1.25, source: {fill: {shape: {sphere: {radius: 20 cm}}, spacing: 3 cm}}",
                                 "ambient_density: 1", FLOW, 24, 4, 2);
    cr_assert_eq(hash(&hot, "pos"), hash(&light, "pos"));
    test_end(&hot);
    test_end(&light);
    struct test_run gas =
        ball("temperature: 293.15 K, source: {fill: {shape: {sphere: {radius: 20 cm}}, spacing: 3 cm}}",
             "density: local, expansion: 3.411223e-3", FLOW, 240, 2, 2);
    int64_t n;
    const double *t = attribute(&gas, "temperature", &n), *v = attribute(&gas, "volume", &n);
    double mass = 0;
    for (int64_t i = 0; i < n; i++) mass += t[i] > 0 ? -.6 * v[i] : 0; // half as dense
    cr_assert_float_eq(metric(&gas, "baroclinic.mass"), mass, 1e-5 * fabs(mass));
    test_end(&gas);
}

/* `local` divides by the density of the place: a ball twice as dense as what is around makes ln 2 of what Boussinesq
 * does. */
Test(baroclinic, local_density)
{
    double generated[2];
    for (int local = 0; local < 2; local++) {
        struct test_run r =
            ball("density: 1.2, source: {fill: {shape: {sphere: {radius: 20 cm}}, spacing: 2 cm, core: 2 cm, jitter: "
                 "0, margin: 4}}",
                 local ? "density: local" : "", FLOW, 2400, 2, 2);
        generated[local] = metric(&r, "baroclinic.generated");
        test_end(&r);
    }
    cr_assert_float_eq(generated[1], log(2) * generated[0], .02 * generated[1], "%g of %g", generated[1], generated[0]);
}

static int64_t steps;
static enum bw_status count_step(struct bw_stage *s)
{
    steps = s->step;
    return BW_OK;
}
static const struct bw_stage_desc count_stage = {
    .id = "count", .version = "1", .brief = "Counts steps.", .step = count_step};
static const struct bw_stage_desc *const count_stages[] = {&count_stage};
static const struct bw_module count_module = BW_MODULE(count_stages);

/* A step resolves the fastest wave there may be, N² = g ρ'/(ρ₀ h). */
Test(baroclinic, steps)
{
    struct test_options o = {.simd = UINT32_MAX, .module = &count_module};
    struct test_run r = run_with(
        &o,
        HEAD "time: {fps: 5, frames: 1001-1002, substeps: auto}\nstages:\n"
             "  - vorton.emit: {density: 0.3, source: {fill: {shape: {sphere: {radius: 6 cm}}, spacing: 2 cm, core: "
             "2 cm}}}\n" FLOW "  - baroclinic: {}\n  - count: {}\n");
    const double want = ceil(.2 / (.5 / sqrt(9.81 * .25 / .02)));
    test_end(&r);
    cr_assert_eq(steps, (int64_t)want, "%lld steps, not %g", (long long)steps, want);
}

/// Mean of x² by heat, in a box of still vortons.
static double heat_spread(int frames, double *heat)
{
    struct test_run r = run(
        HEAD "time: {fps: 25, frames: 1-%d, substeps: 2}\nstages:\n"
             "  - vorton.emit: {temperature: 10 K, source: {fill: {shape: {sphere: {radius: 20 cm}}, spacing: 4 cm, "
             "jitter: 0, margin: 8}}}\n"
             "  - vorton.diffuse: {temperature: 0.003, viscosity: 0}\n",
        frames);
    int64_t n;
    const double *x = attribute(&r, "pos", &n), *t = attribute(&r, "temperature", &n), *v = attribute(&r, "volume", &n);
    double sum = 0;
    *heat = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += t[i] * v[i] * x[3 * i] * x[3 * i];
        *heat += t[i] * v[i];
    }
    test_end(&r);
    return sum / *heat;
}

Test(baroclinic, heat_spreads)
{
    if (test_short()) cr_skip_test("accuracy alone");
    const int last = test_short() ? 4 : 13;
    double before, after, grown = heat_spread(last, &after) - heat_spread(1, &before),
                          want = 2 * .003 * .04 * (last - 1);
    cr_assert_float_eq(grown, want, .02 * want, "variance grew by %.5f m², not %.5f", grown, want);
    cr_assert_float_eq(after, before, 1e-12 * before, "heat from %.15g to %.15g", before, after);
}

/* ---- what is said ---- */

static void warning_count(int level, const char *who, const char *text, void *user)
{
    if (level == BW_LOG_WARNING && !strcmp(who, "baroclinic") && strstr(text, "% of ambient")) ++*(int *)user;
}

static int warnings(double density, double diffusivity)
{
    int n = 0;
    struct test_options o = {.simd = UINT32_MAX, .on_log = warning_count, .user = &n};
    struct test_run r =
        run_with(&o,
                 HEAD "time: {fps: 24, frames: 1-4, substeps: 2}\nstages:\n"
                      "  - vorton.emit: {density: %g, source: {fill: {shape: {sphere: {radius: 10 cm}}, spacing: 3 cm, "
                      "margin: 3}}}\n" FLOW "  - vorton.diffuse: {viscosity: 0, density: %g}\n  - baroclinic: {}\n",
                 density, diffusivity);
    test_end(&r);
    return n;
}

Test(baroclinic, large_deviations_are_warned_of_once)
{
    cr_assert_eq(warnings(.35, 0), 0);
    cr_assert_eq(warnings(.37, 0), 1);
    cr_assert_eq(warnings(-.37, 0), 1);
    cr_assert_eq(warnings(1.1, .01), 1); // though it spreads: another figure in every frame
}

static void refuse(const char *stages, const char *sentence)
{
    run_refused(sentence, HEAD "time: {fps: 24, frames: 1-3, substeps: 1}\nstages:\n%s", stages);
}
#define BALL(fill) "  - vorton.emit: {density: 0.1, source: {fill: {" fill "}}}\n"

Test(baroclinic, refusals)
{
    refuse("  - emit: {density: 1, shape: {sphere: {}}}\n  - baroclinic: {}\n", "nothing to act on");
    refuse(BALL("shape: {sphere: {}}, spacing: 10 cm") "  - baroclinic: {}\n", "vorton.advect");
    refuse(BALL("shape: {sphere: {}}, spacing: 10 cm") FLOW "  - baroclinic: {ambient_density: 0}\n", "ambient");
    refuse(BALL("shape: {sphere: {}}, spacing: 0.01 mm"), "spacing");
    refuse(BALL("shape: {box: {center: [9, 0, 0], size: [0.1, 0.1, 0.1]}}, spacing: 1 cm")
               BALL("shape: {box: {size: [0.1, 0.1, 0.1]}}, spacing: 1 cm") FLOW "  - baroclinic: {cell: 1e-3 mm}\n",
           "too far apart");
}
