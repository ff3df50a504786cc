// SPDX-License-Identifier: Apache-2.0
/* fire: heat released, decay of fuel, cooling and flame against closed forms; expansion through a box; fractions for
 * any step; the speed of a flame front; bits, substeps, refusals. */
#include "physics/physics.h"

/* A closed box of still, even gas that burns without expanding: one parcel, 8³ times. */
#define STILL                                                                                                          \
    "billow: 1\n"                                                                                                      \
    "domain: {cells: [8, 8, 8], voxel: 3 cm, sides: {rest: closed}}\n"                                                 \
    "time: {fps: %.17g, frames: 1001-1002, substeps: %d}\n"                                                            \
    "%s"                                                                                                               \
    "stages:\n"                                                                                                        \
    "  - set: {id: gas, field: fuel, value: %.17g, keep: true}\n"                                                      \
    "  - set: {id: heat, field: temperature, value: %.17g, keep: true}\n"                                              \
    "  - fire: {expansion: 0, %s}\n"

struct parcel {
    double fuel, temperature, smoke, flame;
};

static double value_of(const struct test_run *r, const char *field)
{
    struct grid g = grid_of(r, field, 0);
    double v = at(&g, 3, 3, 3);
    for (size_t i = 0; i < grid_count(&g); i++) cr_assert_eq(g.v[i], v, "%s is not even", field);
    bw_free(g.v);
    return v;
}

static struct parcel burn(double seconds, int substeps, double fuel, double excess, const char *how)
{
    struct test_run r = run(STILL, 1 / seconds, substeps, "", fuel, excess, how);
    struct parcel p = {value_of(&r, "fuel"), value_of(&r, "temperature"), value_of(&r, "density"),
                       value_of(&r, "flame")};
    test_end(&r);
    return p;
}

/* All fuel burnt, ΔT = Q Y0/c_p by each law, in one step or many. */
Test(fire, adiabatic_rise)
{
    static const char *const law[] = {"law: linear, burn_rate: 3", "law: proportional, burn_rate: 60",
                                      "law: arrhenius, burn_rate: 1e9 1/s, activation: 12000"};
    for (int i = 0; i < 3; i++)
        for (int substeps = 1; substeps <= 7; substeps += 6) {
            char how[256];
            snprintf(how, sizeof how, "%s, cooling: 0, heat: 2.1e6 J/kg, heat_capacity: 1400 J/kg/K, smoke: 0.7",
                     law[i]);
            struct parcel p = burn(1, substeps, 0.8, 900, how);
            double rise = 0.8 * 2.1e6 / 1400;
            cr_assert_float_eq(p.fuel, 0, 1e-7, "%s: fuel %g is left", law[i], p.fuel);
            cr_assert_float_eq(p.temperature - 900, rise, 1e-6 * rise, "%s: %.9g K, not %.9g", law[i],
                               p.temperature - 900, rise);
            cr_assert_float_eq(p.smoke, 0.56, 1e-6);
        }
}

/* Time that Arrhenius' law takes from Y0 to y: ∫ dY/(r Y exp(-Ta/T)), by Simpson in ln Y. */
static double arrhenius_time(double fuel, double y, double start, double heat, double rate, double activation)
{
    enum { N = 20000 };
    double span = log(fuel / y) / N, sum = 0;
    for (int i = 0; i <= N; i++) {
        double weight = i == 0 || i == N ? 1 : i % 2 ? 4 : 2;
        sum += weight * exp(activation / (start + heat * fuel * (1 - exp(-i * span)))) / rate;
    }
    return sum * span / 3;
}

Test(fire, fuel_decays_as_it_should)
{
    for (int substeps = 1; substeps <= 8; substeps *= 8) {
        struct parcel p = burn(0.2, substeps, 0.9, 600, "burn_rate: 2.5");
        cr_assert_float_eq(p.fuel, 0.9 - 2.5 * 0.2, 1e-6, "linear: %.9g", p.fuel);
        p = burn(0.2, substeps, 0.9, 600, "law: proportional, burn_rate: 2.5");
        cr_assert_float_eq(p.fuel, 0.9 * exp(-2.5 * 0.2), 1e-6, "proportional: %.9g", p.fuel);
        p = burn(0.2, substeps, 0.9, 200, "burn_rate: 2.5");
        cr_assert_float_eq(p.fuel, 0.9, 1e-7, "cold fuel burns: %.9g", p.fuel);
        /* The time that the law takes to where it is now must be the time that has passed. */
        p = burn(0.2, substeps, 0.9, 700, "law: arrhenius, burn_rate: 350 1/s, activation: 6000, cooling: 0");
        double t = arrhenius_time(0.9, p.fuel, 993.15, 1.8e6 / 1005, 350, 6000);
        cr_assert(p.fuel > 0.1 && p.fuel < 0.85, "%g is left: neither cold nor out", p.fuel);
        cr_assert_float_eq(t, 0.2, 0.2 * 2e-5, "arrhenius: %.9g s for %.9g", t, p.fuel);
    }
}

Test(fire, cools_by_the_fourth_power)
{
    static const double excess[] = {5, 150, 900, 1706.85, 4000};
    for (int substeps = 1; substeps <= 5; substeps += 4)
        for (int i = 0; i < 5; i++) {
            struct parcel p = burn(0.5, substeps, 0, excess[i], "cooling: 2500 K/s, cooling_at: 2000 K");
            double span = 2000 - 293.15, x = excess[i] / span;
            double want = span * pow(pow(x, -3) + 3 * 2500 * 0.5 / span, -1. / 3);
            cr_assert_float_eq(p.temperature, want, 1e-6 * want, "from %g: %.9g, not %.9g", excess[i], p.temperature,
                               want);
        }
}

/* Where nothing glows by the rate, where flame fades by what it leaves of that: ∫ dt/(1 + a exp(-t/life)). */
Test(fire, edges_cool_where_flame_is_faint)
{
    for (int substeps = 1; substeps <= 5; substeps += 4)
        for (int glows = 0; glows < 2; glows++) {
            struct test_run r = run(STILL, 1 / 0.4, substeps, "fields: {flame: {kind: scalar}}\n", 0., 800.,
                                    glows ? "cooling: 0, edge_cooling: 5, flame_life: 0.2}\n"
                                            "  - set: {id: glow, field: flame, value: 0.3"
                                          : "cooling: 0, edge_cooling: 5");
            const double most = 0.5 * (1 - exp(-2)); // of pure fuel, which burns at 2.5 1/s and glows for 0.2 s
            const double a = glows ? 0.3 * most / 0.05 : 0, lived = 0.4 + 0.2 * log((1 + a * exp(-2)) / (1 + a));
            const double want = 800 * exp(-5 * lived), t = value_of(&r, "temperature");
            cr_assert_float_eq(t, want, 1e-5 * want, "%g K, not %g, glows %d", t, want, glows);
            test_end(&r);
        }
}

/* Hot smoke burns up in proportion to the flame, and stays where there is none. */
Test(fire, soot_stays_where_flames_have_gone)
{
    for (int substeps = 1; substeps <= 5; substeps += 4)
        for (int glows = 0; glows < 2; glows++) {
            char how[256];
            snprintf(how, sizeof how,
                     "cooling: 0, burnout: 5, flame_life: 1e6 s}\n"
                     "  - set: {id: soot, field: density, value: 1}\n"
                     "  - set: {id: glow, field: flame, value: %g",
                     0.5 * glows);
            struct test_run r = run(STILL, 1 / 0.4, substeps,
                                    "fields: {flame: {kind: scalar}, density: {kind: scalar}}\n", 0., 800., how);
            const double want = glows ? exp(-5 * 0.5 * 0.4) : 1, soot = value_of(&r, "density");
            cr_assert_float_eq(soot, want, 1e-4, "%g, not %g, glows %d", soot, want, glows);
            test_end(&r);
        }
}

/* Soot burns with the air there is: gas with a trace of it is no other than gas without. */
Test(fire, soot_stays_without_air)
{
    static const double air[] = {0, 1e-9, 2e-5, 1e-4};
    for (uint32_t i = 0; i < BW_COUNT(air); i++) {
        char how[256];
        snprintf(how, sizeof how,
                 "cooling: 0, burnout: 5, flame_life: 1e6 s, oxygen_need: 0.5}\n"
                 "  - set: {id: soot, field: density, value: 1}\n"
                 "  - set: {id: air, field: oxygen, value: %g}\n"
                 "  - set: {id: glow, field: flame, value: 1",
                 air[i]);
        struct test_run r =
            run(STILL, 1 / 0.4, 1, "fields: {flame: {kind: scalar}, density: {kind: scalar}, oxygen: {kind: scalar}}\n",
                0., 800., how);
        const double want = exp(-5 * 0.4 * fmin(air[i] / 0.5 / 1e-4, 1)), soot = value_of(&r, "density");
        cr_assert_float_eq(soot, want, 1e-4, "%g, not %g, with %g of oxygen", soot, want, air[i]);
        test_end(&r);
    }
}

/* All that burnt is in flames or is smoke, whatever the step: flames hide behind no soot of their own. */
Test(fire, smoke_comes_out_of_flames)
{
    const double most = 0.2 * (1 - exp(-5)), seconds[] = {0.05, 0.25, 2};
    for (int i = 0; i < 3; i++)
        for (int substeps = 1; substeps <= 4; substeps += 3) {
            struct test_run r = run(STILL, 1 / seconds[i], substeps, "character: natural\n", 0.9, 600.,
                                    "burn_rate: 2, flame_life: 0.1, smoke: 0.7, cooling: 0");
            const double burnt = 0.9 - value_of(&r, "fuel"), left = burnt - most * value_of(&r, "flame");
            const double smoke = value_of(&r, "density");
            cr_assert_float_eq(smoke, 0.7 * left, 1e-6, "%g s: %.9g, not %.9g", seconds[i], smoke, 0.7 * left);
            cr_assert(i < 2 || substeps < 4 || smoke > 0.62, "%g of 0.63 has come out", smoke);
            test_end(&r);
        }
}

/* Steady burning tends to rate times life; fuel that is out fades. */
Test(fire, flame_is_what_burnt_lately)
{
    const double most = 0.2 * (1 - exp(-5));
    for (int substeps = 1; substeps <= 4; substeps += 3) {
        struct parcel p = burn(0.25, substeps, 0.9, 600, "burn_rate: 2, flame_life: 0.1");
        cr_assert_float_eq(p.flame, 2 * 0.1 * (1 - exp(-2.5)) / most, 1e-6, "%.9g", p.flame);
    }
    struct parcel p = burn(1, 50, 0.1, 600, "burn_rate: 2, flame_life: 0.1"); /* out after 0.05 s */
    double want = 0.2 * (1 - exp(-.5)) * exp(-9.5) / most;
    cr_assert_float_eq(p.flame, want, 0.1 * want + 1e-7, "%.9g, not %.9g", p.flame, want);
}

/* Pure fuel that burns up reaches 1 by any law, and nothing passes it. */
Test(fire, flames_lie_between_0_and_1)
{
    static const struct {
        const char *how;
        double top; ///< s after which the flame is largest
    } law[] = {{"law: linear, burn_rate: 4, flame_life: 0.3", 0.25},
               {"law: proportional, burn_rate: 6, flame_life: 0.3", 0.3 / 0.8 * 0.5877867},
               {"law: proportional, burn_rate: 5, flame_life: 0.2", 0.2}};
    for (size_t i = 0; i < sizeof law / sizeof *law; i++) {
        struct parcel p = burn(law[i].top, 400, 1, 900, law[i].how);
        cr_assert_float_eq(p.flame, 1, 3e-3, "%s: %.6g", law[i].how, p.flame);
        p = burn(0.5 * law[i].top, 100, 1, 900, law[i].how);
        cr_assert(p.flame > 0.3 && p.flame < 0.99, "%s: %.6g half-way", law[i].how, p.flame);
    }
    struct parcel p = burn(0.2, 50, 1, 900, "law: arrhenius, burn_rate: 1e5, activation: 12000, flame_life: 0.1");
    cr_assert(p.flame > 0.1 && p.flame <= 1, "arrhenius: %.6g", p.flame);
}

/* ---- fractions ---- */

#define AIR                                                                                                            \
    "fields: {oxygen: {kind: scalar, advect: true, background: 0.232}, products: {kind: scalar, advect: true}}\n"

/* Oxygen limits what burns; the sum of all is 1; at any dt, by any law. */
Test(fire, fractions_stay_fractions)
{
    static const char *const law[] = {"linear", "proportional", "arrhenius"};
    for (int i = 0; i < 3; i++)
        for (int huge = 0; huge < 2; huge++) {
            char how[256];
            double rate = i == 2 ? 1e7 : 4;
            snprintf(how, sizeof how, "law: %s, burn_rate: %g 1/s, oxygen_need: 0.5, extinction: 0.03", law[i], rate);
            struct test_run r = run(STILL, huge ? 0.04 : 4., huge ? 1 : 7, AIR, 0.9, 700., how);
            double fuel = value_of(&r, "fuel"), air = value_of(&r, "oxygen"), burnt = value_of(&r, "products");
            double start = 0.1, limit = (start - 0.03) / 0.5; /* fuel displaced all oxygen but 0.1 */
            cr_assert(fuel >= 0 && air >= 0 && burnt >= 0 && burnt <= 1, "%s: %g %g %g", law[i], fuel, air, burnt);
            cr_assert_float_eq(fuel + air + burnt, 1, 3e-7, "%s: the sum is %.9g", law[i], fuel + air + burnt);
            cr_assert_float_eq(fuel, 0.9 - limit, 1e-6, "%s: %g burnt, oxygen was for %g", law[i], 0.9 - fuel, limit);
            cr_assert_float_eq(air, 0.03, 1e-6, "%s goes out at an oxygen of %g", law[i], air);
            test_end(&r);
        }
}

/* A real fire, stirred, with steps a hundred times too long. */
Test(fire, fractions_of_a_fire_with_long_steps)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [16, 16, 16], voxel: 6 cm, sides: {bottom: closed, rest: open}}\n"
            "time: {fps: 2, frames: 1001-1004, substeps: 1}\n" AIR "stages:\n"
            "  - emit: {shape: {sphere: {center: [0, 0, 0.2], radius: 12 cm}}, fuel: 1, temperature: 900, "
            "noise: {amount: 1, size: 9 cm}}\n"
            "  - mac.advect: {}\n"
            "  - fire: {burn_rate: 60 1/s, oxygen_need: 0.3}\n"
            "  - mac.forces: {}\n"
            "  - mac.project: {tolerance: 1e-3}\n");
    struct grid f = grid_of(&r, "fuel", 0), o = grid_of(&r, "oxygen", 0), p = grid_of(&r, "products", 0);
    for (size_t i = 0; i < grid_count(&f); i++) {
        cr_assert(f.v[i] >= 0 && o.v[i] >= 0 && p.v[i] >= 0, "%g %g %g", f.v[i], o.v[i], p.v[i]);
        cr_assert_leq(f.v[i] + o.v[i] + p.v[i], 1 + 1e-6);
    }
    cr_assert_gt(grid_max(&p), 0.02, "nothing burnt");
    bw_free(f.v);
    bw_free(o.v);
    bw_free(p.v);
    test_end(&r);
}

/* ---- expansion ---- */

/* Volume flow out of the box of cells lo … hi-1, m³/s. */
static double outflow(const struct test_run *r, const int32_t lo[3], const int32_t hi[3], double h)
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        struct grid u = grid_of(r, "vel", (uint32_t)a);
        int b = (a + 1) % 3, c = (a + 2) % 3;
        for (int j = lo[b]; j < hi[b]; j++)
            for (int k = lo[c]; k < hi[c]; k++) {
                int32_t x[3];
                x[b] = j, x[c] = k;
                x[a] = hi[a];
                sum += at(&u, x[0], x[1], x[2]);
                x[a] = lo[a];
                sum -= at(&u, x[0], x[1], x[2]);
            }
        bw_free(u.v);
    }
    return sum * h * h;
}

Test(fire, outflow_is_the_expansion)
{
    const double h = 0.02, dt = 0.01;
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [40, 36, 44], voxel: 2 cm, sides: {bottom: closed, rest: open}}\n"
                            "time: {fps: %g, frames: 1001-1002, substeps: 1}\n"
                            "stages:\n" KEEP_VEL
                            "  - set: {id: heat, field: temperature, value: \"x^2+y^2+(z-0.4)^2 < 0.04 ? 900 : 0\"}\n"
                            "  - set: {id: gas, field: fuel, value: \"temperature > 0 ? 0.5 + x : 0\"}\n"
                            "  - fire: {burn_rate: 20 1/s, cooling: 0}\n"
                            "  - mac.project: {tolerance: 1e-6}\n",
                            1 / dt);
    struct grid t = grid_of(&r, "temperature", 0), d = grid_of(&r, "divergence", 0);
    static const int32_t box[][2][3] = {
        {{0, 0, 0}, {40, 36, 44}}, {{5, 4, 3}, {37, 33, 41}}, {{17, 13, 11}, {31, 20, 29}}, {{1, 1, 1}, {8, 8, 8}}};
    double whole = 0;
    for (int q = 0; q < 4; q++) {
        double source = 0, given = 0;
        for (int k = box[q][0][2]; k < box[q][1][2]; k++)
            for (int j = box[q][0][1]; j < box[q][1][1]; j++)
                for (int i = box[q][0][0]; i < box[q][1][0]; i++) {
                    double now = at(&t, i, j, k); /* burning began at 900 K above ambient */
                    source += now > 0 ? log((293.15 + now) / 1193.15) / dt * h * h * h : 0;
                    given += at(&d, i, j, k) * h * h * h;
                }
        double out = outflow(&r, box[q][0], box[q][1], h);
        if (q == 0) whole = source;
        cr_assert_float_eq(given, source, 2e-6 * whole, "box %d: divergence %g, ln T grows by %g", q, given, source);
        cr_assert_float_eq(out, source, 2e-5 * whole, "box %d: %g m³/s flow out, %g arise", q, out, source);
    }
    cr_assert_gt(whole, 0.01);
    bw_free(t.v);
    bw_free(d.v);
    test_end(&r);
}

/* ---- flame front ---- */

/* With Y = 1 - T (equal diffusion) and ignition at T = a, T' = D T'' + k (1-T) H(T-a) has the front speed
 * c = (1-a) sqrt(k D/a): matched exponentials, a exp(-c x/D) ahead of it and 1 - (1-a) exp(m x) behind, where
 * D m² + c m = k. It starts with that shape; cells of a sixtieth of its thickness leave 0.3 %, first order. */
static double front_speed(double a, double *want)
{
    enum { N = 600, FRAMES = 5 };
    const double D = 1e-3, k = 4, h = 0.4 / N, c = (1 - a) * sqrt(k * D / a),
                 m = (sqrt(c * c + 4 * k * D) - c) / (2 * D);
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [%d, 1, 4], voxel: %.17g, origin: [0, 0, 0], sides: {rest: closed}}\n"
            "time: {fps: 20, frames: 0-%d, substeps: 80}\n"
            "stages:\n" KEEP_VEL "  - set: {id: heat, field: temperature, keep: true, "
            "value: \"1000*(x < 0.2 ? 1-%.17g*exp(%.17g*(x-0.2)) : %.17g*exp(%.17g*(x-0.2)))\"}\n"
            "  - set: {id: gas, field: fuel, keep: true, value: \"1 - temperature/1000\"}\n"
            "  - mac.diffuse: {temperature: %g, fuel: %g, tolerance: 1e-8}\n"
            "  - fire: {law: proportional, burn_rate: %g 1/s, ignition: %.17g, heat: 1.005e6, cooling: 0, "
            "expansion: 0}\n",
            N, h, FRAMES - 1, 1 - a, m, a, -c / D, D, D, k, 293.15 + 1000 * a);
    struct grid t = grid_of(&r, "temperature", 0);
    double heat = 0; /* behind the front all is burnt: so far has it come */
    for (int i = 0; i < N; i++) {
        double x = (i + .5) * h - .2, start = x < 0 ? 1 - (1 - a) * exp(m * x) : a * exp(-c / D * x);
        heat += (at(&t, i, 0, 1) / 1000 - start) * h;
    }
    bw_free(t.v);
    test_end(&r);
    *want = c;
    return heat / ((FRAMES - 1) / 20.);
}

Test(fire, front_speed_with_diffusion)
{
    if (test_short()) cr_skip_test("accuracy alone");
    double want, c = front_speed(0.4, &want);
    cr_assert_float_eq(c, want, 0.005 * want, "the front moves at %g m/s, not %g", c, want);
}

/* ---- bits, substeps, words ---- */

static struct test_run fire_run(uint32_t threads, int substeps)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    return run_with(
        &o,
        "billow: 1\n"
        "domain: {cells: [32, 32, 48], voxel: 2.5 cm, sides: {bottom: closed, rest: open}}\n"
        "time: {fps: 24, frames: 1001-1007, substeps: %d, seed: 4}\n" AIR "stages:\n"
        "  - emit: {shape: {sphere: {center: [0.01, 0, 0.15], radius: 10 cm}}, fuel: 0.9, temperature: 800, "
        "noise: {amount: 0.8, size: 8 cm}}\n"
        "  - mac.advect: {}\n"
        "  - fire: {burn_rate: 4 1/s, burnout: 1 1/s}\n"
        "  - mac.forces: {confinement: 0.2}\n"
        "  - mac.project: {}\n",
        substeps);
}

Test(fire, same_bits_on_any_threads)
{
    static const char *const field[] = {"fuel",       "temperature", "density",  "flame",
                                        "divergence", "oxygen",      "products", "vel"};
    struct test_run one = fire_run(1, 2), two = fire_run(2, 2);
    for (int i = 0; i < 8; i++)
        cr_assert_eq(test_hash(&one, field[i]), test_hash(&two, field[i]), "%s differs", field[i]);
    test_end(&one);
    test_end(&two);
}

/* Twice the substeps, hardly another fire: what burnt so far and how hot it is. */
Test(fire, substeps_hardly_matter)
{
    if (test_short()) cr_skip_test("accuracy alone");
    double burnt[2], heat[2];
    for (int i = 0; i < 2; i++) {
        struct test_run r = fire_run(2, 4 << i);
        struct grid p = grid_of(&r, "products", 0), t = grid_of(&r, "temperature", 0);
        burnt[i] = grid_sum(&p);
        heat[i] = grid_sum(&t);
        bw_free(p.v);
        bw_free(t.v);
        test_end(&r);
    }
    cr_assert_float_eq(burnt[0] / burnt[1], 1, 0.03, "%g of what burns with half the steps", burnt[0] / burnt[1]);
    cr_assert_float_eq(heat[0] / heat[1], 1, 0.03, "%g of the heat with half the steps", heat[0] / heat[1]);
}

static void refuse(const char *stage, const char *sentence)
{
    run_refused(sentence,
                "billow: 1\ndomain: {cells: [8, 8, 8], voxel: 1}\ntime: {fps: 1, frames: 1-2}\nstages:\n"
                "  - set: {id: gas, field: fuel, keep: true, value: 0.5}\n  - %s\n",
                stage);
}

Test(fire, refusals)
{
    refuse("fire: {burn_rate: -1}", "burn_rate");
    refuse("fire: {ignition: 250 K, expansion: 0}", "below the ambient");
    refuse("fire: {cooling_at: 290 K, expansion: 0}", "above the ambient");
    refuse("fire: {}", "no stage projects the flow");
    refuse("set: {id: b, field: fuel, value: 1.5}\n  - fire: {expansion: 0}", "reaches 1.5: a mass fraction");
    refuse("set: {id: b, field: fuel, value: -0.5}\n  - fire: {expansion: 0}", "falls to -0.5");
}
