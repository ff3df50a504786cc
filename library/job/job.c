// SPDX-License-Identifier: Apache-2.0
/* The life of a bake: open, started, waited for, closed. */
#include "job.h"

#include "base/thread/where.h"
#include "options.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- opening ---- */

/* A copy of a list of texts, or NULL with an error in `d`. */
static const char *const *list_copy(struct job *j, const char *const *list, int32_t n, struct bw_diag *d)
{
    const char **copy = n >= 0 && (list || !n) ? bw_calloc(((size_t)n + 1) * sizeof *copy) : NULL;
    if (!copy) bw_diag_error(d, NULL, n < 0 || !list ? BW_ERR_USAGE : BW_ERR_MEMORY, "a list of %d texts can't be", n);
    for (int32_t i = 0; copy && i < n; i++) {
        if (!list[i]) bw_diag_error(d, NULL, BW_ERR_USAGE, "text %d of a list of %d is NULL", i, n);
        else if (!(copy[i] = texts_copy(&j->texts, list[i]))) out_of_memory(d);
    }
    return copy;
}

static enum bw_status options_copy(struct job *j, struct bw_diag *d)
{
    struct bw_bake_options *o = &j->options;
    const char **text[] = {&o->preset, &o->text, &o->frames, &o->from_frame, &o->seed, &o->memory, &o->out, &o->simd};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (*text[i] && !(*text[i] = texts_copy(&j->texts, *text[i]))) return out_of_memory(d);
    o->set = list_copy(j, o->set, o->n_set, d);
    o->mute = list_copy(j, o->mute, o->n_mute, d);
    return d->status;
}

static void job_destroy(struct object *o)
{
    struct job *j = (struct job *)o;
    if (j->threaded) pthread_join(j->thread, NULL);
    bw_chain_free(j->chain);
    bw_preset_free(j->preset);
    folder_unlock(j);
    log_lines_discard(j);
    record_free(&j->record);
    outputs_free(&j->outputs);
    resume_forget(j);
    json_decref(j->facts.changes);
    json_decref(j->facts.builds);
    json_decref(j->facts.parts);
    journal_end(&j->journal);
    if (j->log) fclose(j->log);
    bw_diag_free(&j->diag);
    texts_free(&j->texts);
    bw_free((void *)j->options.set);
    bw_free((void *)j->options.mute);
    bw_free(j->out);
    bw_free(j->source);
    bw_free(j->source_out);
    free(j->resolved);
    repair_free(&j->repair);
    free(j->takeover.log);
    bw_diag_free(&j->takeover.diag);
    pthread_mutex_destroy(&j->takeover.lock);
    if (j->live.next) object_unref(&j->live.next->o);
    pthread_mutex_destroy(&j->live.lock);
    if (j->session) object_unref(&j->session->o);
    pthread_cond_destroy(&j->changed);
    pthread_mutex_destroy(&j->lock);
    bw_free(j);
}

static struct job *job_new(void)
{
    struct job *j = bw_calloc(sizeof *j);
    pthread_condattr_t clock;
    if (!j) return NULL;
    object_init(&j->o, job_destroy);
    pthread_mutex_init(&j->lock, NULL);
    pthread_mutex_init(&j->takeover.lock, NULL);
    pthread_mutex_init(&j->live.lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&j->changed, &clock);
    pthread_condattr_destroy(&clock);
    j->process = getpid();
    j->lock_fd = -1;
    j->last_line = &j->lines;
    return j;
}

enum bw_status bw_bake_open(struct bw_session *session, const struct bw_bake_options *options, struct bw_bake **bake)
{
    struct api_call api;
    api_enter(&api);
    if (bake) *bake = NULL;
    struct session *s = session_acquire(session, &api.d);
    struct job *j = s ? job_new() : NULL;
    if (s && !j) object_unref(&s->o), out_of_memory(&api.d);
    if (j) {
        j->session = s;
        if (!bake || !options) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_bake_open wants options and a place");
        else if (host_struct_copy(&j->options, options, sizeof j->options, "bw_bake_options", &api.d) &&
                 !options_copy(j, &api.d) && !job_read(j, &api.d) && !(j->handle = handle_new(HANDLE_BAKE, &j->o)))
            out_of_memory(&api.d);
        if (j->handle) *bake = j->handle;
        else object_unref(&j->o);
    }
    return api_leave(&api);
}

struct job *job_acquire(struct bw_bake *handle, struct bw_diag *d)
{
    struct job *j = handle_acquire(handle, HANDLE_BAKE, d);
    if (!j || j->process == getpid()) return j;
    bw_diag_error(d, NULL, BW_ERR_USAGE, "%s was opened before the fork: its threads are the parent's", j->facts.name);
    object_unref(&j->o);
    return NULL;
}

enum job_state job_state_get(struct job *j)
{
    pthread_mutex_lock(&j->lock);
    enum job_state state = j->state;
    pthread_mutex_unlock(&j->lock);
    return state;
}

/* ---- facts ---- */

enum bw_status bw_bake_facts(struct bw_bake *bake, struct bw_bake_facts *facts)
{
    struct api_call api;
    struct bw_bake_facts f, asked;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d);
    if (j && !facts) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_bake_facts wants a place for the facts");
    else if (j && host_struct_copy(&asked, facts, sizeof asked, "bw_bake_facts", &api.d)) {
        pthread_mutex_lock(&j->lock);
        f = (struct bw_bake_facts){.size = asked.size,
                                   .up_to_date = j->up_to_date,
                                   .name = j->preset->name,
                                   .path = j->preset->path,
                                   .out = j->out,
                                   .hash = j->facts.hash,
                                   .simd = j->facts.simd,
                                   .source = j->source,
                                   .source_out = j->source_out,
                                   .first = j->facts.first,
                                   .last = j->facts.last,
                                   .fps = j->preset->time.fps,
                                   .memory = bw_chain_memory_estimate(j->chain),
                                   .memory_allowed = memory_allowed(j->preset),
                                   .bytes = j->bytes,
                                   .seconds = j->seconds,
                                   .checkpoint = j->checkpoint ? j->checkpoint : j->resume.path,
                                   .resumed = j->resume.path ? j->resume.frame : INT64_MIN};
        pthread_mutex_unlock(&j->lock);
        memcpy(facts, &f, asked.size < sizeof f ? asked.size : sizeof f);
    }
    if (j) object_unref(&j->o);
    return api_leave(&api);
}

static void shadowed_warn(const char *id, const char *text, void *api) { api_warn(api, "%s: %s", id, text); }

static void check_log(int level, const char *who, const char *text, void *api)
{
    if (level >= BW_LOG_INFO)
        api_warn(api, "%s%s: %s", level == BW_LOG_INFO ? "note: " : "", who ? who : "billow", text);
}

enum bw_status bw_bake_check(struct bw_bake *bake)
{
    struct api_call api;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d);
    if (j && job_state_get(j) == JOB_RUNNING)
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "%s runs: it is checked before or after", j->facts.name);
    else if (j && j->source)
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "%s takes its frames from %s: bake that first", j->facts.name,
                      j->source);
    if (j && !api.d.status) {
        struct bw_run_options run = {.out = j->out,
                                     .simd = j->run.simd,
                                     .quick = j->run.quick,
                                     .threads = j->run.threads,
                                     .on_log = check_log,
                                     .user = &api};
        struct bw_chain *c = job_chain_make(j, &run, &api.d);
        if (c) bw_chain_check(c, &api.d);
        if (c) bw_chain_end(c, &api.d);
        bw_chain_free(c);
        shadowed_plugins_report(j, shadowed_warn, &api);
    }
    if (j) object_unref(&j->o);
    return api_leave(&api);
}

/* The plugin callback that has run longest so far. */
int bw_where_bake(struct bw_bake *bake, struct bw_where *where)
{
    struct api_call api;
    int there = 0;
    api_enter(&api);
    struct job *j = where ? job_acquire(bake, &api.d) : NULL;
    if (j && job_state_get(j) == JOB_RUNNING) there = where_longest(bw_chain_where(j->chain), where);
    if (j) object_unref(&j->o);
    api_leave_silent(&api);
    return there;
}

/* ---- running ---- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void outputs_report_again(struct job *j)
{
    static const char *const what[] = {"movie", "picture", "cache", "particles"};
    for (size_t i = 0; i < BW_COUNT(what); i++) {
        char *path = record_output(&j->record, j->out, what[i]);
        if (path) output_report(j, what[i], path);
        bw_free(path);
    }
}

static void repair_log(struct job *j)
{
    const struct job_repair *r = &j->repair;
    char *text = r->on ? bw_printf("to be made again%s%s: %s", j->resume.path ? ", from " : "",
                                   j->resume.path ? j->resume.path : "", r->why ? r->why : "files")
                       : NULL;
    if (text) job_log(j, BW_LOG_INFO, NULL, text);
    bw_free(text);
}

static void shadowed_log(const char *id, const char *text, void *job) { job_log(job, 2, id, text); }

static void *job_main(void *user)
{
    struct job *j = user;
    struct bw_diag d = {0};
    double start = seconds_now();
    enum bw_status status = BW_OK;
    struct where_signal_stack ground;
    where_signal_stack(&ground);
    host_modes_save();
    if (j->up_to_date) {
        outputs_report_again(j);
    } else {
        start_report(j);
        repair_log(j);
        shadowed_plugins_report(j, shadowed_log, j);
        status = bw_chain_run(j->chain, &d);
        log_lines_flush(j);
        if (j->out) status = folder_end(j, status, &d);
        enum bw_status end = bw_chain_end(j->chain, &d);
        if (status == BW_OK) status = end;
        log_lines_flush(j);
    }
    ranks_finish(j);
    at_exit_unregister(j);
    pthread_mutex_lock(&j->lock);
    j->seconds = seconds_now() - start;
    j->diag = d;
    j->result = status;
    j->state = JOB_DONE;
    folder_unlock(j);
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    where_signal_stack_end(&ground);
    return NULL;
}

/* Everything before the thread starts. 1: run, 0: up to date, -1 with an error in `d`. */
static int job_prepare(struct job *j, struct bw_diag *d)
{
    if (j->source) {
        bw_diag_error(d, NULL, BW_ERR_USAGE, "%s takes its frames from %s: bake that into %s first", j->facts.name,
                      j->source, j->source_out);
        return -1;
    }
    if (!j->out) return 1;
    int go = j->options.mode == BW_BAKE_BESIDE ? 1 : folder_lock(j, d) ? folder_decide(j, d) : -1;
    if (go > 0 && !j->options.overcommit && estimate_check(j->chain, j->preset, d)) go = -1;
    if (go > 0) go = folder_create(j, d);
    if (go > 0 && !folder_begin(j, d)) go = -1;
    return go;
}

static enum bw_status job_start(struct job *j, const struct host_modes *host, struct bw_diag *d)
{
    pthread_mutex_lock(&j->lock);
    bool fresh = j->state == JOB_OPEN;
    if (fresh) j->state = JOB_RUNNING;
    pthread_mutex_unlock(&j->lock);
    if (!fresh) return bw_diag_error(d, NULL, BW_ERR_USAGE, "a bake starts once: open another one");
    bool watched = at_exit_register(j, d);
    // a thread begins with the modes of the one that makes it, which by now are a run's
    j->host = (struct host_modes){.locale = LC_GLOBAL_LOCALE, .float_modes = host->float_modes};
    int go = ranks_agree(j, watched ? job_prepare(j, d) : -1, d);
    pthread_mutex_lock(&j->lock);
    j->up_to_date = go == 0;
    pthread_mutex_unlock(&j->lock);
    if (go >= 0 && job_thread_start(j, job_main, d) == BW_OK) return BW_OK;
    folder_abandon(j);
    at_exit_unregister(j);
    pthread_mutex_lock(&j->lock);
    j->state = JOB_OPEN;
    pthread_cond_broadcast(&j->changed); // others may wait for what never began
    pthread_mutex_unlock(&j->lock);
    return d->status;
}

enum bw_status bw_bake_start(struct bw_bake *bake)
{
    struct api_call api;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d);
    if (j) job_start(j, &api.host, &api.d);
    if (j) object_unref(&j->o);
    return api_leave(&api);
}

enum bw_status bw_bake_join(struct bw_bake *bake)
{
    struct api_call api;
    int32_t size;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d);
    bw_process_rank(&size);
    if (j && size > 1 && job_state_get(j) != JOB_OPEN)
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "%s is started already: processes join before", j->facts.name);
    else if (j && size > 1) j->distributed = true;
    if (j) object_unref(&j->o);
    return api_leave(&api);
}

int bw_bake_parted(struct bw_bake *bake)
{
    struct api_call api;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d);
    const int parted = j ? !j->ranks || j->ended_together : 0;
    if (j) object_unref(&j->o);
    api_leave_silent(&api);
    return parted;
}

enum bw_status bw_bake_cancel(struct bw_bake *bake)
{
    struct api_call api;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d);
    if (j && atomic_exchange(&j->stop, 1)) atomic_store(&j->cancel, 1);
    if (j) object_unref(&j->o);
    return api_leave(&api);
}

enum bw_status bw_bake_checkpoint(struct bw_bake *bake)
{
    struct api_call api;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d);
    if (j) atomic_store(&j->checkpoint_wanted, 1);
    if (j) object_unref(&j->o);
    return api_leave(&api);
}

/* ---- waiting ---- */

int bw_bake_wait(struct bw_bake *bake, double seconds)
{
    struct api_call api;
    enum job_state state = JOB_OPEN;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d);
    if (j && wait_begin(j, &api.d)) {
        state = job_wait(j, seconds);
        wait_end();
        if (state == JOB_OPEN) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "%s was never started", j->facts.name);
        else if (state == JOB_DONE) {
            bw_diag_append(&api.d, &j->diag);
            api.d.status = j->result;
        }
    }
    if (j) object_unref(&j->o);
    int status = api_leave(&api);
    return state == JOB_RUNNING ? 1 : status;
}

enum bw_status bw_bake_close(struct bw_bake *bake)
{
    struct api_call api;
    api_enter(&api);
    struct job *j = bake ? job_acquire(bake, &api.d) : NULL;
    if (j) {
        if (wait_begin(j, &api.d)) {
            atomic_store(&j->stop, 1);
            job_wait(j, -1);
            wait_end();
            object_unref(handle_close(bake, HANDLE_BAKE, &api.d));
        }
        object_unref(&j->o);
    }
    return api_leave(&api);
}
