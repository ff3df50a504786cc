// SPDX-License-Identifier: Apache-2.0
/* Pictures in memory: of a bake's snapshot as the png exporter makes them, whose host this stands in for. */
#include "picture.h"

#include "job/job.h"
#include "options.h"
#include "preset/values/params.h"
#include "snapshot.h"
#include <math.h>
#include <picture/picture.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- memory and threads ---- */

struct loop {
    _Atomic int64_t next;
    int64_t n;
    void (*fn)(int64_t i, void *user);
    void *user;
};

static void *loop_run(void *arg)
{
    struct loop *l = arg;
    for (int64_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n;) l->fn(i, l->user);
    return NULL;
}

static void tools_parallel(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    enum { MAX = 64 };
    struct loop l = {.n = n, .fn = fn, .user = user};
    pthread_t thread[MAX];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;
    (void)ctx;
    while (started < MAX && started + 1 < cores && started + 1 < n &&
           !pthread_create(&thread[started], NULL, loop_run, &l))
        started++;
    loop_run(&l);
    while (started) pthread_join(thread[--started], NULL);
}

static void *tools_alloc(void *ctx, size_t bytes)
{
    (void)ctx;
    return calloc(1, bytes ? bytes : 1);
}

static void tools_release(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

struct bw_tools picture_tools(void) { return (struct bw_tools){tools_alloc, tools_release, tools_parallel, NULL}; }

enum bw_status pixels_of_image(const struct bw_image *img, struct bw_pixels *out, struct bw_diag *d)
{
    uint8_t *memory = malloc(3 * (size_t)img->w * (size_t)img->h);
    if (!memory) return out_of_memory(d);
    for (int y = 0; y < img->h; y++) bw_image_row(img, y, 8, memory + 3 * (size_t)y * (size_t)img->w);
    *out = (struct bw_pixels){.width = img->w, .height = img->h, .channels = 3, .memory = memory};
    return BW_OK;
}

/* Linear light, with alpha unless that is NULL. */
static enum bw_status pixels_of_light(const struct bw_image *img, const float *alpha, struct bw_pixels *out,
                                      struct bw_diag *d)
{
    size_t n = (size_t)img->w * (size_t)img->h, channels = alpha ? 4 : 3;
    float *memory = malloc(n * channels * sizeof *memory);
    if (!memory) return out_of_memory(d);
    for (size_t i = 0; i < n; i++) {
        memcpy(memory + i * channels, img->px + 3 * i, 3 * sizeof *memory);
        if (alpha) memory[i * channels + 3] = alpha[i];
    }
    *out = (struct bw_pixels){
        .width = img->w, .height = img->h, .channels = (int32_t)channels, .is_float = 1, .memory = memory};
    return BW_OK;
}

/* ---- an exporter's host ---- */

static enum bw_status easel_fail(struct bw_exporter *e, enum bw_status status, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return bw_diag_error(e->host_data, NULL, status, "%s", text);
}

static void *easel_alloc(struct bw_exporter *e, size_t bytes) { return tools_alloc(e, bytes); }

static void easel_release(struct bw_exporter *e, void *memory) { tools_release(e, memory); }

static void easel_parallel(struct bw_exporter *e, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    tools_parallel(e, n, fn, user);
}

static int easel_cancelled(struct bw_exporter *e)
{
    (void)e;
    return 0;
}

static const struct bw_exporter_host easel = {.size = sizeof easel,
                                              .fail = easel_fail,
                                              .alloc = easel_alloc,
                                              .release = easel_release,
                                              .read_box = snapshot_read,
                                              .parallel_for = easel_parallel,
                                              .cancelled = easel_cancelled};

/* ---- a picture ---- */

struct picture_options {
    struct bw_picture_params p;
    const char *domain;
};

static const struct bw_param rows[] = {
    BW_PICTURE_PARAMS(struct picture_options, p),
    BW_STRING(struct picture_options, domain, "domain", 0, "Which domain is shown; the first when absent."),
};

static enum bw_status picture_draw(struct moment *m, struct bw_exporter *e, const struct picture_options *o,
                                   uint32_t flags, struct bw_pixels *out, struct bw_diag *d)
{
    const struct chain_snapshot *s = m->data;
    struct bw_snapshot_field *room = bw_calloc((s->frame.n_fields + 1) * sizeof *room);
    if (!room) return out_of_memory(d);
    struct bw_frame frame = snapshot_of_domain(s, e->domains[e->domain], room);
    struct bw_picture p;
    struct bw_image img = {0};
    float *alpha = NULL;
    bw_picture_begin(&p, e);
    p.slices = 1;
    enum bw_status status = flags
                                ? bw_picture_light(&p, e, &frame, &o->p, &img, flags & BW_PIXELS_ALPHA ? &alpha : NULL)
                                : bw_picture_make(&p, e, &frame, &o->p, &img);
    if (!status) status = flags ? pixels_of_light(&img, alpha, out, d) : pixels_of_image(&img, out, d);
    else if (!d->status) bw_diag_error(d, NULL, status, "the picture can't be made");
    bw_image_free(&img);
    free(alpha);
    bw_free(room);
    return d->status;
}

/* Index of the domain called `name`, -1 after a sentence. */
static int32_t domain_find(const struct bw_domain_info *const *domains, uint32_t n, const char *name, struct bw_diag *d)
{
    for (uint32_t i = 0; i < n; i++)
        if (!name || !strcmp(domains[i]->name, name)) return (int32_t)i;
    bw_diag_error(d, NULL, BW_ERR_PRESET, n ? "there is no domain \"%s\"" : "there is no grid field to show", name);
    return -1;
}

enum bw_status picture_of_job(struct moment *m, const char *look, uint32_t flags, struct bw_pixels *out,
                              struct bw_diag *d)
{
    const struct job *j = m->owner;
    const struct chain_snapshot *s = m->data;
    if (flags & ~(uint32_t)(BW_PIXELS_FLOAT | BW_PIXELS_ALPHA))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "a picture has no flags 0x%x", flags);
    const struct bw_domain_info *domains[BW_MAX_DOMAINS];
    uint32_t n = 0;
    for (int32_t k = 0; k < j->preset->n_domains; k++) // in the preset's order, those that hold fields
        for (uint32_t i = 0; i < s->frame.n_fields; i++) {
            const struct bw_domain_info *at = s->field[i].info->domain;
            if (strcmp(at->name, j->preset->domain[k].name)) continue;
            domains[n++] = at;
            break;
        }
    struct bw_node *node = look ? options_parse(look, "look", d) : NULL;
    struct bw_params_context ctx = {.owner = "look", .fps = s->frame.fps, .first = j->preset->time.first};
    ctx.seed = j->preset->time.seed;
    ctx.ambient = j->preset->ambient;
    struct picture_options *o = bw_calloc(sizeof *o);
    struct bw_params *params =
        d->status || !o ? NULL : bw_params_compile(rows, sizeof rows / sizeof *rows, sizeof *o, node, &ctx, d);
    if (params) bw_params_eval(params, s->frame.time, 0, o, d);
    int32_t domain = params && !d->status ? domain_find(domains, n, o->domain, d) : -1;
    if (domain >= 0) {
        struct bw_bake_info bake = {.size = sizeof bake, .fps = s->frame.fps, .ambient = j->preset->ambient};
        struct bw_exporter e = {.host = &easel,
                                .id = "picture",
                                .bake = &bake,
                                .host_data = d,
                                .n_domains = n,
                                .domain = (uint32_t)domain,
                                .domains = domains};
        picture_draw(m, &e, o, flags, out, d);
    } else if (!d->status) {
        out_of_memory(d);
    }
    bw_params_free(params);
    bw_free(o);
    bw_node_free(node);
    return d->status;
}
