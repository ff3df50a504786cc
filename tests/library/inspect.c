// SPDX-License-Identifier: Apache-2.0
/* Looking closely: the place that a pixel shows, particles of a cache, outlines, movies and pictures of one's own.
 * Prints "N passed, N failed".
 *     inspect [CASE…] */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */
#include "host.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/// A full ball of radius 10 cm round (0.02, -0.03, 0.3) in still air, with points in it.
static const char ball[] =
    "billow: 1\nname: ball\ndomain: {size: [0.64, 0.64, 0.64], voxel: 2 cm}\ntime: {frames: 1-2, seed: 7}\n"
    "stages:\n"
    "  - emit: {id: source, frames: 1-1, density: 20, shape: {sphere: {center: [0.02, -0.03, 0.3], radius: 10 cm}}}\n"
    "  - emit: {id: moving, frames: 2-2, density: 0,\n"
    "           shape: {box: {center: [0.1, \"=0.1 + 2.4*t\", 0.5], size: [0.1, 0.2, 0.04]}}}\n"
    "  - tracers: {count: 300, colour: [1, 0.5, 0.25],\n"
    "             shape: {cylinder: {center: [0, 0, 0.2], radius: 5 cm, height: 4 cm}}}\n"
    "  - vorton.emit: {source: {ring: {center: [0, 0, 0.4], radius: 10 cm, core: 2 cm, circulation: 0.01}}}\n"
    "  - vorton.velocity: {}\n  - vorton.advect: {}\n"
    "export:\n  - vdb: {fields: [density]}\n  - ply: {}\n"
    "  - ply: {id: houdini, name: turned, particles: tracers, up: y, scale: 100}\n"
    "  - ply: {id: shown, name: large, particles: tracers, scale: 100, larger: 4, fps: 12}\n";

static int64_t told[2]; ///< points of the running bake: tracers, vortons
static double strongest;

static double strength_most(const struct bw_snapshot_points *p)
{
    double most = 0;
    for (uint32_t a = 0; a < p->n_attributes; a++)
        for (int64_t i = 0; i < p->count && !strcmp(p->attributes[a].name, "strength"); i++) {
            const double *d = p->data[a];
            const float *f = p->data[a];
            double sum = 0;
            for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
                const double x = p->attributes[a].precision == BW_F32 ? (double)f[k] : d[k];
                sum += x * x;
            }
            most = fmax(most, sqrt(sum));
        }
    return most;
}

static void frame_look(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    (void)bake, (void)user;
    CHECK(bw_snapshot_facts(snapshot, &f) == BW_OK && f.n_points == 2);
    for (uint32_t i = 0; f.frame == 2 && i < f.n_points; i++) {
        told[!strcmp(f.points[i].name, "vortons")] = f.points[i].count;
        if (!strcmp(f.points[i].name, "vortons")) strongest = strength_most(&f.points[i]);
    }
}

/// From the front, and from above, the ball is met at its near side; beside it there is nothing.
static void meet(struct bw_cache *cache)
{
    struct bw_snapshot *snapshot = NULL;
    struct bw_view *view = NULL;
    const struct bw_eye front = {{0.02, -5, 0.3}, {0.02, 0, 0.3}, {0, 0, 1}, 0.2};
    const struct bw_eye above = {{0.02, -0.03, 5}, {0.02, -0.03, 0.3}, {0, 1, 0}, 0.2};
    double at[3];
    int32_t met = -1;
    CHECK(bw_cache_frame(cache, 1, &snapshot) == BW_OK && bw_view_open(snapshot, &view) == BW_OK);
    CHECK(bw_view_meet(view, &front, 200, 100, (double[2]){100, 50}, at, &met) == BW_OK && met == BW_MET_GAS);
    CHECK(fabs(at[0] - 0.02) < 1e-6 && fabs(at[1] + 0.13) < 0.02 && fabs(at[2] - 0.3) < 1e-6);
    CHECK(bw_view_meet(view, &above, 200, 100, (double[2]){100, 50}, at, &met) == BW_OK && met == BW_MET_GAS);
    CHECK(fabs(at[0] - 0.02) < 1e-6 && fabs(at[1] + 0.03) < 1e-6 && fabs(at[2] - 0.4) < 0.02);
    // 0.05 m right of the middle, 0.03 above it: half the picture is 4.97 tan(0.1) high
    const double half = 4.9 * tan(0.1);
    const double point[2] = {100 + 50 * 0.05 / half, 50 - 50 * 0.03 / half};
    CHECK(bw_view_meet(view, &front, 200, 100, point, at, &met) == BW_OK && met == BW_MET_GAS);
    CHECK(fabs(at[0] - 0.07) < 0.004 && fabs(at[2] - 0.33) < 0.004);
    CHECK(bw_view_meet(view, &front, 200, 100, (double[2]){3, 50}, at, &met) == BW_OK && met == BW_MET_NOTHING);
    CHECK(bw_view_meet(view, &front, 0, 100, (double[2]){3, 50}, at, &met) == BW_ERR_USAGE);
    CHECK(bw_view_meet(view, &front, 200, 100, NULL, at, &met) == BW_ERR_USAGE);
    bw_view_close(view);
    bw_snapshot_close(snapshot);
}

/// A slice says which cells it shows.
static void layer(struct bw_cache *cache)
{
    struct bw_snapshot *snapshot = NULL;
    struct bw_pixels p = {0};
    CHECK(bw_cache_frame(cache, 1, &snapshot) == BW_OK);
    CHECK(bw_snapshot_picture(snapshot, "{view: slice, axis: z, position: 0.29 m, size: 64}", 0, &p) == BW_OK);
    CHECK(fabs(p.lo[2] - 0.28) < 1e-6 && fabs(p.hi[2] - 0.3) < 1e-6 && p.lo[0] < -0.07 && p.hi[0] > 0.11);
    bw_pixels_free(&p);
    bw_snapshot_close(snapshot);
}

static const struct bw_snapshot_points *points_named(const struct bw_snapshot_facts *f, const char *name)
{
    for (uint32_t i = 0; i < f->n_points; i++)
        if (!strcmp(f->points[i].name, name)) return &f->points[i];
    return NULL;
}

static void points_same(const struct bw_snapshot_points *a, const struct bw_snapshot_points *b)
{
    CHECK(a && b && a->count == b->count && a->n_attributes == b->n_attributes);
    for (uint32_t n = 0; a && b && n < a->n_attributes; n++)
        for (int64_t i = 0; a->attributes[n].precision == BW_F32 && i < a->count * a->attributes[n].comps; i++)
            CHECK(fabs((double)((const float *)a->data[n])[i] - (double)((const float *)b->data[n])[i]) < 1e-6);
}

/// Files for another program's axes and units, and those of a larger and slower picture, are read back as what was
/// baked.
static void points_turned(const struct bw_snapshot_facts *f)
{
    points_same(points_named(f, "tracers"), points_named(f, "turned_tracers"));
    points_same(points_named(f, "tracers"), points_named(f, "large_tracers"));
    char path[4096], head[200] = "";
    snprintf(path, sizeof path, "%s/ply/turned_tracers_0002.ply", work);
    FILE *file = fopen(path, "rb");
    CHECK(file && fread(head, 1, sizeof head - 1, file) && strstr(head, "100 units a metre, y up"));
    if (file) fclose(file);
}

static void points(struct bw_cache *cache)
{
    struct bw_snapshot *snapshot = NULL;
    struct bw_snapshot_facts f = {.size = sizeof f};
    char path[4096];
    CHECK(bw_cache_points(cache, 2, &snapshot) == BW_OK && bw_snapshot_facts(snapshot, &f) == BW_OK);
    points_turned(&f);
    CHECK(f.n_points == 4 && f.n_grids == 0 && f.frame == 2 && told[0] > 100 && told[1] > 10);
    for (uint32_t i = 0; i < f.n_points; i++) {
        const struct bw_snapshot_points *p = &f.points[i];
        const int vortons = !strcmp(p->name, "vortons");
        CHECK((vortons || strstr(p->name, "tracers")) && p->count == told[vortons]);
        CHECK(!strcmp(p->attributes[0].name, "id") && p->attributes[0].precision == BW_I64);
        CHECK(!strcmp(p->attributes[1].name, "pos") && p->attributes[1].comps == 3);
        if (vortons) CHECK(fabs(strength_most(p) - strongest) < 1e-5 * strongest && strongest > 0);
        for (uint32_t a = 0; !vortons && a < p->n_attributes; a++)
            if (!strcmp(p->attributes[a].name, "colour")) CHECK(((const float *)p->data[a])[1] == 0.5f);
    }
    bw_snapshot_close(snapshot);
    CHECK(bw_cache_points(cache, 1000, &snapshot) == BW_OK && bw_snapshot_facts(snapshot, &f) == BW_OK);
    CHECK(f.n_points == 0); // none there
    bw_snapshot_close(snapshot);
    snprintf(path, sizeof path, "%s/ply/ball_tracers_0001.ply", work);
    CHECK(truncate(path, 900) == 0);
    CHECK(bw_cache_points(cache, 1, &snapshot) == BW_ERR_IO && !snapshot);
    CHECK(strstr(bw_error_last()->sentence, "cut short") != NULL);
}

static void outlines(struct bw_bake *bake)
{
    char *first = bw_bake_outlines(bake, 1), *second = bw_bake_outlines(bake, 2);
    CHECK(first && strstr(first, "\"stage\":\"source\"") && strstr(first, "\"kind\":\"sphere\"") &&
          strstr(first, "\"radius\":0.1"));
    CHECK(first && strstr(first, "\"kind\":\"ring\"") && strstr(first, "\"kind\":\"cylinder\""));
    CHECK(first && strstr(first, "\"domains\":[{\"name\":\"main\"") && strstr(first, "-0.32"));
    CHECK(first && second && strstr(first, "[0.1,0.1,0.5]") && strstr(second, "[0.1,0.2,0.5]")); // it moves
    CHECK(first && strstr(first, "\"kind\":\"sphere\",\"on\":true"));
    CHECK(second && strstr(second, "\"kind\":\"sphere\",\"on\":false")); // its frames are over
    CHECK(!bw_bake_outlines(NULL, 1));
    bw_text_free(first);
    bw_text_free(second);
}

static void films(void)
{
    unsigned char memory[3 * 64 * 48];
    struct bw_pixels p = {.width = 64, .height = 48, .channels = 3, .memory = memory}, odd = p;
    struct bw_film *film;
    char path[4096], still[4096];
    snprintf(path, sizeof path, "%s/own.mp4", work);
    snprintf(still, sizeof still, "%s/own.png", work);
    for (size_t i = 0; i < sizeof memory; i++) memory[i] = (unsigned char)(i % 251);
    CHECK(bw_film_open(63, 48, 24, &film) == BW_ERR_USAGE && !film);
    CHECK(bw_film_open(64, 48, 0, &film) == BW_ERR_USAGE);
    CHECK(bw_film_open(64, 48, 24, &film) == BW_OK);
    for (int i = 0; i < 3; i++) CHECK(bw_film_add(film, &p) == BW_OK);
    odd.width = 32;
    CHECK(bw_film_add(film, &odd) == BW_ERR_USAGE);
    CHECK(bw_film_write(film, path) == BW_OK && access(path, F_OK) == 0);
    CHECK(bw_film_write(film, path) == BW_ERR_IO); // never in the place of another one
    bw_film_close(film);
    CHECK(bw_film_add(film, &p) == BW_ERR_USAGE);
    CHECK(bw_pixels_write(&p, still) == BW_OK && access(still, F_OK) == 0);
    CHECK(bw_pixels_write(&p, still) == BW_ERR_IO);
    snprintf(path, sizeof path, "%s/nowhere/own.png", work);
    CHECK(bw_pixels_write(&p, path) == BW_ERR_IO);
    odd.is_float = 1;
    snprintf(path, sizeof path, "%s/odd.png", work);
    CHECK(bw_pixels_write(&odd, path) == BW_ERR_USAGE && access(path, F_OK) != 0);
}

/* ---- two domains as one ---- */

static const char nested[] =
    "billow: 1\nname: nested\ndomains:\n  wide: {size: [0.64, 0.64, 0.96], voxel: 4 cm}\n"
    "  near: {size: [0.32, 0.32, 0.48], voxel: 2 cm}\ntime: {frames: 1-1}\n"
    "stages:\n"
    "  - emit: {id: low, domain: near, density: 2, shape: {sphere: {center: [0, 0, 0.2], radius: 9 cm}}}\n"
    "  - emit: {id: high, domain: wide, density: 2, shape: {sphere: {center: [0, 0, 0.7], radius: 15 cm}}}\n"
    "export:\n  - vdb: {id: a, domain: wide, blend: near, edge: 2}\n"
    "  - vdb: {id: b, domain: near, blend: wide, edge: 2}\n"
    "  - png: {view: render, domain: wide, blend: near, edge: 2, size: 96}\n";

static struct bw_pixels whole; ///< as the bake itself shows it

static void whole_look(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct bw_view *view = NULL;
    struct bw_view_facts f = {.size = sizeof f};
    (void)bake, (void)user;
    CHECK(bw_view_open(snapshot, &view) == BW_OK && bw_view_facts(view, &f) == BW_OK);
    CHECK(f.seen_lo[2] < 0.15 && f.seen_hi[2] > 0.8);
    CHECK(bw_view_picture(view, NULL, 96, 96, 0, &whole) == BW_OK);
    bw_view_close(view);
}

static double apart(const struct bw_pixels *a, const struct bw_pixels *b)
{
    double sum = 0;
    const size_t n = 3 * (size_t)a->width * (size_t)a->height;
    for (size_t i = 0; i < n; i++) sum += abs(((unsigned char *)a->memory)[i] - ((unsigned char *)b->memory)[i]);
    return sum / (double)n;
}

/// The files of one of them show both, whichever is opened.
static void halves(void)
{
    char folder[200], path[300];
    snprintf(folder, sizeof folder, "%s/nested", work);
    struct bw_bake_options o = options_of_puff();
    o.preset = "nested";
    o.text = nested;
    o.out = folder;
    o.on_frame = whole_look;
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == 0);
    for (int i = 0; i < 3; i++) {
        static const char *const which[] = {"", "/vdb/nested_0001.vdb", "/vdb/nested_near_0001.vdb"};
        struct bw_cache *cache = NULL;
        struct bw_snapshot *snapshot = NULL;
        struct bw_view *view = NULL;
        struct bw_pixels p = {0};
        snprintf(path, sizeof path, "%s%s", folder, which[i]);
        CHECK(bw_cache_open(session, path, &cache) == BW_OK && bw_cache_frame(cache, 1, &snapshot) == BW_OK);
        CHECK(bw_view_open(snapshot, &view) == BW_OK && bw_view_picture(view, NULL, 96, 96, 0, &p) == BW_OK);
        CHECK(p.memory && whole.memory && apart(&p, &whole) < 1.5);
        char *text = bw_cache_describe(cache, 0);
        if (!i) CHECK(text && strstr(text, "\"name\": \"nested\"")); // the first domain's
        bw_text_free(text);
        bw_pixels_free(&p);
        bw_view_close(view);
        bw_snapshot_close(snapshot);
        bw_cache_close(cache);
    }
    bw_pixels_free(&whole);
    bw_bake_close(bake);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/billow-inspect-XXXXXX";
    struct bw_cache *cache;
    work = mkdtemp(folder);
    CHECK(work && bw_session_open(NULL, &session) == BW_OK);
    struct bw_bake_options o = options_of_puff();
    o.preset = "ball";
    o.text = ball;
    o.out = work;
    o.on_frame = frame_look;
    struct bw_bake *bake = bake_open(&o);
    outlines(bake);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == 0);
    CHECK(bw_cache_open(session, work, &cache) == BW_OK);
    if (is_wanted("meet", argc, argv)) meet(cache), layer(cache);
    if (is_wanted("points", argc, argv)) points(cache);
    if (is_wanted("films", argc, argv)) films();
    if (is_wanted("halves", argc, argv)) halves();
    bw_cache_close(cache);
    bw_bake_close(bake);
    bw_session_close(session);
    nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || !passed;
}
