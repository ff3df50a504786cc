// SPDX-License-Identifier: Apache-2.0
#include "rotation.h"
#include "base/alloc.h"
#include "grid/ranks/ranks.h"
#include "collective.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- who sees the folder ---- */

/// The first rank's folder, by the record that lies in it.
struct folder_identity {
    char given[2048], real[2048]; ///< empty: nothing is to be written
    int64_t inode, bytes, seconds, nanoseconds;
};

static bool record_stat(const char *folder, struct folder_identity *s)
{
    struct stat st;
    char *path = *folder ? bw_printf("%s/bake.json", folder) : NULL;
    const bool there = path && !stat(path, &st);
    bw_free(path);
    if (!there) return false;
    s->inode = (int64_t)st.st_ino;
    s->bytes = st.st_size;
    s->seconds = st.st_mtim.tv_sec;
    s->nanoseconds = st.st_mtim.tv_nsec;
    return true;
}

static struct folder_identity folder_identify(const char *out)
{
    struct folder_identity s = {.given = ""};
    char *real = out ? realpath(out, NULL) : NULL;
    if (real && strlen(real) < sizeof s.real && strlen(out) < sizeof s.given && record_stat(out, &s))
        strcpy(s.given, out), strcpy(s.real, real);
    free(real);
    return s;
}

static bool folder_is(const char *folder, const struct folder_identity *first)
{
    struct folder_identity here = {.given = ""};
    return record_stat(folder, &here) && here.inode == first->inode && here.bytes == first->bytes &&
           here.seconds == first->seconds && here.nanoseconds == first->nanoseconds;
}

static void missing_folder_warn(struct bw_chain *c, int32_t rank)
{
    char *text = bw_printf("rank %d does not see the folder %s: it writes no files", (int)rank, c->opt.out);
    if (text) log_line(&c->log, BW_LOG_WARNING, NULL, text);
    bw_free(text);
}

enum bw_status rotation_begin(struct bw_chain *c)
{
    struct run_collective *t = &c->collective;
    struct folder_identity first = folder_identify(c->ranks->rank ? NULL : c->opt.out);
    size_t bytes[BW_RANKS_MOST] = {sizeof first};
    bool writes = c->opt.out != NULL, all[BW_RANKS_MOST];
    c->ranks->gather(c->ranks, NULL, bytes, &first);
    const char *folder = folder_is(first.given, &first) ? first.given : folder_is(first.real, &first) ? first.real : "";
    if (c->ranks->rank) writes = *folder != '\0' && collective_all_distributed(c);
    for (int32_t r = 0; r < c->ranks->size; r++) bytes[r] = sizeof writes;
    c->ranks->gather(c->ranks, &writes, bytes, all);
    for (int32_t r = 0; r < c->ranks->size; r++) {
        if (all[r]) t->writer_rank[t->n_writers++] = r;
        else if (!c->ranks->rank && c->opt.out && collective_all_distributed(c)) missing_folder_warn(c, r);
    }
    c->writer.done = remote_writer_report;
    return c->ranks->rank && writes ? remote_writer_begin(c, folder) : BW_OK;
}

bool rotation_has_writer(const struct bw_chain *c)
{
    const struct run_collective *t = &c->collective;
    for (int32_t i = 0; c->ranks && i < t->n_writers; i++)
        if (t->writer_rank[i] == c->ranks->rank) return true;
    return c->opt.out != NULL;
}

static int32_t writer_of_frame(const struct bw_chain *c)
{
    const struct run_collective *t = &c->collective;
    return t->writer_rank[(c->clock.frame % t->n_writers + t->n_writers) % t->n_writers];
}

uint32_t rotation_parts(const struct bw_chain *c)
{
    uint32_t parts = 0;
    if (!c->ranks) return SNAPSHOT_FIRST | SNAPSHOT_TURNS;
    if (!c->collective.n_writers) return 0;
    if (!c->ranks->rank && exporters_have(&c->exporters, SNAPSHOT_FIRST)) parts |= SNAPSHOT_FIRST;
    if (c->ranks->rank == writer_of_frame(c) && exporters_have(&c->exporters, SNAPSHOT_TURNS)) parts |= SNAPSHOT_TURNS;
    return parts;
}

int32_t rotation_checkpoint_rank(struct bw_chain *c)
{
    struct run_collective *t = &c->collective;
    return t->n_writers ? t->writer_rank[t->checkpoints++ % t->n_writers] : 0;
}

/* ---- from the writer's thread ---- */

static enum bw_status tiles_request(void *user, struct bw_field *f, struct snapshot_tiles which, bool more)
{
    struct bw_chain *c = user;
    struct writer_request a = {.kind = which.tile ? REQUEST_TILES : REQUEST_FIELD, .more = more, .data = which.tile};
    a.bytes = which.tile ? (size_t)which.n * sizeof *which.tile : 0;
    while (a.field < c->fields.n && c->fields.field[a.field].field != f) a.field++;
    const int32_t answer = writer_request_send(c, &a);
    return answer == 0 ? BW_OK : answer < 0 ? c->collective.status : BW_ERR_MEMORY;
}

static void reads_end(void *user)
{
    struct run_collective *t = &((struct bw_chain *)user)->collective;
    pthread_mutex_lock(&t->lock);
    t->open--;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

void rotation_serve_snapshot(struct bw_chain *c, struct chain_snapshot *s)
{
    struct run_collective *t = &c->collective;
    if (!c->ranks) return;
    pthread_mutex_lock(&t->lock);
    t->jobs++;
    t->open += collective_all_distributed(c);
    t->fetcher = (struct snapshot_fetcher){tiles_request, reads_end, c};
    pthread_mutex_unlock(&t->lock);
    if (collective_all_distributed(c)) s->fetcher = &t->fetcher;
}

/* ---- from the run's thread ---- */

/* What all ranks do next, as one of them says. */
struct request_header {
    int32_t kind, field, more;
    size_t bytes;
};

static bool request_is_pending(struct bw_chain *c)
{
    pthread_mutex_lock(&c->collective.lock);
    const bool asked = c->collective.request != NULL;
    pthread_mutex_unlock(&c->collective.lock);
    return asked;
}

/* Waits until there is one, or `wait` is over: no more fields are read, or all jobs are done. */
enum until { UNTIL_READ, UNTIL_DONE };
static void request_wait(struct run_collective *t, enum until until)
{
    pthread_mutex_lock(&t->lock);
    while (!t->request && (until == UNTIL_READ ? t->open : t->jobs) > 0) pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static enum bw_status fields_fetch_to(struct bw_chain *c, int32_t to, const struct request_header *o, const void *tiles)
{
    struct run_collective *t = &c->collective;
    const bool some = o->kind == REQUEST_TILES, more = o->more || (some && o->field == t->part);
    for (int32_t i = 0; i < c->preset->n_domains && !more; i++)
        bw_ranks_retain(c->domain[i], c->domain[i]->partition->own);
    t->part = some ? o->field : -1;
    return bw_ranks_fetch_tiles(c->fields.field[o->field].field, some ? tiles : NULL,
                                (int64_t)(o->bytes / sizeof(int32_t)), to);
}

/* The first rank's word on a file that another one is to write. */
static int32_t file_decide(struct bw_chain *c, int32_t rank, const char *data)
{
    struct file_request f;
    const char *name = data + sizeof f;
    const size_t bytes[BW_RANKS_MOST] = {sizeof(int32_t)};
    int32_t bad = 0;
    memcpy(&f, data, sizeof f);
    if (!c->ranks->rank && c->opt.on_file) bad = c->opt.on_file(name, f.whole ? &f.facts : NULL, c->opt.user);
    c->ranks->gather(c->ranks, NULL, bytes, &bad);
    char *text = f.whole && !c->ranks->rank ? bw_printf("rank %d wrote %s", (int)rank, name) : NULL;
    if (text) log_line(&c->log, BW_LOG_DEBUG, NULL, text);
    bw_free(text);
    return bad;
}

static enum bw_status no_memory(struct bw_chain *c)
{
    return log_fail(&c->log, NULL, BW_ERR_MEMORY, "frame %lld: rank %d is out of memory for what others write",
                    (long long)c->clock.frame, (int)c->ranks->rank);
}

static enum bw_status request_execute(struct bw_chain *c, int32_t rank, const struct request_header *o,
                                      const char *data, int32_t *answer)
{
    enum bw_status status = BW_OK;
    if (o->kind == REQUEST_FIELD || o->kind == REQUEST_TILES) status = fields_fetch_to(c, rank, o, data);
    if (o->kind == REQUEST_FILE) *answer = file_decide(c, rank, data);
    if (o->kind == REQUEST_DONE) return remote_writer_merge(c, rank, data, o->bytes);
    *answer = status == BW_OK ? *answer : ENOMEM;
    return status == BW_OK ? BW_OK : no_memory(c);
}

/* What `rank` asks, by all; *over: it asks nothing. */
static enum bw_status request_handle(struct bw_chain *c, int32_t rank, bool *over)
{
    struct run_collective *t = &c->collective;
    struct request_header o = {0};
    size_t bytes[BW_RANKS_MOST] = {0};
    int32_t answer = 0;
    pthread_mutex_lock(&t->lock);
    struct writer_request *a =
        rank == c->ranks->rank ? t->request : NULL; // the writer leaves it alone until it is answered
    pthread_mutex_unlock(&t->lock);
    if (a) o = (struct request_header){a->kind, a->field, a->more, a->bytes};
    bytes[rank] = sizeof o;
    c->ranks->gather(c->ranks, NULL, bytes, &o);
    *over = o.kind == REQUEST_NOTHING;
    char *data = bw_calloc(o.bytes + 1);
    if (!data) return no_memory(c);
    if (a && o.bytes) memcpy(data, a->data, o.bytes);
    bytes[rank] = o.bytes;
    if (o.bytes) c->ranks->gather(c->ranks, NULL, bytes, data);
    const enum bw_status status = request_execute(c, rank, &o, data, &answer);
    bw_free(data);
    if (!a) return status;
    pthread_mutex_lock(&t->lock);
    a->answer = answer;
    t->jobs -= o.kind == REQUEST_DONE;
    t->request = NULL;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    return status;
}

enum bw_status rotation_serve(struct bw_chain *c, int32_t rank)
{
    enum bw_status status = BW_OK;
    for (bool over = false; !over && status == BW_OK;) {
        if (c->ranks->rank == rank) request_wait(&c->collective, UNTIL_READ);
        status = request_handle(c, rank, &over);
    }
    for (int32_t i = 0; i < c->preset->n_domains && collective_all_distributed(c); i++)
        bw_ranks_retain(c->domain[i], c->domain[i]->partition->own);
    c->collective.part = -1;
    return status;
}

enum bw_status rotation_serve_frame(struct bw_chain *c)
{
    struct run_collective *t = &c->collective;
    enum bw_status status = BW_OK;
    if (!c->ranks || !t->n_writers) return BW_OK;
    const bool first = exporters_have(&c->exporters, SNAPSHOT_FIRST),
               turns = exporters_have(&c->exporters, SNAPSHOT_TURNS);
    const int32_t rank = writer_of_frame(c);
    t->frame = c->clock.frame;
    t->awaited = (first || (turns && rank == 0)) + (turns && rank != 0);
    if (first || (turns && rank == 0)) status = rotation_serve(c, 0);
    if (status == BW_OK && turns && rank) status = rotation_serve(c, rank);
    return status;
}

static enum bw_status requests_handle(struct bw_chain *c, const bool *asks)
{
    enum bw_status status = BW_OK;
    bool over;
    for (int32_t r = 0; r < c->ranks->size && status == BW_OK; r++)
        if (asks[r]) status = request_handle(c, r, &over);
    return status;
}

/// What a rank says before a substep; of the first all counts.
struct poll {
    double elapsed;
    int32_t stop, cancel;
    bool asks; ///< its writer does
};

enum bw_status rotation_poll(struct bw_chain *c)
{
    struct poll all[BW_RANKS_MOST];
    size_t bytes[BW_RANKS_MOST];
    bool asks[BW_RANKS_MOST];
    if (!c->ranks) return BW_OK;
    struct poll mine = {c->progress.elapsed, c->collective.stop && *c->collective.stop,
                        c->collective.cancel && *c->collective.cancel, request_is_pending(c)};
    for (int32_t r = 0; r < c->ranks->size; r++) bytes[r] = sizeof mine;
    c->ranks->gather(c->ranks, &mine, bytes, all);
    for (int32_t r = 0; r < c->ranks->size; r++) asks[r] = all[r].asks;
    c->progress.elapsed = all->elapsed;
    atomic_store(&c->collective.stops, all->stop);
    atomic_store(&c->collective.cancels, all->cancel);
    return requests_handle(c, asks);
}

enum bw_status rotation_drain(struct bw_chain *c)
{
    enum bw_status status = BW_OK;
    size_t bytes[BW_RANKS_MOST];
    for (bool any = c->ranks && c->collective.n_writers; any && status == BW_OK;) {
        bool mine, all[BW_RANKS_MOST];
        request_wait(&c->collective, UNTIL_DONE);
        mine = request_is_pending(c);
        for (int32_t r = 0; r < c->ranks->size; r++) bytes[r] = sizeof mine;
        c->ranks->gather(c->ranks, &mine, bytes, all);
        any = false;
        for (int32_t r = 0; r < c->ranks->size; r++) any |= all[r];
        status = requests_handle(c, all);
    }
    return status;
}
