// SPDX-License-Identifier: Apache-2.0
/* bw_bake_set_values: values of a running bake, changed between two steps. Prints "N passed, N failed".
 *     live [CASE…] */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */
#include "host.h"

#include <stdlib.h>
#include <unistd.h>

/// A puff; %s: its heat, then its lift. One step a frame.
static const char gust[] =
    "billow: 1\nname: gust\ndomain: {size: [0.32, 0.32, 0.64], voxel: 2 cm%s}\n"
    "time: {frames: 1-12, seed: 7, fps: 24, dt: 1}\nstages:\n"
    "  - mac.advect: {scheme: %s}\n"
    "  - emit: {shape: {sphere: {center: [0, 0, 0.1], radius: 6 cm}}, density: 1, temperature: %s}\n"
    "  - mac.forces: {buoyancy: %s}\n  - mac.project: {}\n%s";

struct words {
    const char *domain, *scheme, *heat, *lift, *more;
};
static const struct words plain = {"", "maccormack", "100", "1", ""};

static void text_of(const struct words *w, char out[1200])
{
    snprintf(out, 1200, gust, w->domain, w->scheme, w->heat, w->lift, w->more);
}

static struct bw_bake *gust_open(const struct words *w, const struct bw_bake_options *own)
{
    char text[1200];
    struct bw_bake_options o = own ? *own : options_of_puff();
    text_of(w, text);
    o.preset = "gust";
    o.text = text;
    o.threads = 2;
    return bake_open(&o);
}

/// Of the last frame: the sum of all density and of its height.
struct sums {
    double amount, height;
};

static struct sums sums_of(struct bw_snapshot *snapshot)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    struct sums out = {0};
    CHECK(bw_snapshot_facts(snapshot, &f) == BW_OK);
    for (uint32_t g = 0; g < f.n_grids; g++) {
        const struct bw_snapshot_grid *d = &f.grids[g];
        if (strcmp(d->name, "density") != 0) continue;
        const size_t n = (size_t)d->n[0] * (size_t)d->n[1] * (size_t)d->n[2];
        float *cell = calloc(n + 1, sizeof *cell);
        const struct bw_box box = {{d->lo[0], d->lo[1], d->lo[2]}, {d->n[0], d->n[1], d->n[2]}};
        CHECK(cell && bw_snapshot_read(snapshot, g, 0, &box, 0, cell) == BW_OK);
        for (size_t i = 0; cell && i < n; i++) {
            out.amount += (double)cell[i];
            out.height += (double)cell[i] * (double)(i / ((size_t)d->n[0] * (size_t)d->n[1]) + (size_t)d->lo[2]);
        }
        free(cell);
    }
    return out;
}

enum { CHANGED = 5 }; ///< after this frame

struct run {
    struct words next; ///< values from CHANGED on; heat NULL: none
    struct sums last;
    int frames, status;
    char said[400];
};

static void on_frame(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct run *r = user;
    struct bw_snapshot_facts f = {.size = sizeof f};
    r->frames++;
    r->last = sums_of(snapshot);
    if (bw_snapshot_facts(snapshot, &f) || f.frame != CHANGED || !r->next.heat) return;
    struct bw_bake *values = gust_open(&r->next, NULL);
    r->status = (int)bw_bake_set_values(bake, values);
    snprintf(r->said, sizeof r->said, "%s", bw_error_last()->sentence);
    bw_bake_close(values); // it may be closed at once
}

static void run(struct run *r, const struct words *w)
{
    const struct bw_bake_options o = {.size = sizeof o, .user = r, .on_frame = on_frame};
    struct bw_bake *bake = gust_open(w, &o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK && r->frames == 12);
    bw_bake_close(bake);
}

static int equal(const struct sums *a, const struct sums *b)
{
    return a->amount == b->amount && a->height == b->height;
}

/// A change is what keyframes that hold would have been, to the bit; a constant and a curve both.
static void changes(void)
{
    static const struct words keyed = {"", "maccormack", "100", "{keys: {1: 1, 5.5: 3}, ease: hold}", ""};
    struct run lift = {.next = {"", "maccormack", "100", "3", ""}}, never = {0}, known = {0};
    struct run curve = {.next = {"", "maccormack", "100", "\"=3 + 0*t\"", ""}};
    struct run heat = {.next = {"", "maccormack", "900", "1", ""}};
    run(&lift, &plain);
    run(&never, &plain);
    run(&known, &keyed);
    run(&curve, &plain);
    run(&heat, &plain);
    CHECK(lift.status == BW_OK && lift.last.amount > 0 && !equal(&lift.last, &never.last));
    CHECK(equal(&lift.last, &known.last));
    CHECK(equal(&lift.last, &curve.last));
    CHECK(heat.status == BW_OK && !equal(&heat.last, &never.last) && !equal(&heat.last, &lift.last));
}

/// What can't change says so, and the run goes on as if nothing had been asked.
static void refusals(void)
{
    static const struct {
        struct words next;
        const char *said;
    } wrong[] = {
        {{"", "semi-lagrangian", "100", "1", ""}, "mac.advect.scheme can't change while it runs"},
        {{", sides: {rest: closed}", "maccormack", "100", "1", ""}, "domain can't change while it runs"},
        {{"", "maccormack", "100, frames: 1-8", "1", ""}, "emit.frames can't change while it runs"},
        {{"", "maccormack", "100, fuel: 1", "1", ""}, "emit.fields can't change while it runs"},
        {{"", "maccormack", "100", "1", "  - mac.project: {id: again}\n"},
         "stages can't be added, removed or moved while it runs"},
    };
    struct run never = {0};
    run(&never, &plain);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct run r = {.next = wrong[i].next};
        run(&r, &plain);
        CHECK(r.status == BW_ERR_USAGE && !strcmp(r.said, wrong[i].said));
        if (strcmp(r.said, wrong[i].said) != 0) fprintf(stderr, "   it said: %s\n", r.said);
        CHECK(equal(&r.last, &never.last));
    }
}

static char said[400];

static void on_frame_misused(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct bw_bake *values = user;
    (void)snapshot;
    if (*said) return;
    CHECK(bw_bake_set_values(bake, bake) == BW_ERR_USAGE);
    CHECK(bw_bake_set_values(bake, values) == BW_OK);
    CHECK(bw_bake_set_values(bake, values) == BW_ERR_USAGE); // it has given them
    snprintf(said, sizeof said, "%s", bw_error_last()->sentence);
}

static void misuse(void)
{
    struct bw_bake *values = gust_open(&plain, NULL), *other = gust_open(&plain, NULL);
    struct bw_bake_options o = {.size = sizeof o, .user = values, .on_frame = on_frame_misused};
    struct bw_bake *bake = gust_open(&plain, &o);
    CHECK(bw_bake_set_values(bake, other) == BW_ERR_USAGE); // it does not run
    CHECK(bw_bake_set_values(NULL, other) == BW_ERR_USAGE && bw_bake_set_values(bake, NULL) == BW_ERR_USAGE);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK);
    CHECK(strstr(said, "values come from a bake"));
    CHECK(bw_bake_set_values(bake, other) == BW_ERR_USAGE); // it has ended
    bw_bake_close(bake);
    bw_bake_close(values);
    o.out = work;
    o.user = other;
    said[0] = 'x';
    bake = gust_open(&plain, &o);
    CHECK(bw_bake_start(bake) == BW_OK);
    CHECK(bw_bake_set_values(bake, other) == BW_ERR_USAGE); // it writes files
    CHECK(bw_bake_wait(bake, -1) == BW_OK);
    bw_bake_close(bake);
    bw_bake_close(other);
}

/// Frames before the first are shown where that is asked for.
static void warmup_frames(void)
{
    struct run with = {0}, without = {0};
    static const char *const set[] = {"time.warmup=3"};
    for (int i = 0; i < 2; i++) {
        const struct bw_bake_options o = {.size = sizeof o,
                                          .user = i ? &with : &without,
                                          .on_frame = on_frame,
                                          .set = set,
                                          .n_set = 1,
                                          .warmup = (uint32_t)i};
        struct bw_bake *bake = gust_open(&plain, &o);
        CHECK(bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_OK);
        bw_bake_close(bake);
    }
    CHECK(without.frames == 12 && with.frames == 15);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/billow-live-XXXXXX", out[64];
    if (!mkdtemp(folder) || bw_session_open(NULL, &session)) return 2;
    snprintf(out, sizeof out, "%s/out", folder);
    work = out;
    if (is_wanted("changes", argc, argv)) changes();
    if (is_wanted("refusals", argc, argv)) refusals();
    if (is_wanted("misuse", argc, argv)) misuse();
    if (is_wanted("warmup", argc, argv)) warmup_frames();
    bw_session_close(session);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
