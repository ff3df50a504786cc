// SPDX-License-Identifier: Apache-2.0
/* One bake over several MPI ranks. The launcher's environment gives rank and size, so a machine without MPI loads
 * nothing. Before the first frame all ranks exchange a handshake: build, values, SIMD level. Rank 0 alone has the
 * output folder; the others follow its decision. */
#include "job.h"

#include "base/transport.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 64 };             // owners of a tile are a bit each (grid/ranks/ranks.c)
static const double END_TIMEOUT = 5; // s, for all ranks to reach the end

/* ---- rank and size ---- */

/* Size first; srun's are of its steps, for a batch script alone has the others. */
static const char *const variables[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"},
                                           {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

int32_t bw_process_rank(int32_t *size)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *n = getenv(variables[i][0]), *rank = getenv(variables[i][1]);
        if (!n || !rank || atoi(n) < 2) continue;
        if (size) *size = atoi(n);
        return atoi(rank);
    }
    if (size) *size = 1;
    return 0;
}

/* ---- the MPI module ---- */

static struct bw_transport *mpi; ///< one per process

/* MPI itself would end the process, with a page of words. */
static int srun_is_bare(void) { return !getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE") && !getenv("PMIX_RANK"); }

static struct bw_transport *mpi_open(struct bw_diag *d)
{
    char why[300] = "";
    int32_t size;
    bw_process_rank(&size);
    void *library = mpi ? NULL : dlopen("libbillow-mpi.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *symbol = library ? dlsym(library, BW_TRANSPORT_SYMBOL) : NULL;
    bw_transport_open_fn open = NULL;
    memcpy(&open, &symbol, sizeof open);
    if (!mpi && !open) {
        const char *reason = dlerror();
        bw_diag_error(d, NULL, BW_ERR_USAGE,
                      "%d processes were started for one bake, but the module for MPI can't be loaded: %s", (int)size,
                      reason ? reason : "it is another library");
        return NULL;
    }
    if (!mpi && srun_is_bare()) {
        bw_diag_error(d, NULL, BW_ERR_USAGE,
                      "srun started %d processes for one bake, but told MPI nothing of each other: srun --mpi=pmix",
                      (int)size);
        return NULL;
    }
    if (!mpi && !(mpi = open(why, sizeof why)))
        bw_diag_error(d, NULL, BW_ERR_USAGE, "%d processes were started for one bake, but not joined: %s", (int)size,
                      why);
    if (!mpi || mpi->size == size) return mpi;
    bw_diag_error(d, NULL, BW_ERR_USAGE,
                  "%d processes were started for one bake, but MPI joined %d: start them by the mpirun of this MPI, or "
                  "by srun --mpi=pmix",
                  (int)size, (int)mpi->size);
    return NULL;
}

/* ---- handshake ---- */

struct handshake {
    int32_t go, changed;
    uint32_t status; ///< negated
    char version[24], build[24], hash[24], simd[12];
    char words[512], checkpoint[1024];
};

static void text_copy(char *to, size_t size, const char *text) { snprintf(to, size, "%s", text ? text : ""); }

static void handshake_fill(struct handshake *c, const struct job *j, int go, const struct bw_diag *d)
{
    memset(c, 0, sizeof *c);
    c->go = go;
    c->changed = resume_differs(j);
    c->status = (uint32_t)-d->status;
    text_copy(c->version, sizeof c->version, BW_VERSION);
    text_copy(c->build, sizeof c->build, j->facts.build);
    text_copy(c->hash, sizeof c->hash, j->facts.hash);
    text_copy(c->simd, sizeof c->simd, j->facts.simd);
    text_copy(c->words, sizeof c->words, d->first);
    text_copy(c->checkpoint, sizeof c->checkpoint, j->resume.path);
}

static bool handshakes_differ(const struct handshake *a, const struct handshake *b, int rank, struct bw_diag *d)
{
    const struct {
        const char *what, *first, *other;
    } row[] = {{"version", a->version, b->version},
               {"build", a->build, b->build},
               {"instruction set", a->simd, b->simd},
               {"preset", a->hash, b->hash}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (!strcmp(row[i].first, row[i].other)) continue;
        bw_diag_error(d, NULL, BW_ERR_USAGE, "rank %d has another %s than rank 0: %s and %s; all must have the same",
                      rank, row[i].what, row[i].other, row[i].first);
        return true;
    }
    return false;
}

static int64_t tiles_max(const struct bw_preset *p)
{
    int64_t most = 0;
    for (int32_t i = 0; i < p->n_domains; i++) {
        const struct bw_domain_info *g = &p->domain[i].info;
        int64_t n = 1;
        for (int a = 0; a < 3; a++) n *= (g->n[a] + g->tile[a] - 1) / g->tile[a];
        if (g->n[0] <= 0) n = INT64_MAX;
        most = n > most ? n : most;
    }
    return most;
}

/* Rank 0 decides; another rank's failure is reported as that rank's. */
static int handshakes_judge(struct job *j, const struct handshake *all, int32_t n, struct bw_diag *d)
{
    const int64_t tiles = tiles_max(j->preset);
    if (all->go < 0) {
        if (d->status == BW_OK) bw_diag_error(d, NULL, (enum bw_status) - (int)all->status, "%s", all->words);
        return all->go;
    }
    for (int32_t r = 0; r < n; r++) {
        if (handshakes_differ(all, &all[r], r, d)) return -1;
        if (all[r].go >= 0) continue;
        bw_diag_error(d, NULL, (enum bw_status) - (int)all[r].status, "rank %d: %s", (int)r, all[r].words);
        return -1;
    }
    if (all->go && n > 1 && j->preset->domain[0].flow > 1)
        return bw_diag_error(d, &j->preset->domain[0].place, BW_ERR_USAGE,
                             "domain.flow works in one process: bake it without ranks"),
               -1;
    if (all->go && n > tiles)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "%d ranks for %lld tiles: one would have nothing to do; start %lld",
                             (int)n, (long long)tiles, (long long)tiles),
               -1;
    if (all->go && n > RANKS_MAX)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "%d ranks: %d are the most", (int)n, RANKS_MAX), -1;
    return all->go;
}

int ranks_agree(struct job *j, int go, struct bw_diag *d)
{
    if (!j->distributed) return go;
    struct bw_transport *t = mpi_open(d);
    struct handshake mine, *all = t ? bw_calloc((size_t)t->size * sizeof *all) : NULL;
    size_t *bytes = t ? bw_calloc((size_t)t->size * sizeof *bytes) : NULL;
    j->ranks = t;
    if (all && bytes) {
        for (int32_t r = 0; r < t->size; r++) bytes[r] = sizeof mine;
        handshake_fill(&mine, j, go, d);
        t->gather(t, &mine, bytes, all);
        go = handshakes_judge(j, all, t->size, d);
        if (t->rank && *all->checkpoint) {
            const char *path = texts_copy(&j->texts, all->checkpoint);
            if (path) bw_chain_resume(j->chain, path, all->changed);
            else go = -1, out_of_memory(d);
        }
        if (go > 0) bw_chain_ranks(j->chain, t);
        else ranks_finish(j);
    } else {
        if (t) out_of_memory(d);
        go = -1;
    }
    bw_free(all);
    bw_free(bytes);
    return go;
}

/* Rank 0's newest checkpoint, for all ranks to end with the same exit code (75). */
static void checkpoint_share(struct job *j)
{
    char path[1024];
    const size_t bytes[RANKS_MAX] = {sizeof path};
    pthread_mutex_lock(&j->lock);
    text_copy(path, sizeof path, j->checkpoint);
    pthread_mutex_unlock(&j->lock);
    j->ranks->gather(j->ranks, NULL, bytes, path);
    if (!j->ranks->rank || !*path) return;
    pthread_mutex_lock(&j->lock);
    j->checkpoint = texts_copy(&j->texts, path);
    pthread_mutex_unlock(&j->lock);
}

void ranks_finish(struct job *j)
{
    if (!j->ranks) return;
    j->ended_together = j->ranks->part(j->ranks, END_TIMEOUT) != 0;
    if (j->ended_together) checkpoint_share(j);
}
