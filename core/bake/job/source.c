// SPDX-License-Identifier: Apache-2.0
/* Bakes whose frames come from files: the bake that makes those files goes first, and its folder is not this one's. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *source_preset(const struct bw_preset *p)
{
    char *beside = bw_printf("%s/%s.yaml", p->dir, p->frames_bake);
    if (!beside || access(beside, R_OK) == 0) return beside;
    bw_free(beside);
    return bw_strdup(p->frames_bake);
}

/* out/plume for a bake into out/plume_upres that goes on from plume. */
char *source_folder(const struct bw_preset *p, const char *out, int quick)
{
    const char *slash = strrchr(out, '/'), *name = strrchr(p->frames_bake, '/');
    name = name ? name + 1 : p->frames_bake;
    return bw_printf("%.*s%.*s%s", slash ? (int)(slash - out) + 1 : 0, out, (int)strcspn(name, "."), name,
                     quick ? "_quick" : "");
}

enum bw_status source_check(const struct bw_preset *p, const char *out, struct bw_diag *d)
{
    if (!p->frames_from) return BW_OK;
    char *whole = realpath(out, NULL), *folder = bw_strdup(p->frames_from), *real = NULL;
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) *slash = '\0', real = realpath(folder, NULL);
    size_t n = whole ? strlen(whole) : 0;
    if (whole && real && !strncmp(real, whole, n) && (!real[n] || real[n] == '/'))
        bw_diag_error(d, NULL, BW_ERR_USAGE, "%s holds the cache that this would read: another output folder is wanted",
                      out);
    free(whole);
    free(real);
    bw_free(folder);
    return d->status;
}
