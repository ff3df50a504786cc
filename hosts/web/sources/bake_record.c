// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "bake_record.h"

#include "json_text.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 4200 };

/// Parse bake.json.
static void record_read(struct bake_record *r, const char *folder)
{
    enum { MOST = 64 << 20 };
    json_t *o = json_from_text(bw_folder_read(folder, "bake.json", MOST, NULL)), *frames = json_object_get(o, "frames");
    const char *simd = json_string_value(json_object_get(o, "simd"));
    r->present = json_array_size(frames) == 2;
    r->complete = json_is_true(json_object_get(o, "complete"));
    r->first = json_integer_value(json_array_get(frames, 0));
    r->last = json_integer_value(json_array_get(frames, 1));
    snprintf(r->simd, sizeof r->simd, "%s", simd ? simd : "");
    json_decref(o);
}

int bake_record_refresh(struct bake_record *r, const char *folder)
{
    char path[PATH], resolved[PATH];
    struct stat st;
    struct bake_record now = {0};
    snprintf(path, sizeof path, "%s/bake.json", folder ? folder : "");
    snprintf(resolved, sizeof resolved, "%s/resolved.yaml", folder ? folder : "");
    if (folder && !access(resolved, R_OK) && !stat(path, &st)) {
        now.changed = st.st_mtim;
        now.size = st.st_size;
        if (now.size == r->size && !memcmp(&now.changed, &r->changed, sizeof now.changed)) return 0;
        record_read(&now, folder);
    }
    const int same = now.present == r->present && now.complete == r->complete && now.first == r->first &&
                     now.last == r->last && !strcmp(now.simd, r->simd);
    *r = now;
    return !same;
}

json_t *bake_record_json(const struct bake_record *r)
{
    if (!r->present) return json_null();
    return json_pack("{s:I, s:I, s:b}", "first", (json_int_t)r->first, "last", (json_int_t)r->last, "complete",
                     r->complete);
}
