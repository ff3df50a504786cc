// SPDX-License-Identifier: Apache-2.0
/* Which folder a bake writes into: out/NAME, or the next free name beside it, where mkdir decides whose it is. */
#include "job/job.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int path_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* NAME_v002, _v003 …: the first that is free; takes `base`. */
static char *folder_beside(char *base)
{
    char *found = NULL;
    for (int v = 2; v < 10000 && !found; v++) {
        found = bw_printf("%s_v%03d", base, v);
        if (!found) break;
        if (path_exists(found)) {
            bw_free(found);
            found = NULL;
        }
    }
    bw_free(base);
    return found;
}

char *folder_choose(const struct job *j, struct bw_diag *d)
{
    const char *out = j->asked.out;
    char *base = *out ? bw_strdup(out) : bw_printf("out/%s%s", j->preset->name, j->asked.quick ? "_quick" : "");
    for (size_t n = base ? strlen(base) : 0; n > 1 && base[n - 1] == '/'; n--) base[n - 1] = '\0';
    if (base && j->asked.mode == BW_BAKE_BESIDE && path_exists(base)) base = folder_beside(base);
    if (!base) bw_diag_error(d, NULL, BW_ERR_MEMORY, "no folder name is free beside out/%s", j->preset->name);
    return base;
}

/* ---- making it ---- */

/* The next free name instead. */
static bool folder_next(struct job *j, struct bw_diag *d)
{
    char *next = folder_choose(j, d);
    pthread_mutex_lock(&j->lock); // others may ask for facts, which hold as long as the bake
    bool kept = next && texts_adopt(&j->texts, j->out);
    if (!kept) {
        pthread_mutex_unlock(&j->lock);
        bw_free(next);
        return out_of_memory(d), false;
    }
    j->out = next;
    j->facts.out = j->run.out = next;
    bw_chain_move(j->chain, next);
    pthread_mutex_unlock(&j->lock);
    return true;
}

/* Others may have seen the same name free: who makes the folder has it, the rest go on to the next name. */
static int folder_claim(struct job *j, struct bw_diag *d)
{
    int root;
    while (!j->claimed) {
        char *slash = strrchr(j->out, '/');
        if (slash && slash > j->out) {
            *slash = '\0';
            root = file_root_open(j->out);
            *slash = '/';
            if (root < 0) return errno;
            close(root);
        }
        if (mkdir(j->out, 0777) == 0) j->claimed = true;
        else if (errno != EEXIST || !folder_next(j, d)) return errno;
    }
    return 0;
}

static int folder_make(struct job *j)
{
    int root = file_root_open(j->out);
    if (root < 0) return errno;
    return close(root), 0;
}

int folder_take(struct job *j, struct bw_diag *d)
{
    bool fresh = j->lock_fd < 0;
    int bad = j->asked.mode == BW_BAKE_BESIDE ? folder_claim(j, d) : folder_make(j);
    if (bad && !d->status)
        bw_diag_error(d, BW_NAMED(j->out), BW_ERR_IO, "%s: can't be made: %s", j->out, strerror(bad));
    if (bad || !folder_lock(j, d)) return -1;
    if (fresh) resume_forget(j);
    return fresh ? folder_decide(j, d) : 1; // another bake may have begun and ended meanwhile
}
