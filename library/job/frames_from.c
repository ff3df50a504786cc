// SPDX-License-Identifier: Apache-2.0
/* `frames_from`: a bake that reads the cache of another bake. That one goes first, and has a folder of its own. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "job.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *frames_from_preset(const struct bw_preset *p)
{
    char *beside = bw_printf("%s/%s.yaml", p->dir, p->frames_bake);
    if (!beside || access(beside, R_OK) == 0) return beside;
    bw_free(beside);
    return bw_strdup(p->frames_bake);
}

/* out/plume for a bake into out/plume_upres with frames from plume. */
char *frames_from_folder(const struct bw_preset *p, const char *out, int quick)
{
    const char *slash = strrchr(out, '/'), *name = strrchr(p->frames_bake, '/');
    name = name ? name + 1 : p->frames_bake;
    return bw_printf("%.*s%.*s%s", slash ? (int)(slash - out) + 1 : 0, out, (int)strcspn(name, "."), name,
                     quick ? "_quick" : "");
}

enum bw_status frames_from_check_folder(const struct bw_preset *p, const char *out, struct bw_diag *d)
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

enum { SOURCES_MAX = 16 };

/* The chain of presets from the bake's own to the current one. */
struct preset_chain {
    const struct session *session;
    const struct bw_preset *asked;
    char *real[SOURCES_MAX];
    int32_t n;
    struct bw_diag *d;
};

static enum bw_status preset_chain_error(const struct preset_chain *w, const char *format, const char *name)
{
    const struct bw_node *n = bw_node_get(w->asked->root, "frames_from"), *bake = bw_node_get(n, "bake");
    char message[600];
    snprintf(message, sizeof message, format, name);
    return bw_diag_error(w->d, bake ? &bake->place : &n->place, BW_ERR_PRESET, "frames_from: %s", message);
}

/* Append a preset's file; an error when the chain has it already. */
static enum bw_status preset_chain_add(struct preset_chain *w, const char *path)
{
    char *real = realpath(path, NULL); /* a preset that is given as text has none */
    for (int32_t i = 0; real && i < w->n; i++) {
        if (strcmp(real, w->real[i])) continue;
        free(real);
        return preset_chain_error(w, "%s would take its frames from itself", path);
    }
    if (w->n < SOURCES_MAX) return real ? (w->real[w->n++] = real, BW_OK) : BW_OK;
    free(real);
    return preset_chain_error(w, "too many presets take their frames from each other, down to %s", path);
}

/* An error message never quotes from a file that is no preset. */
static bool preset_check(const struct preset_chain *w, const char *path)
{
    char *text = bw_file_text(path, NULL, w->d);
    const bool good = text && bw_preset_is_text(text);
    if (text && !good) preset_chain_error(w, "%s is no preset: no line of it begins with billow: 1", path);
    bw_free(text);
    return good;
}

/* The preset whose bake `p` waits for, or NULL when there is none or with an error in `d`. */
static struct bw_preset *preset_chain_next(struct preset_chain *w, const struct bw_preset *p)
{
    if (!p->frames_bake) return NULL;
    struct bw_diag own = {0};
    char *name = frames_from_preset(p);
    char *path = name ? bw_preset_find(name, w->session->preset_path, w->session->folders.presets, &own) : NULL;
    struct bw_preset *next =
        path && !preset_chain_add(w, path) && preset_check(w, path) ? session_preset(w->session, path, w->d) : NULL;
    if (!path && own.status == BW_ERR_PRESET) preset_chain_error(w, "%s", own.first ? own.first : name);
    else if (!path) out_of_memory(w->d);
    bw_diag_free(&own);
    bw_free(name);
    bw_free(path);
    return next;
}

enum bw_status frames_from_check_cycle(const struct session *s, const struct bw_preset *p, struct bw_diag *d)
{
    struct preset_chain w = {.session = s, .asked = p, .d = d};
    struct bw_preset *next = preset_chain_add(&w, p->path) ? NULL : preset_chain_next(&w, p), *before;
    while ((before = next)) {
        next = preset_chain_next(&w, before);
        bw_preset_free(before);
    }
    for (int32_t i = 0; i < w.n; i++) free(w.real[i]);
    return d->status;
}
