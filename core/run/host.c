// SPDX-License-Identifier: Apache-2.0
/* The services behind struct bw_host: thin, each a few lines over the grid, the workers, or the chain. */
#include "chain.h"
#include "base/alloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct chain_stage *stage_of(struct bw_stage *s) { return s->host_data; }

/* ---- words ---- */

void chain_log(struct bw_chain *c, int level, const char *who, const char *text)
{
    pthread_mutex_lock(&c->lock);
    if (c->opt.on_log) c->opt.on_log(level, who, text, c->opt.user);
    pthread_mutex_unlock(&c->lock);
}

enum bw_status chain_fail(struct bw_chain *c, const struct bw_place *place, enum bw_status st, const char *format, ...)
{
    char text[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    pthread_mutex_lock(&c->lock);
    if (c->diag) bw_diag_error(c->diag, place, st, "%s", text);
    pthread_mutex_unlock(&c->lock);
    return st;
}

/* The writer thread evaluates its exporters' parameters while the stages' are being evaluated: each into sentences of
 * its own, which are added to the run's under the lock. */
enum bw_status chain_params(struct bw_chain *c, struct bw_params *p, double t, uint32_t slot, void *out)
{
    struct bw_diag d = {0};
    enum bw_status st = bw_params_eval(p, t, slot, out, &d);
    if (st != BW_OK) {
        pthread_mutex_lock(&c->lock);
        if (c->diag) bw_diag_take(c->diag, &d);
        pthread_mutex_unlock(&c->lock);
        if (!d.errors && st == BW_ERR_MEMORY) chain_fail(c, NULL, st, "out of memory for parameters");
    }
    bw_diag_free(&d);
    return st;
}

static enum bw_status host_fail(struct bw_stage *stage, enum bw_status st, const char *format, ...)
{
    struct chain_stage *s = stage_of(stage);
    char text[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    s->failed = true;
    s->fail_status = st < 0 ? st : BW_ERR_PLUGIN;
    if (s->chain->step > 0 || stage->dt > 0)
        return chain_fail(s->chain, &s->preset->place, st, "frame %lld: %s: %s", (long long)s->chain->frame, stage->id,
                          text);
    return chain_fail(s->chain, &s->preset->place, st, "%s: %s", stage->id, text);
}

static void host_log(struct bw_stage *stage, uint32_t level, const char *format, ...)
{
    struct chain_stage *s = stage_of(stage);
    char text[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    if (level >= BW_LOG_WARNING) { /* once per stage and format: numbers in it may differ each step */
        uint64_t h = 1469598103934665603ull;
        for (const char *p = format; *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211ull;
        pthread_mutex_lock(&s->chain->lock);
        bool seen = s->n_warned == 64;
        for (int32_t i = 0; i < s->n_warned; i++) seen |= s->warned[i] == h;
        if (!seen) s->warned[s->n_warned++] = h;
        pthread_mutex_unlock(&s->chain->lock);
        if (seen) return;
    }
    chain_log(s->chain, (int)level, stage->id, text);
}

static void host_metric(struct bw_stage *stage, const char *name, double value, uint32_t mode)
{
    chain_metric(stage_of(stage)->chain, stage->id, name, value, mode);
}

static int host_cancelled(struct bw_stage *stage)
{
    const struct bw_chain *c = stage_of(stage)->chain;
    return c->opt.cancel && *c->opt.cancel;
}

/* ---- work ---- */

/* Name of a field that the sweep writes though the stage's ports only read it, or NULL. */
static const char *write_to_read_port(const struct bw_stage *stage, const struct bw_sweep *sweep)
{
    const struct chain_stage *s = stage->host_data;
    for (uint32_t i = 0; i < sweep->n_access; i++) {
        const struct bw_field *f = sweep->access[i].field;
        bool reads = false, writes = false;
        if (!f || sweep->access[i].mode == BW_READ) continue;
        for (uint32_t k = 0; k < s->pub.desc->n_ports; k++)
            for (uint32_t q = 0; s->bound[k].fields && q < s->bound[k].count; q++) {
                if (s->bound[k].fields[q] != f) continue;
                bool read_only = chain_port(s, k).access == BW_READ;
                reads |= read_only;
                writes |= !read_only;
            }
        if (reads && !writes) return f->info.name;
    }
    return NULL;
}

static enum bw_status host_sweep(struct bw_stage *stage, const struct bw_sweep *sweep)
{
    struct chain_stage *s = stage_of(stage);
    struct bw_chain *c = s->chain;
    const char *only_read = write_to_read_port(stage, sweep);
    if (only_read)
        return host_fail(stage, BW_ERR_PLUGIN, "asked to write \"%s\", which its ports only read", only_read);
    struct bw_sweep_env env = {c->workers, c->arena, stage, c->opt.cancel};
    struct bw_sweep_fault fault = {0};
    enum bw_status st = bw_sweep_run(&env, sweep, &fault);
    if (st == BW_ERR_DIVERGED && fault.field)
        return host_fail(stage, st, "field \"%s\" is not a number at cell (%d, %d, %d)", fault.field->info.name,
                         fault.cell[0], fault.cell[1], fault.cell[2]);
    if (st == BW_ERR_PLUGIN) return host_fail(stage, st, "asked for a sweep whose access rows contradict each other");
    if (st != BW_OK) s->fail_status = st; /* out of memory or cancelled: the run ends even when the stage goes on */
    return st;
}

static void *host_body_scratch(const struct bw_block *block, size_t bytes)
{
    const struct chain_stage *s = block->stage->host_data;
    return bw_arena_take(s->chain->arena[block->worker], bytes);
}

static void host_parallel_for(struct bw_stage *stage, int64_t n, void (*fn)(int64_t, uint32_t, void *), void *user)
{
    bw_workers_for(stage_of(stage)->chain->workers, n, fn, user);
}

static void host_team(struct bw_stage *stage, void (*fn)(struct bw_team *, void *), void *user)
{
    bw_workers_team(stage_of(stage)->chain->workers, fn, user);
}

/* ---- memory ---- */

/* Exporters ask for memory from their parallel tasks too. */
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;

void *chain_memory_take(struct chain_memory **list, size_t bytes)
{
    struct chain_memory *m = bytes < SIZE_MAX / 2 ? bw_alloc_aligned(sizeof *m + bytes) : NULL;
    if (!m) return NULL;
    pthread_mutex_lock(&memory_lock);
    *m = (struct chain_memory){NULL, *list, bytes, {0}};
    if (*list) (*list)->prev = m;
    *list = m;
    pthread_mutex_unlock(&memory_lock);
    memset(m + 1, 0, bytes);
    return m + 1;
}

void chain_memory_give(struct chain_memory **list, void *memory)
{
    if (!memory) return;
    struct chain_memory *m = (struct chain_memory *)memory - 1;
    pthread_mutex_lock(&memory_lock);
    if (m->prev) m->prev->next = m->next;
    else *list = m->next;
    if (m->next) m->next->prev = m->prev;
    pthread_mutex_unlock(&memory_lock);
    bw_free(m);
}

void chain_memory_free(struct chain_memory **list)
{
    while (*list) chain_memory_give(list, *list + 1);
}

static void *host_alloc(struct bw_stage *stage, size_t bytes)
{
    return chain_memory_take(&stage_of(stage)->memory, bytes);
}
static void host_release(struct bw_stage *stage, void *memory) { chain_memory_give(&stage_of(stage)->memory, memory); }
static void *host_scratch(struct bw_stage *stage, size_t bytes)
{
    return bw_arena_take(stage_of(stage)->scratch, bytes);
}

static struct bw_field *host_scratch_field(struct bw_stage *stage, uint32_t kind, uint32_t precision)
{
    struct chain_stage *s = stage_of(stage);
    if (kind > BW_MAC || precision > BW_F64P) {
        host_fail(stage, BW_ERR_PLUGIN, "asked for a scratch field that is no grid field of f32 or f64");
        return NULL;
    }
    struct bw_field **list = bw_realloc(s->scratch_field, (size_t)(s->n_scratch_fields + 1) * sizeof *list);
    if (!list) return NULL;
    s->scratch_field = list;
    struct bw_field *f = bw_field_create(stage->domain, NULL, kind, precision, NULL);
    if (!f) return NULL;
    return list[s->n_scratch_fields++] = f;
}

void chain_stage_scratch_end(struct chain_stage *s)
{
    while (s->n_scratch_fields) bw_field_destroy(s->scratch_field[--s->n_scratch_fields]);
    if (s->scratch) bw_arena_reset(s->scratch);
    s->next_slot = 1;
}

static enum bw_status host_swap_fields(struct bw_stage *stage, struct bw_field *a, struct bw_field *b)
{
    enum bw_status st = bw_field_swap(a, b);
    return st == BW_OK ? st : host_fail(stage, BW_ERR_PLUGIN, "exchanged two fields that do not match");
}

/* ---- facts ---- */

static const struct bw_field_info *host_field_info(const struct bw_field *f) { return &f->info; }

static const void *host_params_at(struct bw_stage *stage, double time)
{
    struct chain_stage *s = stage_of(stage);
    int slot = s->next_slot;
    s->next_slot = slot == 3 ? 1 : slot + 1; /* slot 0 is `params` itself */
    enum bw_status st = chain_params(s->chain, s->params, time, (uint32_t)slot, s->param_mem[slot]);
    return st == BW_OK ? s->param_mem[slot] : NULL;
}

static enum bw_status host_activate(struct bw_stage *stage, const double lo[3], const double hi[3])
{
    struct chain_stage *s = stage_of(stage);
    if (!s->activating) return host_fail(stage, BW_ERR_PLUGIN, "called activate outside its activate callback");
    const struct bw_domain_info *d = stage->grid;
    int64_t a[3], b[3];
    for (int i = 0; i < 3; i++) {
        double l = floor((lo[i] - d->origin[i]) / d->h), h = floor((hi[i] - d->origin[i]) / d->h);
        if (!(l <= h)) return BW_OK;
        a[i] = (int64_t)fmin(fmax(l, -1e9), 1e9);
        b[i] = (int64_t)fmin(fmax(h, -1e9), 1e9);
    }
    bw_domain_want_cells(stage->domain, a, b);
    return stage->domain->full ? BW_ERR_MEMORY : BW_OK;
}

static struct bw_stage *host_find_stage(struct bw_stage *stage, const char *id, uint32_t k, const void **table)
{
    struct bw_chain *c = stage_of(stage)->chain;
    for (int32_t i = 0; i < c->n_stages; i++) {
        struct chain_stage *s = &c->stage[i];
        const void *t = s->pub.desc->extension ? s->pub.desc->extension(id) : NULL;
        if (!t || k--) continue;
        *table = t;
        return &s->pub;
    }
    return NULL;
}

static struct bw_field *host_find_field(struct bw_stage *stage, const char *name)
{
    struct chain_stage *s = stage_of(stage);
    struct chain_field *f = chain_find(s->chain, name, s->domain);
    return f ? f->field : NULL;
}

static const char *host_output(struct bw_stage *stage, const char *name, int keep)
{
    struct chain_stage *s = stage_of(stage);
    if (!s->chain->opt.out) return NULL;
    const char *path = chain_output_begin(s->chain, &s->outputs, chain_owner_of_stage(s), name, keep);
    if (!path) {
        s->failed = true;
        s->fail_status = chain_status_said(s->chain);
    }
    return path;
}

/* ---- services by id ---- */

static void service_sample(const struct bw_field *f, size_t count, const bw_vec3 *pos, double *out)
{
    bw_sample(&f->src, count, pos, out);
}
static void service_component(const struct bw_field *f, uint32_t c, size_t count, const bw_vec3 *pos, double *out)
{
    bw_sample_one(&f->src, c, count, pos, out, 1);
}

static const struct bw_topology *service_topology(struct bw_domain *d) { return &d->topo->pub; }

static const void *service_data(const struct bw_field *f, uint32_t c, int64_t index)
{
    return c < f->info.comps && index >= 0 && index < f->src.topo->pub.count ? f->src.data[c][index] : NULL;
}

static int64_t service_find(const struct bw_domain *d, const int32_t coord[3])
{
    return bw_topo_find(d->topo, &d->info, coord);
}

static struct bw_domain *service_domain(const struct bw_field *f) { return f->domain; }

static int service_frames_range(const struct bw_stage *s, int64_t *first, int64_t *last)
{
    const struct bw_preset *p = ((const struct chain_stage *)s->host_data)->chain->preset;
    *first = p->files_first;
    *last = p->files_last;
    return p->frames_from != NULL;
}

static int service_frames_path(const struct bw_stage *s, int64_t number, char *out, size_t size)
{
    return bw_preset_frame_path(((const struct chain_stage *)s->host_data)->chain->preset, number, out, size);
}

static const struct bw_sample_api sample_table = {sizeof sample_table, service_sample, service_component};
static const struct bw_tiles_api tiles_table = {sizeof tiles_table, service_topology, service_data, service_find,
                                                service_domain};
static const struct bw_frames_api frames_table = {sizeof frames_table, service_frames_range, service_frames_path};

static const void *host_extension(const char *id)
{
    if (!strcmp(id, BW_SAMPLE)) return &sample_table;
    if (!strcmp(id, BW_TILES)) return &tiles_table;
    if (!strcmp(id, BW_FRAMES)) return &frames_table;
    if (!strcmp(id, BW_PARTICLES_API)) return &bw_particles_table;
    return NULL;
}

uint32_t bw_simd_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return BW_SIMD_AVX512;
    if (__builtin_cpu_supports("avx2")) return BW_SIMD_AVX2;
#endif
    return BW_SIMD_BASELINE;
}

enum bw_status chain_stage_params(struct chain_stage *s, double t)
{
    return chain_params(s->chain, s->params, t, 0, s->param_mem[0]);
}

void chain_host_init(struct bw_chain *c)
{
    c->host = (struct bw_host){
        .size = sizeof c->host,
        .workers = bw_workers_count(c->workers),
        .simd = c->opt.simd == UINT32_MAX ? bw_simd_best() : c->opt.simd,
        .sweep = host_sweep,
        .body_scratch = host_body_scratch,
        .parallel_for = host_parallel_for,
        .team = host_team,
        .alloc = host_alloc,
        .release = host_release,
        .scratch = host_scratch,
        .scratch_field = host_scratch_field,
        .swap_fields = host_swap_fields,
        .field_info = host_field_info,
        .params_at = host_params_at,
        .activate = host_activate,
        .fail = host_fail,
        .log = host_log,
        .metric = host_metric,
        .cancelled = host_cancelled,
        .extension = host_extension,
        .find_stage = host_find_stage,
        .find_field = host_find_field,
        .output = host_output,
    };
}
