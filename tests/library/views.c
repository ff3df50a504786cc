// SPDX-License-Identifier: Apache-2.0
/* Views: what one sees is what the movie shows, from where the movie is taken and from elsewhere. Prints
 * "N passed, N failed".
 *     views [CASE…] */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */
#include "host.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static int same(const struct bw_pixels *a, const struct bw_pixels *b)
{
    return a->memory && b->memory && a->width == b->width && a->height == b->height &&
           !memcmp(a->memory, b->memory, 3 * (size_t)a->width * (size_t)a->height);
}

/// Mean difference of two pictures of one size, in steps of 255.
static double apart(const struct bw_pixels *a, const struct bw_pixels *b)
{
    const unsigned char *p = a->memory, *q = b->memory;
    const size_t n = 3 * (size_t)a->width * (size_t)a->height;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += abs(p[i] - q[i]);
    return sum / (double)n;
}

/// A picture of the bake's own camera equals the one that its exporters make, byte for byte.
static void own_camera(struct bw_view *view, struct bw_snapshot *snapshot, const char *look)
{
    struct bw_view_facts f = {.size = sizeof f};
    struct bw_pixels own = {0}, shown = {0};
    CHECK(bw_view_facts(view, &f) == BW_OK && f.renders && f.width > 0 && f.bytes > 0);
    CHECK(bw_snapshot_picture(snapshot, look, 0, &own) == BW_OK);
    CHECK(own.width == f.width && own.height == f.height);
    CHECK(bw_view_picture(view, NULL, f.width, f.height, 0, &shown) == BW_OK);
    CHECK(same(&own, &shown));
    bw_pixels_free(&own);
    bw_pixels_free(&shown);
}

/// The eye that the facts tell is that camera; another one sees something else; wide cells nearly the same,
/// `near`: smoke that is thick within a cell gets a softer edge.
static void other_cameras(struct bw_view *view, double near)
{
    struct bw_view_facts f = {.size = sizeof f};
    struct bw_pixels own = {0}, told = {0}, turned = {0}, coarse = {0};
    CHECK(bw_view_facts(view, &f) == BW_OK);
    CHECK(bw_view_picture(view, NULL, 120, 120, 0, &own) == BW_OK && own.width == 120);
    CHECK(bw_view_picture(view, &f.eye, 120, 120, 0, &told) == BW_OK && apart(&own, &told) < 0.5);
    struct bw_eye eye = {.target = {0, 0, 0.2}, .at = {0, 2, 0.3}, .up = {0, 0, 1}, .angle = 0.5};
    CHECK(bw_view_picture(view, &eye, 120, 120, 0, &turned) == BW_OK && apart(&own, &turned) > 2);
    CHECK(bw_view_picture(view, NULL, 120, 120, 1, &coarse) == BW_OK);
    CHECK(!same(&own, &coarse) && apart(&own, &coarse) < near);
    bw_pixels_free(&own);
    bw_pixels_free(&told);
    bw_pixels_free(&turned);
    bw_pixels_free(&coarse);
}

static void refusals(struct bw_view *view)
{
    struct bw_pixels out;
    struct bw_view_facts short_one = {.size = 0};
    struct bw_eye eye = {.target = {0, 0, 1}, .at = {0, 0, 1}, .up = {0, 0, 1}, .angle = 0.5};
    CHECK(bw_view_picture(view, &eye, 64, 64, 0, &out) == BW_ERR_USAGE && !out.memory); // where it looks to
    eye.at[2] = 3;
    CHECK(bw_view_picture(view, &eye, 64, 64, 0, &out) == BW_ERR_USAGE); // up is where it looks
    eye.up[0] = 1;
    CHECK(bw_view_picture(view, &eye, 64, 64, 0, &out) == BW_OK);
    bw_pixels_free(&out);
    eye.angle = NAN;
    CHECK(bw_view_picture(view, &eye, 64, 64, 0, &out) == BW_ERR_USAGE);
    eye.angle = 0.5;
    eye.at[0] = INFINITY;
    CHECK(bw_view_picture(view, &eye, 64, 64, 0, &out) == BW_ERR_USAGE);
    CHECK(bw_view_picture(view, NULL, 4, 64, 0, &out) == BW_ERR_USAGE);
    CHECK(bw_view_picture(view, NULL, 64, 1 << 20, 0, &out) == BW_ERR_USAGE);
    CHECK(bw_view_picture(view, NULL, 64, 64, 0, NULL) == BW_ERR_USAGE);
    CHECK(bw_view_facts(view, &short_one) == BW_ERR_USAGE);
    CHECK(bw_view_open(NULL, &view) == BW_ERR_USAGE && !view);
}

/// Values over a look, as `billow preview --set` takes them: over a bake's own and over another one's.
static void values_over(struct bw_snapshot *snapshot, struct bw_bake *look)
{
    static const char *const bright[] = {"look.exposure=4"}, *const wrong[] = {"look.exposur=1"},
                             *const low[] = {"look.exposure=-1"}, *const none[] = {"exposure=1"};
    struct bw_view *own = NULL, *brighter = NULL, *bad;
    struct bw_pixels a = {0}, b = {0};
    CHECK(bw_view_open_as(snapshot, look, NULL, 0, &own) == BW_OK);
    CHECK(bw_view_open_as(snapshot, look, bright, 1, &brighter) == BW_OK);
    CHECK(bw_view_picture(own, NULL, 120, 120, 0, &a) == BW_OK);
    CHECK(bw_view_picture(brighter, NULL, 120, 120, 0, &b) == BW_OK && apart(&a, &b) > 5);
    CHECK(bw_view_open_as(snapshot, look, wrong, 1, &bad) == BW_ERR_PRESET && !bad);
    CHECK(strstr(bw_error_last()->text, "did you mean \"exposure\"") != NULL);
    CHECK(bw_view_open_as(snapshot, look, low, 1, &bad) == BW_ERR_PRESET && !bad);
    CHECK(bw_view_open_as(snapshot, look, none, 1, &bad) == BW_ERR_PRESET && !bad);
    CHECK(bw_view_open_as(snapshot, look, NULL, 1, &bad) == BW_ERR_USAGE && !bad);
    CHECK(bw_view_open_as(snapshot, look, bright, -1, &bad) == BW_ERR_USAGE && !bad);
    bw_pixels_free(&a);
    bw_pixels_free(&b);
    bw_view_close(own);
    bw_view_close(brighter);
}

static struct bw_view *kept;

static void frame_look(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    (void)bake;
    (void)user;
    if (bw_snapshot_facts(snapshot, &f) || f.frame != 8) return;
    CHECK(bw_view_open(snapshot, &kept) == BW_OK);
    own_camera(kept, snapshot, "view: render");
    values_over(snapshot, NULL);
}

/// Of a running bake; the view stays when bake and snapshot are gone.
static void running(void)
{
    struct bw_bake_options o = options_of_puff();
    static const char *const finer[] = {"domain.voxel=1 cm"};
    o.set = finer;
    o.n_set = 1;
    o.out = work;
    o.on_frame = frame_look;
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == 0);
    CHECK(bw_bake_close(bake) == BW_OK);
    other_cameras(kept, 4.5);
    struct bw_view *view = kept;
    refusals(view);
    bw_view_close(view);
    struct bw_view_facts f = {.size = sizeof f};
    CHECK(bw_view_facts(view, &f) == BW_ERR_USAGE);
}

/// The same smoke as another bake's pictures would show it: of files and of a running bake.
static void other_looks(void)
{
    static const char *const dark[] = {"export=[{png: {view: render, exposure: 0.25, size: 120}}]"};
    struct bw_bake_options o = options_of_puff();
    struct bw_cache *cache;
    struct bw_snapshot *snapshot = NULL;
    struct bw_view *own = NULL, *other = NULL;
    struct bw_view_facts f = {.size = sizeof f};
    struct bw_pixels bright = {0}, darker = {0};
    o.set = dark;
    o.n_set = 1;
    struct bw_bake *look = bake_open(&o);
    CHECK(bw_cache_open(session, work, &cache) == BW_OK && bw_cache_frame(cache, 7, &snapshot) == BW_OK);
    CHECK(bw_view_open_as(snapshot, NULL, NULL, 0, &own) == BW_OK &&
          bw_view_open_as(snapshot, look, NULL, 0, &other) == BW_OK);
    CHECK(bw_view_facts(other, &f) == BW_OK && f.height == 120);
    CHECK(bw_view_picture(own, &f.eye, 120, 120, 0, &bright) == BW_OK);
    CHECK(bw_view_picture(other, &f.eye, 120, 120, 0, &darker) == BW_OK && apart(&bright, &darker) > 5);
    values_over(snapshot, NULL);
    values_over(snapshot, look);
    CHECK(bw_bake_close(look) == BW_OK);
    struct bw_view *none;
    CHECK(bw_view_open_as(snapshot, look, NULL, 0, &none) == BW_ERR_USAGE && !none); // it is closed
    bw_pixels_free(&bright);
    bw_pixels_free(&darker);
    bw_view_close(own);
    bw_view_close(other);
    bw_snapshot_close(snapshot);
    bw_cache_close(cache);
}

/// A camera that goes round is where the frame has it.
static void goes_round(void)
{
    static const char *const round[] = {"export=[{png: {view: render, camera: {orbit: 1}}}]"};
    struct bw_bake_options o = options_of_puff();
    struct bw_cache *cache;
    struct bw_eye eye[2];
    o.set = round;
    o.n_set = 1;
    struct bw_bake *look = bake_open(&o);
    CHECK(bw_cache_open(session, work, &cache) == BW_OK);
    for (int i = 0; i < 2; i++) {
        struct bw_view_facts f = {.size = sizeof f};
        struct bw_snapshot *snapshot = NULL;
        struct bw_view *view = NULL;
        CHECK(bw_cache_frame(cache, i ? 7 : 2, &snapshot) == BW_OK);
        CHECK(bw_view_open_as(snapshot, look, NULL, 0, &view) == BW_OK && bw_view_facts(view, &f) == BW_OK);
        eye[i] = f.eye;
        bw_view_close(view);
        bw_snapshot_close(snapshot);
    }
    CHECK(hypot(eye[0].at[0] - eye[1].at[0], eye[0].at[1] - eye[1].at[1]) > 0.5);
    CHECK(fabs(eye[0].at[2] - eye[1].at[2]) < 1e-6);
    bw_bake_close(look);
    bw_cache_close(cache);
}

/// Of the files that it wrote.
static void files(void)
{
    struct bw_cache *cache;
    struct bw_snapshot *snapshot = NULL;
    struct bw_view *view = NULL;
    char path[4096];
    CHECK(bw_cache_open(session, work, &cache) == BW_OK);
    CHECK(bw_cache_frame(cache, 8, &snapshot) == BW_OK && bw_view_open(snapshot, &view) == BW_OK);
    own_camera(view, snapshot, NULL);
    other_cameras(view, 30);
    bw_view_close(view);
    other_looks();
    goes_round();
    snprintf(path, sizeof path, "%s/vdb/puff_0008.vdb", work);
    CHECK(remove(path) == 0);
    CHECK(bw_view_open(snapshot, &view) == BW_ERR_IO && !view);
    bw_snapshot_close(snapshot);
    bw_cache_close(cache);
}

static void flat_look(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct bw_view *view = NULL;
    struct bw_view_facts f = {.size = sizeof f};
    struct bw_pixels out;
    (void)bake;
    (void)user;
    CHECK(bw_view_open(snapshot, &view) == BW_OK && bw_view_facts(view, &f) == BW_OK);
    CHECK(!f.renders && f.hi[0] > f.lo[0]);
    CHECK(bw_view_picture(view, NULL, 64, 64, 0, &out) == BW_ERR_USAGE);
    bw_view_close(view);
}

/// One cell thick: slices show it.
static void flat(void)
{
    static const char text[] = "billow: 1\nname: flat\ndomain: {size: [1, 0.1, 1], voxel: 0.1}\ntime: {frames: 1-1}\n"
                               "stages:\n  - mac.advect: {}\n"
                               "  - emit: {shape: {sphere: {center: [0, 0, 0.5], radius: 0.3}}, density: 1}\n"
                               "  - mac.project: {}\n";
    struct bw_bake_options o = {.size = sizeof o, .preset = "flat", .text = text, .threads = 1, .on_frame = flat_look};
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == 0);
    CHECK(bw_bake_close(bake) == BW_OK);
}

/// What of a picture is brighter than half.
static double light(const struct bw_pixels *p)
{
    const unsigned char *b = p->memory;
    double sum = 0;
    for (size_t i = 0; i < 3 * (size_t)p->width * (size_t)p->height; i++) sum += b[i] > 128 ? b[i] - 128 : 0;
    return sum;
}

static void flame_look(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct bw_pixels fine = {0}, coarse = {0};
    struct bw_snapshot_facts f = {.size = sizeof f};
    struct bw_view *view = NULL;
    (void)bake;
    (void)user;
    if (bw_snapshot_facts(snapshot, &f) || f.frame != 2) return;
    CHECK(bw_view_open(snapshot, &view) == BW_OK);
    CHECK(bw_view_picture(view, NULL, 120, 120, 0, &fine) == BW_OK && light(&fine) > 1000);
    CHECK(bw_view_picture(view, NULL, 120, 120, 1, &coarse) == BW_OK && light(&coarse) > .5 * light(&fine));
    fprintf(stderr, "flame: light %g, in wide cells %g\n", light(&fine), light(&coarse));
    bw_pixels_free(&fine);
    bw_pixels_free(&coarse);
    bw_view_close(view);
}

/// A flame of a cell or two still burns in cells twice as wide.
static void flame(void)
{
    static const char text[] =
        "billow: 1\nname: flame\nlook: {mood: fire, fire: 20}\n"
        "domain: {cells: [24, 24, 24], voxel: 1 cm}\ntime: {frames: 1-2}\nstages:\n"
        "  - set: {id: burns, field: flame, value: 1, keep: true, box: {lo: [0, 0, 0.08], hi: [0.01, 0.01, 0.16]}}\n"
        "  - set: {id: hot, field: temperature, value: 1500, box: {lo: [0, 0, 0.08], hi: [0.01, 0.01, 0.16]}}\n";
    struct bw_bake_options o = {
        .size = sizeof o, .preset = "flame", .text = text, .threads = 1, .on_frame = flame_look};
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == 0);
    CHECK(bw_bake_close(bake) == BW_OK);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/billow-views-XXXXXX";
    work = mkdtemp(folder);
    CHECK(work && bw_session_open(NULL, &session) == BW_OK);
    if (is_wanted("bakes", argc, argv)) running(), files();
    if (is_wanted("flat", argc, argv)) flat();
    if (is_wanted("flame", argc, argv)) flame();
    bw_session_close(session);
    nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || !passed;
}
