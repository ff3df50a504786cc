// SPDX-License-Identifier: Apache-2.0
/* A stage and an exporter that misbehave as the preset says: DOES something AT one of their callbacks, in frame
 * number FRAME and later. */
#define _GNU_SOURCE
#include <billow/plugin.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void unruly_throw(void); /* throw.cpp */

struct unruly {
    int32_t does, at;
    int64_t frame;
};

enum {
    NOTHING,
    SEGV,
    ABORT,
    FPE,
    BUS,
    ILL,
    RECURSE,
    THROW,
    EXIT,
    QUICK_EXIT,
    HANG,
    SPIN,
    THREAD_EXIT,
    SWEEP,
    ALLOC,
    METRIC,
    FAIL,
    LIST,
    WRITE,
    LEAK,
    LATE,
    LEAVE,
    TOUCH,
    TALK
};
#define DOES                                                                                                           \
    "nothing|segv|abort|fpe|bus|ill|recurse|throw|exit|quick_exit|hang|spin|thread_exit|sweep|alloc|metric|fail|list|write|leak|late|leave|touch|talk"
enum { AT_INIT, AT_ACTIVATE, AT_MAX_DT, AT_STEP, AT_BODY, AT_WORKER, AT_TEAM, AT_UNINIT, AT_FRAME, AT_FINISH };
#define AT "init|activate|max_dt|step|body|worker|team|uninit|frame|finish"

static const struct bw_param params[] = {
    BW_CHOICE(struct unruly, does, "does", "nothing", DOES, "What it does."),
    BW_CHOICE(struct unruly, at, "at", "step", AT, "Where."),
    BW_INT(struct unruly, frame, "frame", "0", 0, 1e9, "From this frame on."),
};
static const struct bw_port ports[] = {
    {.name = "density", .kind = BW_SCALAR, .access = BW_UPDATE, .unit = "1", .doc = "Smoke."},
};

/* ---- deeds ---- */

static int recurse(volatile char *above, int depth)
{
    volatile char here[4096];
    here[0] = above ? *above : 0;
    return depth > (1 << 30) ? here[0] : recurse(here, depth + 1) + here[0];
}

static void misbehave(int64_t what)
{
    static void *volatile nothing;
    if (what == SEGV) memset((void *)nothing, 1, 4);
    if (what == ABORT) abort();
    if (what == FPE) raise(SIGFPE);
    if (what == BUS) raise(SIGBUS);
    if (what == ILL) raise(SIGILL);
    if (what == RECURSE) exit(recurse(NULL, 0));
    if (what == THROW) unruly_throw();
    if (what == EXIT) atexit(abort), exit(0); // as the end of a library that other threads still use
    if (what == QUICK_EXIT) quick_exit(0);
    if (what == LEAVE) _exit(0);
    if (what == TALK) {
        printf("words of a plugin, ");
        puts("{\"event\": \"end\"}");
        if (write(STDOUT_FILENO, "its own write\n", 14) < 0) abort();
    }
    while (what == HANG) pause();
    while (what == SPIN) (void)nothing;
    if (what == THREAD_EXIT) pthread_exit(NULL);
}

static void nothing_body(const struct bw_block *b, void *user) { (void)b, (void)user; }

static struct bw_stage *last; /* that was initialised */

/* Calls that the host takes from callbacks alone, or from this one no more. */
static void call(struct bw_stage *s, int64_t what)
{
    const struct bw_access a[] = {{bw_port_field(s, 0), BW_READ, 0}};
    const void *table;
    if (what == SWEEP) s->host->sweep(s, &(struct bw_sweep){.access = a, .n_access = 1, .body = nothing_body});
    if (what == ALLOC && s->host->alloc(s, 64)) abort();
    if (what == METRIC) s->host->metric(s, "unruly", 1, BW_METRIC_LAST);
    if (what == FAIL) s->host->fail(s, BW_ERR, "said by a body");
    if (what == LIST && s->host->find_stage(s, "unruly.none", 0, &table)) abort();
    if (what == LATE && last != s) s->host->scratch(last, 64);
}

static void write_there(const struct bw_block *b) { bw_put(&b->view[0], 0, 0, 0.5 + bw_get(&b->view[0], 0, 0)); }

static void deed(const struct unruly *u, int64_t where, double frame)
{
    if (u->at == where && (double)u->frame <= frame + 0.5) misbehave(u->does);
}

/* ---- stage ---- */

static void body(const struct bw_block *b, void *user)
{
    const struct unruly *u = user;
    deed(user, AT_BODY, b->stage->frame);
    if (b->worker) deed(user, AT_WORKER, b->stage->frame);
    if (u->at != AT_BODY || (double)u->frame > b->stage->frame + 0.5) return;
    if (u->does == WRITE || u->does == TOUCH) write_there(b);
    call((struct bw_stage *)b->stage, u->does);
}

static void task(int64_t i, uint32_t worker, void *user)
{
    const struct bw_stage *s = user;
    (void)i;
    while (!worker && ((const struct unruly *)s->params)->at == AT_WORKER && ((const struct unruly *)s->params)->does)
        pause(); /* the others are to do it */
    if (worker) deed(s->params, AT_WORKER, s->frame);
}

static void together(struct bw_team *team, void *user)
{
    const struct bw_stage *s = user;
    team->barrier(team);
    deed(s->params, AT_TEAM, s->frame); /* all at once */
    team->barrier(team);
}

static enum bw_status init(struct bw_stage *s) { return last = s, deed(s->params, AT_INIT, s->frame), BW_OK; }
static enum bw_status activate(struct bw_stage *s) { return deed(s->params, AT_ACTIVATE, s->frame), BW_OK; }
static double max_dt(struct bw_stage *s) { return deed(s->params, AT_MAX_DT, s->frame), 1e9; }
static void uninit(struct bw_stage *s)
{
    deed(s->params, AT_UNINIT, s->frame);
    if (((const struct unruly *)s->params)->at == AT_UNINIT) call(s, ((const struct unruly *)s->params)->does);
}

static enum bw_status step(struct bw_stage *s)
{
    const struct unruly *u = s->params;
    const struct bw_access a[] = {{bw_port_field(s, 0), BW_READ, u->does == TOUCH}}; /* a copy, with a halo */
    deed(u, AT_STEP, s->frame);
    if (u->does == LEAK && !s->host->alloc(s, 64)) return BW_ERR_MEMORY;
    if (u->at == AT_WORKER && (double)u->frame <= s->frame + 0.5) s->host->parallel_for(s, 64, task, s);
    if (u->at == AT_TEAM) s->host->team(s, together, s);
    return s->host->sweep(s, &(struct bw_sweep){.access = a, .n_access = 1, .body = body, .user = (void *)u});
}

static const struct bw_stage_desc stage = {
    .id = "unruly",
    .version = "1",
    .brief = "Misbehaves.",
    .params_size = sizeof(struct unruly),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .activate = activate,
    .max_dt = max_dt,
    .step = step,
    .uninit = uninit,
};

/* ---- exporter ---- */

static enum bw_status out_init(struct bw_exporter *e) { return deed(e->params, AT_INIT, 1e9), BW_OK; }
static enum bw_status out_frame(struct bw_exporter *e, const struct bw_frame *f)
{
    return deed(e->params, AT_FRAME, (double)f->number), BW_OK;
}
static enum bw_status out_finish(struct bw_exporter *e, int complete)
{
    (void)complete;
    return deed(e->params, AT_FINISH, 1e9), BW_OK;
}

static const struct bw_exporter_desc exporter = {
    .id = "unruly_out",
    .version = "1",
    .brief = "Misbehaves.",
    .params_size = sizeof(struct unruly),
    BW_PARAMS(params),
    .init = out_init,
    .frame = out_frame,
    .finish = out_finish,
};

static enum bw_status nothing_step(struct bw_stage *s) { return (void)s, BW_OK; }

/* The second rank wants a tile that the others know nothing of. */
static enum bw_status willful_activate(struct bw_stage *s)
{
    const struct bw_ranks_api *ranks = s->host->extension(BW_RANKS);
    const double at[3] = {s->grid->origin[0], s->grid->origin[1], s->grid->origin[2]};
    int32_t size;
    return ranks->rank(s, &size) == 1 ? s->host->activate(s, at, at) : BW_OK;
}

static const struct bw_stage_desc willful = {.id = "willful",
                                             .version = "1",
                                             .brief = "Wants other tiles than other ranks.",
                                             .flags = BW_STAGE_RANKS,
                                             .activate = willful_activate,
                                             .step = nothing_step};
static const struct bw_stage_desc forgetful = {.id = "forgetful",
                                               .version = "1",
                                               .brief = "Has state that nobody can save.",
                                               .state_size = 8,
                                               .step = nothing_step};
static const struct bw_stage_desc *const stages[] = {&stage, &forgetful, &willful};
static const struct bw_exporter_desc *const exporters[] = {&exporter};
BW_EXPORT const struct bw_module billow_module = {BW_MODULE_HEAD, BW_COUNT(stages), BW_COUNT(exporters), stages,
                                                  exporters};
