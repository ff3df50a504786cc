// SPDX-License-Identifier: Apache-2.0
/* Stages and exporters that shadow others of the same name: a user's own `emit` in place of Billow's may be meant, or
 * may be a surprise. */
#include "job.h"

void shadowed_plugins_report(const struct job *j, void (*report)(const char *id, const char *text, void *user),
                             void *user)
{
    const struct bw_registry *r = j->session->registry;
    for (int32_t i = 0; i < r->n_entries; i++) {
        const struct bw_entry *e = &r->entry[i];
        if (!e->shadows || !preset_uses(j->preset, e)) continue;
        char *text = bw_printf("the one in %s is used, which hides the one in %s", e->path, e->shadows);
        if (text) report(e->id, text, user);
        bw_free(text);
    }
}
