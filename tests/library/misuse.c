// SPDX-License-Identifier: Apache-2.0
/* The library in the hands of a host that gets calls, handles and options wrong: each is refused with a sentence, and
 * nothing hangs. Plain main, so that ThreadSanitizer sees it. The last line is "N passed, N failed". */
#include "puff.h"
#include <pthread.h>
#include <string.h>

static struct bw_bake *other;

static void second_frame(struct bw_bake *bake, struct bw_snapshot *s, void *user)
{
    (void)s;
    if (++*(int *)user == 2) CHECK(bw_bake_cancel(bake) == BW_OK);
}

static void naughty_frame(struct bw_bake *bake, struct bw_snapshot *s, void *user)
{
    if (++*(int *)user > 1) return;
    CHECK(bw_bake_wait(bake, -1) == BW_ERR_USAGE && strstr(bw_error_last()->sentence, "callback"));
    CHECK(bw_bake_close(bake) == BW_ERR_USAGE);
    CHECK(bw_bake_start(bake) == BW_ERR_USAGE);
    int frames = 0;
    struct bw_bake_options o = options_of_puff();
    o.user = &frames;
    o.on_frame = second_frame;
    other = bake_open(&o);
    CHECK(bw_bake_start(other) == BW_OK && bw_bake_wait(other, -1) == BW_ERR_CANCELLED && frames == 2);
    CHECK(bw_bake_close(other) == BW_OK);
    bw_snapshot_close(s); // not held: what the callback may do is done
    CHECK(bw_snapshot_hold(s) == BW_ERR_USAGE);
}

/* Two that wait for each other: one of them is told. */
struct pair {
    pthread_barrier_t both;
    struct bw_bake *bake[2];
    _Atomic int refused;
};

static void pair_wait(struct pair *p, int i)
{
    pthread_barrier_wait(&p->both);
    if (bw_bake_wait(p->bake[!i], 10) == BW_ERR_USAGE) {
        p->refused++;
        bw_bake_cancel(p->bake[i]);
    }
}

static void pair_start(struct bw_bake *bake, void *user)
{
    struct pair *p = user;
    pair_wait(p, bake == p->bake[1]);
}

static void circle_check(void)
{
    struct pair p = {.refused = 0};
    struct bw_bake_options o = options_of_puff();
    o.user = &p;
    o.on_start = pair_start;
    pthread_barrier_init(&p.both, NULL, 2);
    p.bake[0] = bake_open(&o);
    p.bake[1] = bake_open(&o);
    CHECK(bw_bake_start(p.bake[0]) == BW_OK && bw_bake_start(p.bake[1]) == BW_OK);
    for (int i = 0; i < 2; i++) {
        int status = bw_bake_wait(p.bake[i], -1);
        CHECK(status == BW_OK || status == BW_ERR_CANCELLED);
    }
    CHECK(p.refused == 1);
    bw_bake_close(p.bake[0]);
    bw_bake_close(p.bake[1]);
    pthread_barrier_destroy(&p.both);
}

static void handles_check(void)
{
    struct bw_bake_options o = options_of_puff();
    struct bw_bake *bake = NULL;
    struct bw_session *second;
    struct bw_cache *cache;
    struct bw_bake_facts f = {.size = sizeof f};
    CHECK(bw_session_open(NULL, NULL) == BW_ERR_USAGE);
    CHECK(bw_session_open(NULL, &second) == BW_OK);
    CHECK(bw_bake_open(second, &o, &bake) == BW_OK);
    bw_session_close(second); // goes with the bake
    CHECK(!bw_session_list(second) && bw_error_last()->status == BW_ERR_USAGE);
    CHECK(strstr(bw_error_last()->sentence, "closed"));
    CHECK(bw_bake_facts((struct bw_bake *)session, &f) == BW_ERR_USAGE &&
          strstr(bw_error_last()->sentence, "another kind"));
    CHECK(bw_bake_facts(NULL, &f) == BW_ERR_USAGE && bw_bake_facts(bake, NULL) == BW_ERR_USAGE);
    f.size = 0;
    CHECK(bw_bake_facts(bake, &f) == BW_ERR_USAGE && strstr(bw_error_last()->sentence, "size"));
    CHECK(bw_bake_wait(bake, 0) == BW_ERR_USAGE && strstr(bw_error_last()->sentence, "never started"));
    CHECK(bw_bake_close(bake) == BW_OK && bw_bake_close(bake) == BW_ERR_USAGE && bw_bake_close(NULL) == BW_OK);
    CHECK(bw_bake_start(bake) == BW_ERR_USAGE && bw_bake_cancel(bake) == BW_ERR_USAGE && !bw_bake_describe(bake));
    CHECK(bw_bake_start((struct bw_bake *)&other) == BW_ERR_USAGE &&
          bw_bake_start((struct bw_bake *)-1) == BW_ERR_USAGE);
    CHECK(bw_cache_open(session, "nowhere", &cache) == BW_ERR_IO && !cache);
    CHECK(bw_cache_open(session, NULL, &cache) == BW_ERR_USAGE && bw_cache_open(session, "x", NULL) == BW_ERR_USAGE);
    CHECK(!bw_session_describe(session, NULL) && !bw_session_describe(session, "mac.projct"));
    CHECK(strstr(bw_error_last()->sentence, "did you mean mac.project"));
    bw_snapshot_close(NULL);
    bw_cache_close(NULL);
    bw_session_close(NULL);
    bw_text_free(NULL);
    bw_pixels_free(NULL);
}

static void options_check(void)
{
    struct bw_bake *bake;
    struct bw_bake_options o = options_of_puff();
    const char *set[] = {"stages.mac.forces.bouyancy=2", NULL};
    CHECK(bw_bake_open(session, NULL, &bake) == BW_ERR_USAGE && !bake &&
          bw_bake_open(session, &o, NULL) == BW_ERR_USAGE);
    o.n_set = 1;
    CHECK(bw_bake_open(session, &o, &bake) == BW_ERR_USAGE);
    o.set = set;
    CHECK(bw_bake_open(session, &o, &bake) == BW_ERR_PRESET && strstr(bw_error_last()->sentence, "buoyancy"));
    o.n_set = 2;
    CHECK(bw_bake_open(session, &o, &bake) == BW_ERR_USAGE);
    o.n_set = 0;
    o.memory = "lots";
    CHECK(bw_bake_open(session, &o, &bake) == BW_ERR_USAGE && strstr(bw_error_last()->sentence, "lots"));
    o.memory = NULL;
    o.simd = "avx1024";
    CHECK(bw_bake_open(session, &o, &bake) == BW_ERR_USAGE);
    o.simd = NULL;
    o.mode = 9;
    CHECK(bw_bake_open(session, &o, &bake) == BW_ERR_USAGE);
    o = options_of_puff();
    o.text = "billow: 1\nname: bad\ndomain: {size: [1, 1, 1], voxel: 10 cm}\nstages:\n  - mac.projct: {}\n";
    CHECK(bw_bake_open(session, &o, &bake) == BW_ERR_PRESET);
    const struct bw_error *e = bw_error_last();
    CHECK(e->line == 5 && e->column > 1 && e->file && e->count == 1 && strstr(e->text, "^"));
}

static void calls_check(void)
{
    int frames = 0;
    struct bw_bake_options o = options_of_puff();
    o.user = &frames;
    o.on_frame = naughty_frame;
    struct bw_bake *bake = bake_open(&o);
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_start(bake) == BW_ERR_USAGE);
    CHECK(bw_bake_wait(bake, -1) == BW_OK && frames == 8);
    CHECK(bw_bake_start(bake) == BW_ERR_USAGE);
    bw_bake_close(bake);
    bake = bake_open(&o); // closed while it runs
    CHECK(bw_bake_start(bake) == BW_OK && bw_bake_close(bake) == BW_OK);
    o.on_frame = NULL;
    bake = bake_open(&o); // cancelled before it starts
    CHECK(bw_bake_cancel(bake) == BW_OK && bw_bake_start(bake) == BW_OK && bw_bake_wait(bake, -1) == BW_ERR_CANCELLED);
    bw_bake_close(bake);
}

int main(void)
{
    CHECK(bw_session_open(NULL, &session) == BW_OK && !*bw_error_last()->text);
    handles_check();
    options_check();
    calls_check();
    circle_check();
    bw_session_close(session);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
