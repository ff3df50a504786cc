// SPDX-License-Identifier: Apache-2.0
#include "place.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MOST = 9999 };

/// Beside the files; of what is tried, whose files go with the program, in the working folder.
static int folder_make(struct source *s, char out[PLACE], char said[PLACE])
{
    char *at = !strcmp(s->kind, "quick") ? strdup(".") : source_path(s, "."), *whole = at ? realpath(at, NULL) : NULL;
    const int there = whole && snprintf(out, PLACE - 300, "%s/views", whole) < PLACE - 300;
    free(at);
    free(whole);
    if (!there) {
        snprintf(said, PLACE, "this bake writes no files: there is no folder to save in");
        return 0;
    }
    struct stat st; // a link of that name would have pictures written elsewhere
    if ((!mkdir(out, 0777) || errno == EEXIST) && !lstat(out, &st)) {
        if (S_ISDIR(st.st_mode)) return 1;
        errno = ENOTDIR;
    }
    snprintf(said, PLACE, "cannot make %.3000s: %s", out, strerror(errno));
    return 0;
}

/// The title as part of a file's name.
static void name_of(struct source *s, char out[100])
{
    pthread_mutex_lock(&s->lock);
    snprintf(out, 100, "%s", s->title && *s->title ? s->title : "view");
    pthread_mutex_unlock(&s->lock);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_", *c)) *c = '_';
}

int place_write(struct source *s, const char *ending, enum bw_status (*write)(void *user, const char *path), void *user,
                char said[PLACE])
{
    char folder[PLACE], name[100];
    if (!folder_make(s, folder, said)) return 0;
    name_of(s, name);
    for (int i = 1; i <= NAMES_MOST; i++) {
        snprintf(said, PLACE, "%.3700s/%s_%03d.%s", folder, name, i, ending);
        if (!access(said, F_OK)) continue;
        const enum bw_status status = write(user, said);
        if (!status) return 1;
        if (status == BW_ERR_IO && !access(said, F_OK)) continue; // somebody else's since
        snprintf(said, PLACE, "%s", bw_error_last()->sentence);
        return 0;
    }
    snprintf(said, PLACE, "%.3000s holds %d of them: no name is left", folder, NAMES_MOST);
    return 0;
}
