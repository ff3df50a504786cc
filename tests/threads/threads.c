// SPDX-License-Identifier: Apache-2.0
/* What threads, in a plain program, so that ThreadSanitizer sees every edge: workers, teams, the tile pool, and a whole
 * chain on three threads whose frames a writer thread exports while the next one is made. */
#include "base/memory/account.h"
#include "grid/grid.h"
#include "support.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(int good, const char *what)
{
    if (good) return;
    failures++;
    fprintf(stderr, "threads: %s\n", what);
}

/* ---- workers ---- */

struct tally {
    int64_t hit[1000];
    int64_t rank_sum[64];
    int64_t slot[64];
};

static void hit_one(int64_t i, uint32_t worker, void *user)
{
    (void)worker;
    ((struct tally *)user)->hit[i]++;
}

static void team_run(struct bw_team *t, void *user)
{
    struct tally *y = user;
    for (int round = 0; round < 8; round++) {
        y->slot[t->rank] = round + t->rank;
        t->barrier(t);
        int64_t sum = 0;
        for (uint32_t i = 0; i < t->size; i++) sum += y->slot[i];
        y->rank_sum[t->rank] = sum;
        t->barrier(t);
    }
}

static void workers_stress(void)
{
    for (uint32_t n = 1; n <= 5; n++) {
        struct bw_workers *w = bw_workers_create(n);
        struct tally *y = calloc(1, sizeof *y);
        for (int round = 0; round < 30; round++) {
            bw_workers_for(w, round % 7 ? 1000 : round % 3, hit_one, y);
            bw_workers_team(w, team_run, y);
        }
        check(y->hit[999] == 25, "a parallel loop lost a turn");
        for (uint32_t i = 0; i < n; i++)
            check(y->rank_sum[i] == 7 * (int64_t)n + n * (n - 1) / 2, "a barrier let somebody through");
        bw_workers_destroy(w);
        free(y);
    }
}

/* ---- pool: blocks taken, shared and given back by all at once ---- */

static struct bw_pool *pool;

static void *pool_churn(void *arg)
{
    uint64_t seed = (uintptr_t)arg;
    unsigned char *held[40] = {0};
    for (int i = 0; i < 3000; i++) {
        uint32_t k = (uint32_t)(bw_rng(seed, (uint64_t)i) % 40);
        if (held[k]) {
            check(held[k][0] == k && held[k][4095] == (unsigned char)seed, "a block was given out twice");
            if (i % 3 == 0) bw_pool_ref(held[k]), bw_pool_unref(held[k]);
            bw_pool_unref(held[k]);
            held[k] = NULL;
            continue;
        }
        held[k] = bw_pool_get(pool);
        if (!held[k]) continue;
        check(!bw_pool_shared(held[k]), "a fresh block is shared");
        memset(held[k], (int)k, 4095);
        held[k][4095] = (unsigned char)seed;
    }
    for (int k = 0; k < 40; k++) bw_pool_unref(held[k]);
    return NULL;
}

static void pool_stress(void)
{
    pthread_t t[4];
    int64_t before = bw_pool_bytes();
    struct bw_account *account = bw_account_open(), *before_it = bw_account_use(account);
    pool = bw_pool_create(1 << 18);
    bw_account_use(before_it);
    for (uintptr_t i = 0; i < 4; i++) pthread_create(&t[i], NULL, pool_churn, (void *)(i + 1));
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    bw_pool_destroy(pool);
    check(bw_pool_bytes() == before && !bw_account_bytes(account), "chunks did not come back");
    bw_account_close(account);
}

/* ---- a whole chain with its writer ---- */

static uint64_t chain_hash_on(uint32_t threads, const char *out)
{
    static const char yaml[] =
        "billow: 1\nname: t\ndomain: {size: [20, 20, 36], voxel: 1, sides: {bottom: closed, rest: open}}\n"
        "time: {fps: 10, frames: 1-5, substeps: 2}\n"
        "stages:\n"
        "  - emit: {mode: max, density: 1, temperature: \"=50 + t\", shape: {sphere: {center: [0, 0, 6], "
        "radius: \"=3 + 0.5*t\"}}}\n"
        "  - collide: {shape: {sphere: {center: [0, 0, 14], radius: 3}}}\n"
        "  - mac.advect: {}\n"
        "  - mac.forces: {buoyancy: 1, confinement: 0.2}\n"
        "  - mac.project: {tolerance: 1e-2}\n"
        "  - stats: {}\n"
        "export:\n"
        "  - vdb: {fields: [density, vel]}\n"
        "  - png: {}\n";
    struct test_run r = test_start(yaml, &(struct test_options){.threads = threads, .simd = UINT32_MAX, .out = out});
    check(r.status == BW_OK, r.diag.text ? r.diag.text : "the chain failed");
    uint64_t h = r.status == BW_OK ? test_hash(&r, "density") ^ test_hash(&r, "vel") : 0;
    test_end(&r);
    return h;
}

int main(void)
{
    workers_stress();
    pool_stress();
    char out[] = "/tmp/billow-threads-XXXXXX", command[64];
    check(mkdtemp(out) != NULL, "no folder");
    int64_t live = bw_alloc_live();
    uint64_t one = chain_hash_on(1, NULL), three = chain_hash_on(3, out);
    check(one && one == three, "1 and 3 threads give other bits");
    check(bw_alloc_live() == live, "allocations were lost");
    snprintf(command, sizeof command, "rm -rf '%s'", out);
    check(!system(command), "no clean end");
    return failures != 0;
}
