// SPDX-License-Identifier: Apache-2.0
/* Bakes whose frames come from files: the bake that makes those files goes first, and its folder is not this one's. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "bake.h"

#include "base/alloc.h"
#include "look/cache.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside the preset that names it, else wherever presets are looked up. New memory. */
static char *preset_file(const struct bw_preset *p)
{
    char *beside = bw_printf("%s/%s.yaml", p->dir, p->frames_bake);
    if (!beside || access(beside, R_OK) == 0) return beside;
    bw_free(beside);
    return bw_strdup(p->frames_bake);
}

/* out/plume for a bake into out/plume_upres that goes on from plume. New memory. */
static char *folder_beside(const struct source_wish *w)
{
    const char *slash = strrchr(w->out, '/'), *name = strrchr(w->preset->frames_bake, '/');
    name = name ? name + 1 : w->preset->frames_bake;
    return bw_printf("%.*s%.*s%s", slash ? (int)(slash - w->out) + 1 : 0, w->out, (int)strcspn(name, "."), name,
                     w->quick ? "_quick" : "");
}

static int bake_run(const struct source_wish *w, char *preset, char *folder)
{
    char threads[16], word[][16] = {"bake", "--out", "--threads", "--quick", "--dry-run"};
    char *argv[16] = {word[0], preset, word[1], folder};
    int argc = 4;
    if (w->threads) {
        snprintf(threads, sizeof threads, "%u", w->threads);
        argv[argc++] = word[2], argv[argc++] = threads;
    }
    if (w->quick) argv[argc++] = word[3];
    if (w->dry_run) argv[argc++] = word[4];
    optind = 0; // getopt begins anew
    return cmd_bake(argc, argv);
}

enum bw_status source_make(const struct source_wish *w, char **setting, struct bw_diag *d)
{
    char *preset = preset_file(w->preset), *folder = folder_beside(w), *pattern = NULL;
    *setting = NULL;
    if (!preset || !folder) bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory");
    int code = d->status ? 0 : bake_run(w, preset, folder);
    if (code)
        bw_diag_error(d, NULL, code == 130 ? BW_ERR_CANCELLED : (enum bw_status) - code,
                      "%s takes its frames from %s, in %s", w->preset->name, w->preset->frames_bake, folder);
    else if (!d->status && (!w->dry_run || access(folder, R_OK) == 0)) pattern = cli_cache_pattern(folder, d);
    if (pattern && !(*setting = bw_printf("frames_from=\"%s\"", pattern)))
        bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory");
    bw_free(pattern);
    bw_free(folder);
    bw_free(preset);
    return d->status;
}

enum bw_status source_check(const struct bw_preset *p, const char *out, struct bw_diag *d)
{
    if (!p->frames_from) return BW_OK;
    char *whole = realpath(out, NULL), *folder = bw_strdup(p->frames_from), *real = NULL;
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) *slash = '\0', real = realpath(folder, NULL);
    size_t n = whole ? strlen(whole) : 0;
    if (whole && real && !strncmp(real, whole, n) && (!real[n] || real[n] == '/'))
        bw_diag_error(d, NULL, BW_ERR_USAGE, "%s holds the cache that this would read: --out DIR writes elsewhere",
                      out);
    free(whole);
    free(real);
    bw_free(folder);
    return d->status;
}
