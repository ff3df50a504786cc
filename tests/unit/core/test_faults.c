// SPDX-License-Identifier: Apache-2.0
/* Every allocation that the core makes fails in turn: preset, chain, run, export. Wanted each time: a status, a
 * sentence, nothing lost from memory, nothing half-written under its final name; and where a run gets over the failure,
 * the very same bits. BILLOW_SLOW=1 walks through all of them, else a stride keeps the walk short. */
#include "grid/grid.h"
#include "support.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "billow: 1\nname: f\n"
#define SMOKE                                                                                                          \
    HEAD "domain: {size: [16, 16, 40], voxel: 1, sides: {bottom: closed, rest: open}}\n"                               \
         "time: {fps: 10, frames: 1-3, substeps: 1}\n"                                                                 \
         "stages:\n"                                                                                                   \
         "  - emit: {mode: max, density: 1, temperature: \"=50 + t\", shape: {sphere: {center: [0, 0, 6], "            \
         "radius: 3}}}\n"                                                                                              \
         "  - collide: {shape: {sphere: {center: [0, 0, 12], radius: 3}}}\n"                                           \
         "  - mac.advect: {}\n"                                                                                        \
         "  - mac.forces: {buoyancy: 1}\n"                                                                             \
         "  - mac.project: {tolerance: 1e-2}\n"                                                                        \
         "  - stats: {}\n"
#define GRAINS                                                                                                         \
    HEAD "domain: {size: [20, 16, 16], voxel: 1}\ntime: {fps: 10, frames: 1-3, substeps: 1}\n"                         \
         "stages:\n  - f.grains: {}\n"

/* ---- particles, scratch and metrics in one stage ---- */

static const struct bw_attribute attributes[] = {{"pos", BW_F32, 3, "m"}};
static const struct bw_port grain_ports[] = {
    {.name = "grains",
     .kind = BW_PARTICLES,
     .access = BW_UPDATE,
     .doc = "Grains.",
     .attributes = attributes,
     .n_attributes = 1},
    {.name = "density", .kind = BW_SCALAR, .access = BW_WRITE, .unit = "1", .doc = "How many."}};

static void count_body(const struct bw_block *b, void *user)
{
    struct bw_stage *s = user;
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    const float *pos = api->attribute(s->ports[0].particles, "pos");
    int32_t *count = s->host->body_scratch(b, (size_t)b->n[0] * sizeof *count);
    if (!count) return;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            memset(count, 0, (size_t)b->n[0] * sizeof *count);
            for (uint32_t r = 0; r < b->n_particles; r++)
                for (int64_t q = b->particles[r].begin; q < b->particles[r].end; q++) {
                    int at[3];
                    for (int a = 0; a < 3; a++)
                        at[a] = (int)((pos[3 * q + a] - b->grid->origin[a]) / b->grid->h) - b->lo[a];
                    if (at[0] >= 0 && at[0] < b->n[0] && at[1] == j && at[2] == k) count[at[0]]++;
                }
            for (int i = 0; i < b->n[0]; i++)
                bw_f32(&b->view[0], 0)[i + j * b->view[0].sy + k * b->view[0].sz] = (float)count[i];
        }
}

static enum bw_status grains_step(struct bw_stage *s)
{
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    struct bw_particles *p = s->ports[0].particles;
    int64_t first;
    enum bw_status st = api->add(p, 90, &first);
    if (st != BW_OK) return st;
    float *pos = api->attribute(p, "pos");
    for (int64_t i = first; i < api->count(p); i++)
        for (int a = 0; a < 3; a++)
            pos[3 * i + a] = (float)(s->grid->origin[a] + 15.9 * bw_rng_unit(s->seed, (uint64_t)(3 * i + a)));
    if (!s->host->alloc(s, 64) || !s->host->scratch_field(s, BW_MAC, BW_F64P)) return BW_ERR_MEMORY;
    s->host->metric(s, "count", (double)api->count(p), BW_METRIC_LAST);
    struct bw_access a = {bw_port_field(s, 1), BW_WRITE, 0};
    return s->host->sweep(
        s, &(struct bw_sweep){.access = &a, .n_access = 1, .body = count_body, .user = s, .particles = p});
}

static const struct bw_stage_desc stage = {
    .id = "f.grains", .version = "1", .brief = "x", BW_PORTS(grain_ports), .step = grains_step};
static const struct bw_stage_desc *const stages[] = {&stage};
static const struct bw_module module = BW_MODULE(stages);

/* ---- one run from its text, with the n-th allocation failing ---- */

struct outcome {
    enum bw_status status;
    bool said;
    uint64_t hash;
    int64_t made, live, pool;
    char first[256];
};

static struct bw_registry *registry;

static void registry_use(void)
{
    struct bw_diag d = {0};
    registry = bw_registry_open(getenv("BILLOW_TEST_PLUGINS"));
    cr_assert(registry && bw_registry_stage(registry, "mac.project"), "the plugins of the build tree are there");
    cr_assert_eq(bw_registry_add(registry, &module, "test", &d), BW_OK);
}

static struct outcome attempt(const char *path, const char *out, int64_t n)
{
    struct bw_diag d = {0};
    struct bw_preset_overrides over = {0};
    struct bw_run_options o = {.threads = 1, .out = out};
    int64_t live = bw_alloc_live(), pool = bw_pool_bytes();
    struct test_run r = {.registry = registry};
    bw_alloc_fail(n);
    r.preset = bw_preset_load(path, &over, &d);
    r.chain = r.preset ? bw_chain_create(r.preset, registry, &o, &d) : NULL;
    struct outcome x = {.status = r.chain ? bw_chain_run(r.chain, &d) : d.status};
    x.made = bw_alloc_made();
    bw_alloc_fail(-1);
    if (x.status == BW_OK) x.hash = test_hash(&r, "density");
    x.said = d.first && *d.first;
    snprintf(x.first, sizeof x.first, "%s", d.first ? d.first : "");
    bw_chain_free(r.chain);
    bw_preset_free(r.preset);
    bw_diag_free(&d);
    x.live = bw_alloc_live() - live;
    x.pool = bw_pool_bytes() - pool;
    return x;
}

static void preset_write(char *path, const char *yaml)
{
    int fd = mkstemps(path, 5);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, yaml, strlen(yaml)), (ssize_t)strlen(yaml));
    close(fd);
}

/* ---- what lies in the output folder ---- */

static long size_of(const char *dir, const char *name)
{
    char path[600];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return stat(path, &s) ? -1 : (long)s.st_size;
}

/* Removes the folder; finds temporary files, and caches whose size is not `whole`'s. */
static void folder_check(const char *dir, const char *whole, int64_t n)
{
    static const char *const sub[] = {"vdb", "checkpoints", "."};
    for (int i = 0; i < 3; i++) {
        char folder[300], name[400], path[800];
        snprintf(folder, sizeof folder, "%s/%s", dir, sub[i]);
        DIR *d = opendir(folder);
        for (struct dirent *e; d && (e = readdir(d));) {
            cr_assert_null(strstr(e->d_name, ".part"), "allocation %lld left %s", (long long)n, e->d_name);
            if (e->d_type == DT_DIR) continue;
            snprintf(name, sizeof name, "%s/%s", sub[i], e->d_name);
            if (strstr(e->d_name, ".vdb"))
                cr_assert_eq(size_of(dir, name), size_of(whole, name), "allocation %lld: %s is not whole", (long long)n,
                             name);
            snprintf(path, sizeof path, "%s/%s", dir, name);
            unlink(path);
        }
        if (d) closedir(d);
        rmdir(folder);
    }
    rmdir(dir);
}

static int64_t walk(const char *yaml, bool export, int64_t quick)
{
    char path[] = "/tmp/billow-fault-XXXXXX.yaml", whole[] = "/tmp/billow-whole-XXXXXX",
         out[] = "/tmp/billow-fault-out-XXXXXX";
    preset_write(path, yaml);
    cr_assert(mkdtemp(whole) && mkdtemp(out));
    rmdir(out);
    struct outcome good = attempt(path, export ? whole : NULL, -1);
    cr_assert_eq(good.status, BW_OK, "%s", good.first);
    cr_assert_eq(good.live, 0, "a good run keeps %lld allocations", (long long)good.live);
    int64_t stride = getenv("BILLOW_SLOW") ? 1 : 1 + good.made / quick, failed = 0;
    for (int64_t n = 0; n < good.made; n += stride) {
        struct outcome x = attempt(path, export ? out : NULL, n);
        cr_assert_eq(x.live, 0, "allocation %lld failed: %lld leaked (%d %s)", (long long)n, (long long)x.live,
                     x.status, x.first);
        cr_assert_eq(x.pool, 0, "allocation %lld failed: tiles leaked", (long long)n);
        cr_assert(x.status <= 0 && x.status >= BW_ERR_CANCELLED);
        if (x.status != BW_OK)
            cr_assert(x.said, "allocation %lld failed: status %d without a sentence", (long long)n, x.status);
        if (x.status != BW_OK)
            cr_assert(x.status == BW_ERR_MEMORY, "allocation %lld failed: status %d, %s", (long long)n, x.status,
                      x.first);
        if (x.status == BW_OK)
            cr_assert(x.hash == good.hash, "allocation %lld failed: the run passed with other bits", (long long)n);
        failed += x.status != BW_OK;
        if (export) folder_check(out, whole, n);
    }
    if (export) folder_check(out, whole, -1), folder_check(whole, whole, -1);
    else rmdir(whole);
    unlink(path);
    return failed;
}

Test(faults, every_allocation_of_a_smoke_chain, .init = registry_use, .timeout = 600)
{
    int64_t failed = walk(SMOKE, false, 400);
    cr_assert_gt(failed, 100, "only %lld", (long long)failed);
    bw_registry_close(registry);
}

Test(faults, every_allocation_of_a_particle_chain, .init = registry_use, .timeout = 600)
{
    int64_t failed = walk(GRAINS, false, 400);
    cr_assert_gt(failed, 100, "only %lld", (long long)failed);
    bw_registry_close(registry);
}

Test(faults, every_allocation_of_an_export, .init = registry_use, .timeout = 600)
{
    int64_t failed = walk(GRAINS "export:\n  - vdb: {fields: [density]}\n", true, 200);
    cr_assert_gt(failed, 50, "only %lld", (long long)failed);
    bw_registry_close(registry);
}

/* ---- disks ---- */

static struct outcome disk_run(const char *out)
{
    char path[] = "/tmp/billow-fault-XXXXXX.yaml";
    preset_write(path, GRAINS "export:\n  - vdb: {fields: [density]}\n");
    struct outcome x = attempt(path, out, -1);
    unlink(path);
    return x;
}

Test(faults, a_folder_that_cannot_be, .init = registry_use)
{
    struct outcome x = disk_run("/dev/null/cache");
    cr_assert_eq(x.status, BW_ERR_IO, "%d %s", x.status, x.first);
    cr_assert(strstr(x.first, "/dev/null/cache"), "%s", x.first);
    cr_assert_eq(x.live, 0);
    bw_registry_close(registry);
}

/* Files may grow to 2 KiB only: as good as a full disk. Runs in the test's own process, which ends with it. */
Test(faults, a_full_disk, .init = registry_use)
{
    char whole[] = "/tmp/billow-whole-XXXXXX", out[] = "/tmp/billow-full-XXXXXX";
    cr_assert(mkdtemp(whole) && mkdtemp(out));
    cr_assert_eq(disk_run(whole).status, BW_OK);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 2048;
    setrlimit(RLIMIT_FSIZE, &small);
    struct outcome x = disk_run(out);
    setrlimit(RLIMIT_FSIZE, &old);
    cr_assert_eq(x.status, BW_ERR_IO, "%d %s", x.status, x.first);
    cr_assert(x.said && strstr(x.first, "vdb"), "%s", x.first);
    cr_assert_eq(x.live, 0);
    cr_assert_eq(size_of(out, "vdb/f_0003.vdb"), -1, "half a file has its final name");
    folder_check(out, whole, -1);
    folder_check(whole, whole, -1);
    bw_registry_close(registry);
}

/* Workers are made whole or not at all. */
Test(faults, workers_without_memory, .init = registry_use)
{
    struct bw_workers *w = bw_workers_create(4);
    cr_assert_not_null(w);
    bw_workers_destroy(w);
    for (int64_t n = 0; n < 2; n++) {
        int64_t live = bw_alloc_live();
        bw_alloc_fail(n);
        cr_assert_null(bw_workers_create(4));
        bw_alloc_fail(-1);
        cr_assert_eq(bw_alloc_live(), live);
    }
    bw_registry_close(registry);
}
