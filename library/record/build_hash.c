// SPDX-License-Identifier: Apache-2.0
/* The build that makes a bake: a hash over the files of the library and of the plugins that the preset uses. */
#include "record.h"

#include <string.h>
#include <xxhash.h>

/* XXH3, not cryptographic: it only detects another build. */
static uint64_t file_hash(uint64_t h, const char *path)
{
    char buffer[65536];
    FILE *f = path ? fopen(path, "rb") : NULL;
    for (size_t n; f && (n = fread(buffer, 1, sizeof buffer, f)) > 0;) h = XXH3_64bits_withSeed(buffer, n, h);
    if (f) fclose(f);
    return h;
}

bool preset_uses(const struct bw_preset *p, const struct bw_entry *e)
{
    for (int32_t k = 0; !e->exports && k < p->n_stages; k++) {
        if (p->stage[k].enabled && !strcmp(p->stage[k].type, e->id)) return true;
    }
    for (int32_t k = 0; e->exports && k < p->n_exports; k++) {
        if (p->export[k].enabled && !strcmp(p->export[k].type, e->id)) return true;
    }
    return false;
}

static uint64_t part_add(json_t *builds, uint64_t h, const char *path)
{
    char text[24];
    const char *base = path ? strrchr(path, '/') : NULL;
    snprintf(text, sizeof text, "%016llx", (unsigned long long)file_hash(0, path));
    json_object_set_new(builds, base ? base + 1 : path ? path : "", json_string(text));
    return file_hash(h, path);
}

json_t *build_hash(const struct bw_preset *p, const struct bw_registry *r, const char *library, char out[24])
{
    json_t *builds = json_object();
    uint64_t h = part_add(builds, 0, library);
    for (int32_t i = 0; i < r->n_entries; i++) {
        int again = 0;
        if (!preset_uses(p, &r->entry[i])) continue;
        for (int32_t k = 0; k < i; k++) {
            again |= preset_uses(p, &r->entry[k]) && !strcmp(r->entry[k].path, r->entry[i].path);
        }
        if (!again) h = part_add(builds, h, r->entry[i].path);
    }
    snprintf(out, 24, "%016llx", (unsigned long long)h);
    return builds;
}
