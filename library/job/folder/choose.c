// SPDX-License-Identifier: Apache-2.0
/* The name of the output folder: out/NAME, or the next free one, NAME_v002. mkdir decides between concurrent bakes. */
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

/* The first free one of NAME_v002, _v003 …; frees `base`. */
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
    const char *out = j->options.out;
    char *base = *out ? bw_strdup(out) : bw_printf("out/%s%s", j->preset->name, j->options.quick ? "_quick" : "");
    for (size_t n = base ? strlen(base) : 0; n > 1 && base[n - 1] == '/'; n--) base[n - 1] = '\0';
    if (base && j->options.mode == BW_BAKE_BESIDE && path_exists(base)) base = folder_beside(base);
    if (!base) bw_diag_error(d, NULL, BW_ERR_MEMORY, "no folder name is free beside out/%s", j->preset->name);
    return base;
}

/* ---- making it ---- */

/* The next free name instead. */
static bool folder_try_next(struct job *j, struct bw_diag *d)
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
    bw_chain_set_folder(j->chain, next);
    pthread_mutex_unlock(&j->lock);
    return true;
}

/* Concurrent bakes may choose the same free name: the one whose mkdir succeeds has it, others try the next. */
static int folder_create_new(struct job *j, struct bw_diag *d)
{
    int root;
    while (!j->created) {
        char *slash = strrchr(j->out, '/');
        if (slash && slash > j->out) {
            *slash = '\0';
            root = file_root_open(j->out);
            *slash = '/';
            if (root < 0) return errno;
            close(root);
        }
        if (mkdir(j->out, 0777) == 0) j->created = true;
        else if (errno != EEXIST || !folder_try_next(j, d)) return errno;
    }
    return 0;
}

static int folder_create_or_open(struct job *j)
{
    int root = file_root_open(j->out);
    if (root < 0) return errno;
    return close(root), 0;
}

int folder_create(struct job *j, struct bw_diag *d)
{
    bool fresh = j->lock_fd < 0;
    int bad = j->options.mode == BW_BAKE_BESIDE ? folder_create_new(j, d) : folder_create_or_open(j);
    if (bad && !d->status)
        bw_diag_error(d, BW_NAMED(j->out), BW_ERR_IO, "%s: can't be made: %s", j->out, strerror(bad));
    if (bad || !folder_lock(j, d)) return -1;
    if (fresh) resume_forget(j);
    return fresh ? folder_decide(j, d) : 1; // another bake may have begun and ended meanwhile
}
