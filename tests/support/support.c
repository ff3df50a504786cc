// SPDX-License-Identifier: Apache-2.0
#include "support.h"
#include "grid/grid.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool test_short(void) { return getenv("BILLOW_TEST_SHORT") != NULL; }

static char table[] = "/tmp/billow-table-XXXXXX.csv"; /* the newest */

static void table_remove(void) { unlink(table); }

const char *test_table(const char *rows)
{
    static bool written;
    if (written) table_remove();
    else atexit(table_remove);
    written = true;
    memcpy(table + sizeof table - sizeof "XXXXXX.csv", "XXXXXX.csv", sizeof "XXXXXX.csv");
    const int fd = mkstemps(table, 4);
    if (fd < 0 || write(fd, rows, strlen(rows)) != (ssize_t)strlen(rows)) return NULL;
    close(fd);
    return table;
}

struct test_run test_start(const char *yaml, const struct test_options *o)
{
    struct test_run r = {.status = BW_ERR};
    struct test_options none = {.simd = UINT32_MAX};
    if (!o) o = &none;
    char path[] = "/tmp/billow-test-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    const char *calm = strstr(yaml, "character:") ? "" : "\ncharacter: calm\n"; // nothing beside what the test says
    if (fd < 0 || dprintf(fd, "%s%s", yaml, calm) < 0) return r;
    close(fd);
    struct bw_preset_overrides over = {0};
    r.preset = bw_preset_load(path, &over, &r.diag);
    unlink(path);
    r.status = r.diag.status;
    if (!r.preset) return r;
    const char *folders = o->plugins ? o->plugins : getenv("BILLOW_TEST_PLUGINS");
    r.registry = bw_registry_open(folders ? folders : "");
    if (o->module) r.status = bw_registry_add(r.registry, o->module, "test", &r.diag);
    if (r.status != BW_OK) return r;
    struct bw_run_options run = {.out = o->out,
                                 .threads = o->threads ? o->threads : 2,
                                 .simd = o->simd,
                                 .on_log = o->on_log,
                                 .on_file = o->on_file,
                                 .user = o->user};
    if (o->on_run) o->on_run(&run, o->user);
    r.chain = bw_chain_create(r.preset, r.registry, &run, &r.diag);
    r.status = r.diag.status;
    if (r.chain && !o->only_check) r.status = bw_chain_run(r.chain, &r.diag);
    return r;
}

void test_end(struct test_run *r)
{
    bw_chain_free(r->chain);
    bw_registry_close(r->registry);
    bw_preset_free(r->preset);
    bw_diag_free(&r->diag);
}

double *test_field(const struct test_run *r, const char *name, uint32_t c, int32_t n[3])
{
    const struct bw_field *f = bw_chain_field(r->chain, name);
    if (!f) return NULL;
    int32_t lo[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++) n[a] = f->info.domain->n[a] + (f->info.kind == BW_MAC && (int)c == a);
    double *v = bw_calloc((size_t)n[0] * (size_t)n[1] * (size_t)n[2] * sizeof *v);
    if (v) bw_chain_read(r->chain, f, c, lo, n, v);
    return v;
}

uint64_t test_hash(const struct test_run *r, const char *name)
{
    const struct bw_field *f = bw_chain_field(r->chain, name);
    uint64_t h = 1469598103934665603ull;
    for (uint32_t c = 0; f && c < f->info.comps; c++) {
        int32_t n[3];
        double *v = test_field(r, name, c, n);
        for (size_t i = 0; v && i < (size_t)n[0] * (size_t)n[1] * (size_t)n[2] * sizeof *v; i++)
            h = (h ^ ((const unsigned char *)v)[i]) * 1099511628211ull;
        bw_free(v);
    }
    return f ? h : 0;
}
