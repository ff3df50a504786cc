// SPDX-License-Identifier: Apache-2.0
/* Stages and exporters of a bake that hide others of the same name: somebody's own `emit` in place of Billow's may be
 * meant, and may be a surprise. */
#include "job.h"

#include <string.h>

static bool is_used(const struct bw_entry *e, const struct bw_preset *p)
{
    for (int32_t i = 0; !e->exports && i < p->n_stages; i++)
        if (p->stage[i].enabled && !strcmp(p->stage[i].type, e->id)) return true;
    for (int32_t i = 0; e->exports && i < p->n_exports; i++)
        if (p->export[i].enabled && !strcmp(p->export[i].type, e->id)) return true;
    return false;
}

void shadows_say(const struct job *j, void (*say)(const char *id, const char *text, void *user), void *user)
{
    const struct bw_registry *r = j->session->registry;
    for (int32_t i = 0; i < r->n_entries; i++) {
        const struct bw_entry *e = &r->entry[i];
        if (!e->shadows || !is_used(e, j->preset)) continue;
        char *text = bw_printf("the one in %s is used, which hides the one in %s", e->path, e->shadows);
        if (text) say(e->id, text, user);
        bw_free(text);
    }
}
