// SPDX-License-Identifier: Apache-2.0
/* Obstacles and walls, what they do and what is said about them: sliding and sticking, symmetry about a ball, smoke in
 * a sealed room and behind slanted thin walls, and sentences that name what is wrong. */
#include "physics/physics.h"
#include <common/openvdb/bwvdb.h>
#include <string.h>
#include <unistd.h>

/* ---- sticking and sliding ---------------------------------------------------------------------------------------- */

/* A plate under the gas, as wide as the box, slides along itself at 1 m/s below small eddies. What drags is the blur of
 * semi-lagrangian; the other schemes pass no momentum on without viscosity, as it should be. Returns the mean velocity
 * along it of the cells on it; *skin: the velocity of faces half a cell deep. */
static double plate_try(const char *slip, double *skin)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [32, 16, 16], voxel: 5 cm, origin: [0, 0, 0], sides: {rest: closed, x-: periodic, x+: "
            "periodic, y-: periodic, y+: periodic}}\n"
            "time: {fps: 25, frames: 1001-1026, substeps: 1}\n"
            "stages:\n" KEEP_VEL
            "  - collide: {slip: %s, shape: {box: {center: {keys: {1001: [0, 0.4, 0.1], 1026: [1, 0.4, 0.1]}, ease: "
            "linear}, size: [9, 9, 0.2]}}}\n"
            "  - mac.advect: {scheme: semi-lagrangian}\n"
            "  - force: {kind: {turbulence: {strength: 2, size: 20 cm}}}\n"
            "  - mac.project: {tolerance: 1e-5}\n",
            slip);
    struct grid u = grid_of(&r, "vel", 0);
    double sum = 0;
    *skin = 0;
    for (int j = 0; j < 16; j++)
        for (int i = 0; i < 32; i++) {
            sum += at(&u, i, j, 4) / (32 * 16);
            *skin += at(&u, i, j, 3) / (32 * 16);
        }
    bw_free(u.v);
    test_end(&r);
    return sum;
}

Test(plate, drags_the_gas_only_where_it_sticks)
{
    if (test_short()) cr_skip_test("accuracy alone");
    double slide_skin, stick_skin, slide = plate_try("yes", &slide_skin), stick = plate_try("no", &stick_skin);
    cr_log_info("gas on the plate: %.4f m/s sliding, %.4f sticking; in the plate %.4f and %.4f", slide, stick,
                slide_skin, stick_skin);
    cr_assert_float_eq(stick_skin, 1, 1e-5, "gas that sticks moves at %g in the plate", stick_skin);
    cr_assert_lt(fabs(slide_skin), .2, "gas that slides moves at %g in the plate", slide_skin);
    cr_assert_lt(fabs(slide), .02, "a plate that lets gas slide drags it, %g m/s", slide);
    cr_assert_gt(stick, .04, "a plate that gas sticks to does not drag it, %g m/s", stick);
}

/* ---- symmetry ---------------------------------------------------------------------------------------------------- */

/* A ball in a uniform stream: before anything is shed the flow is its own mirror image across both planes. */
Test(ball, flow_is_symmetric_before_it_sheds)
{
    struct test_run r = run(
        "billow: 1\n"
        "domain: {cells: [40, 24, 24], voxel: 5 cm, floor: -0.6, sides: {rest: closed, x-: {inflow: [1, 0, 0]}, x+: "
        "open}}\n"
        "time: {fps: 25, frames: 1001-1009, substeps: 1}\n"
        "stages:\n"
        "  - set: {field: vel, value: [1, 0, 0], keep: true}\n"
        "  - collide: {shape: {sphere: {center: [-0.4, 0, 0], radius: 0.26}}}\n"
        "  - mac.advect: {}\n"
        "  - mac.project: {tolerance: 1e-6}\n");
    double worst = 0, most = 0;
    for (uint32_t c = 0; c < 3; c++) {
        struct grid u = grid_of(&r, "vel", c);
        for (int k = 0; k < u.n[2]; k++)
            for (int j = 0; j < u.n[1]; j++)
                for (int i = 0; i < u.n[0]; i++) {
                    const double v = at(&u, i, j, k), y = at(&u, i, u.n[1] - 1 - j, k),
                                 z = at(&u, i, j, u.n[2] - 1 - k);
                    worst = fmax(worst, fmax(fabs(v - (c == 1 ? -y : y)), fabs(v - (c == 2 ? -z : z))));
                    most = fmax(most, c ? fabs(v) : 0);
                }
        bw_free(u.v);
    }
    cr_log_info("asymmetry %.2g m/s; across the stream up to %.2g", worst, most);
    cr_assert_gt(most, .3, "the stream goes round the ball");
    cr_assert_lt(worst, 1e-5, "%g m/s off the mirror image", worst);
    test_end(&r);
}

/* ---- tight ------------------------------------------------------------------------------------------------------- */

/* A room of slanted walls `thick` cells thick, smoke and eddies inside, still air outside: nothing gets out, and what
 * is in stays between its bounds. Cells at the walls hold what their share of the room has. */
static void room_try(double thick)
{
    static const char *const place[6] = {"[%g, 0, 0]",  "[-%g, 0, 0]", "[0, %g, 0]",
                                         "[0, -%g, 0]", "[0, 0, %g]",  "[0, 0, -%g]"};
    char walls[4096] = "", centre[64];
    const double t = thick * .05, off = .35 + t / 2, c = cos(.4), s = sin(.4);
    for (int w = 0; w < 6; w++) { /* turned by 0.4 rad about y */
        snprintf(centre, sizeof centre, place[w], off);
        double x[3] = {w / 2 == 0 ? off : 0, w / 2 == 1 ? off : 0, w / 2 == 2 ? off : 0}, sign = w & 1 ? -1 : 1;
        double turned[3] = {sign * (c * x[0] + s * x[2]), sign * x[1], sign * (-s * x[0] + c * x[2])};
        double size[3] = {.7 + 2 * t, .7 + 2 * t, .7 + 2 * t};
        size[w / 2] = t;
        snprintf(
            walls + strlen(walls), sizeof walls - strlen(walls),
            "  - collide: {id: wall%d, shape: {box: {center: [%.9g, %.9g, %.9g], size: [%g, %g, %g], rotate: [0, 0.4 "
            "rad, 0]}}}\n",
            w, turned[0], turned[1], turned[2], size[0], size[1], size[2]);
    }
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [32, 24, 32], voxel: 5 cm, floor: -0.8, sides: {rest: open}}\n"
            "time: {fps: 25, frames: 1001-1021}\n"
            "stages:\n" KEEP_VEL
            "  - set: {field: density, value: \"1\", box: {lo: [-0.2, -0.3, -0.2], hi: [0.2, 0.3, 0.2]}}\n"
            "%s"
            "  - mac.advect: {}\n"
            "  - force: {kind: {turbulence: {strength: 2, size: 30 cm}}}\n"
            "  - mac.project: {tolerance: 1e-4}\n",
            walls);
    struct grid d = grid_of(&r, "density", 0);
    double outside = 0, inside = 0;
    for (int k = 0; k < 32; k++)
        for (int j = 0; j < 24; j++)
            for (int i = 0; i < 32; i++) {
                const double x = -.8 + .05 * (i + .5), y = -.6 + .05 * (j + .5), z = -.8 + .05 * (k + .5);
                const double far = fmax(fmax(fabs(c * x - s * z), fabs(s * x + c * z)), fabs(y)) - .35;
                inside += fmin(fmax(.5 - far / .05, 0), 1) * at(&d, i, j, k); /* by the share in the room */
                if (far > .025 + fmax(t, .05)) outside += at(&d, i, j, k);
            }
    cr_log_info("walls of %g cells: %g cells of smoke inside, %g outside", thick, inside, outside);
    cr_assert_lt(outside, 1e-6, "%g cells of smoke behind walls of %g cells", outside, thick);
    cr_assert_float_eq(inside, 8 * 12 * 8, .05 * 8 * 12 * 8, "%g cells of smoke of 768 inside", inside);
    bw_free(d.v);
    test_end(&r);
}

Test(room, slanted_walls_hold_the_smoke)
{
    static const double thick[] = {1, .7, .1};
    for (int i = test_short() ? 2 : 0; i < 3; i++) room_try(thick[i]);
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

struct said {
    char text[8192];
};

static void listen(int level, const char *who, const char *text, void *user)
{
    struct said *s = user;
    size_t n = strlen(s->text);
    if (level >= BW_LOG_WARNING) snprintf(s->text + n, sizeof s->text - n, "%s: %s\n", who, text);
}

static struct test_run heard(struct said *s, const char *yaml)
{
    memset(s, 0, sizeof *s);
    return run_with(&(struct test_options){.simd = UINT32_MAX, .on_log = listen, .user = s}, "%s", yaml);
}

/* Expansion in a sealed room inside an open box: the room is named by its middle and by what is left out. */
Test(words, a_source_in_a_sealed_room)
{
    struct said s;
    struct test_run r =
        heard(&s, "billow: 1\n"
                  "domain: {cells: [32, 32, 32], voxel: 5 cm, origin: [0, 0, 0], sides: {rest: open}}\n"
                  "time: {fps: 24, frames: 1001-1002}\n"
                  "fields: {divergence: {kind: scalar}}\n"
                  "stages:\n" KEEP_VEL "  - set: {field: divergence, value: \"z < 0.6 ? 2 : 0\", when: always}\n"
                  "  - collide: {id: a, shape: {box: {center: [1.1, 0.7, 0.35], size: [0.6, 0.6, 0.1]}}}\n"
                  "  - collide: {id: b, shape: {box: {center: [1.1, 0.7, 0.85], size: [0.6, 0.6, 0.1]}}}\n"
                  "  - collide: {id: c, shape: {box: {center: [0.85, 0.7, 0.6], size: [0.1, 0.6, 0.6]}}}\n"
                  "  - collide: {id: d, shape: {box: {center: [1.35, 0.7, 0.6], size: [0.1, 0.6, 0.6]}}}\n"
                  "  - collide: {id: e, shape: {box: {center: [1.1, 0.45, 0.6], size: [0.6, 0.1, 0.6]}}}\n"
                  "  - collide: {id: f, shape: {box: {center: [1.1, 0.95, 0.6], size: [0.6, 0.1, 0.6]}}}\n"
                  "  - mac.project: {tolerance: 1e-5}\n");
    cr_assert(strstr(s.text, "round (1.1, 0.7, 0.6) m, 512 cells"), "%s", s.text);
    cr_assert(strstr(s.text, "an expansion of 1 1/s is left out"), "%s", s.text);
    test_end(&r);
}

Test(words, no_gas_at_all)
{
    struct said s;
    struct test_run r =
        heard(&s, "billow: 1\n"
                  "domain: {cells: [16, 16, 16], voxel: 5 cm, origin: [0, 0, 0], sides: {rest: closed}}\n"
                  "time: {fps: 24, frames: 1-2}\n"
                  "stages:\n" KEEP_VEL "  - collide: {shape: {box: {center: [0.4, 0.4, 0.4], size: [9, 9, 9]}}}\n"
                  "  - mac.project: {}\n");
    cr_assert(strstr(s.text, "obstacles leave no gas in any of the 1 active tiles"), "%s", s.text);
    cr_assert_eq(metric(&r, "mac.project.stopped"), 1, "nothing to do");
    test_end(&r);
}

Test(words, why_a_solve_ended)
{
    static const char *const yaml = "billow: 1\n"
                                    "domain: {cells: [32, 32, 32], voxel: 1, sides: {rest: closed}}\n"
                                    "time: {fps: 10, frames: 1-2, dt: 0.1}\n"
                                    "stages:\n  - set: {field: vel, value: [\"sin(x+y)\", 0, \"cos(z)\"], keep: true}\n"
                                    "  - mac.project: {tolerance: %s, max_iterations: %d}\n";
    char text[1024];
    struct said s;
    snprintf(text, sizeof text, yaml, "1e-4", 50);
    struct test_run r = heard(&s, text);
    cr_assert_eq(metric(&r, "mac.project.stopped"), 0);
    cr_assert_str_empty(s.text);
    test_end(&r);
    snprintf(text, sizeof text, yaml, "1e-6", 2);
    r = heard(&s, text);
    cr_assert_eq(metric(&r, "mac.project.stopped"), 3);
    cr_assert(strstr(s.text, "after max_iterations = 2 cycles"), "%s", s.text);
    test_end(&r);
}

/* A file whose voxel (3, 4, 5) is no number: made by changing the bytes of a value that is there but once. */
Test(words, not_a_number_in_a_file)
{
    enum { N = 8 };
    static float value[N * N * N];
    const char *path = "/tmp/billow-test-nan.vdb";
    const float mark = 12345.678f, bad = NAN;
    const float *data[3] = {value};
    struct bwvdb_error err;
    struct bwvdb_writer *w;
    for (int i = 0; i < N * N * N; i++) value[i] = 1 + .001f * (float)i;
    value[3 + N * (4 + N * 5)] = mark;
    const struct bwvdb_block block = {.origin = {0, 0, 0}, .n = {N, N, N}, .stride = {1, N, N * N}, .data = {data[0]}};
    struct bwvdb_options options = {.compression = BWVDB_NONE};
    cr_assert_eq(bwvdb_writer_create(&options, &w, &err), BWVDB_OK, "%s", err.text);
    const struct bwvdb_grid grid = {
        .name = "density", .comps = 1, .voxel = .1, .origin = {.05, .05, .05}, .blocks = &block, .n_blocks = 1};
    cr_assert_eq(bwvdb_writer_add(w, &grid, &err), BWVDB_OK, "%s", err.text);
    cr_assert_eq(bwvdb_writer_write(w, path, &err), BWVDB_OK, "%s", err.text);
    bwvdb_writer_free(w);
    static char bytes[1 << 16];
    FILE *f = fopen(path, "rb+");
    size_t n = fread(bytes, 1, sizeof bytes, f), at = 0;
    while (at + 4 < n && memcmp(bytes + at, &mark, 4)) at++;
    cr_assert_lt(at + 4, n, "the value is in the file");
    fseek(f, (long)at, SEEK_SET);
    fwrite(&bad, 4, 1, f);
    fclose(f);
    struct test_run r =
        test_start("billow: 1\n"
                   "domain: {cells: [16, 16, 16], voxel: 5 cm, origin: [0, 0, 0], sides: {rest: closed}}\n"
                   "time: {fps: 24, frames: 1-2}\n"
                   "stages:\n" KEEP_VEL "  - load: {path: /tmp/billow-test-nan.vdb, field: density}\n",
                   NULL);
    unlink(path);
    cr_assert_eq(r.status, BW_ERR_DIVERGED);
    cr_assert(strstr(r.diag.text, "grid \"density\" of /tmp/billow-test-nan.vdb is not a number at voxel (3, 4, 5)"),
              "%s", r.diag.text);
    test_end(&r);
}

/* ---- a first step that is no set-up ------------------------------------------------------------------------------ */

/* What carries from frame 3 on knows no obstacles of an earlier step, neither beside gas nor a block away. */
/* Steps of the first frame, counted by a field: gas rests, and a lid or a stream goes so many cells a frame. */
static double steps_of(const char *sides)
{
    struct test_run r = run("billow: 1\ndomain: {cells: [16, 16, 16], voxel: 5 cm, sides: {%s, rest: closed}}\n"
                            "time: {fps: 25, frames: 1-2, cfl: 2}\nstages:\n"
                            "  - set: {field: vel, value: [0, 0, 0], keep: true}\n"
                            "  - set: {id: count, field: flame, value: flame + 1, when: always}\n"
                            "  - set: {id: fuel, field: fuel, value: 0}\n"
                            "  - mac.advect: {only: [fuel]}\n  - mac.project: {}\n",
                            sides);
    struct grid g = grid_of(&r, "flame", 0);
    const double steps = at(&g, 8, 8, 8) - 1; // the first frame shows it already
    bw_free(g.v);
    test_end(&r);
    return steps;
}

Test(walls, that_move_bound_the_first_step)
{
    cr_assert_eq(steps_of("top: {closed: {velocity: [10, 0, 0], slip: no}}"), 4, "a lid of 8 cells a frame");
    cr_assert_geq(steps_of("left: {inflow: [5, 0, 0]}, right: open"), 2, "a stream of 4 cells a frame");
    cr_assert_geq(steps_of("front: {inflow: [0, 20, 0]}, back: open"), 8, "one of 16");
    cr_assert_eq(steps_of("top: {closed: {velocity: [10, 0, 0]}}"), 1, "a lid that gas slides along");
    cr_assert_eq(steps_of("top: closed"), 1, "all rests");
}

Test(walls, that_are_met_at_first_in_mid_run)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {size: [3.2 m, 1 m, 1.6 m], voxel: 5 cm, sides: {bottom: closed, rest: open}}\n"
            "time: {fps: 24, frames: 1-4, substeps: 1}\n"
            "stages:\n"
            "  - emit: {density: 1, temperature: 300, shape: {sphere: {center: [0, 0, 0.3], radius: 15 cm}}}\n"
            "  - collide: {shape: {sphere: {center: [0.6, 0, 0.4], radius: 7 cm}}}\n"
            "  - mac.advect: {frames: 3-9}\n"
            "  - mac.forces: {buoyancy: 1}\n"
            "  - mac.project: {}\n"
            "  - stats: {}\n");
    cr_assert_gt(metric(&r, "stats.energy_vel"), 0);
    cr_assert_gt(metric(&r, "stats.mass_density"), 0);
    test_end(&r);
}
