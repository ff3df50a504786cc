// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "record/record.h"
#include "session/session.h"
#include <string.h>

static const struct finding_kind unfinished = {"unfinished", true, "billow resume goes on with it"};
static const struct finding_kind lost = {"record", true, "take it from a copy, or bake again with --force"};
static const struct finding_kind ends = {"ends", true, "bake again with --force, or set the host's range by the files"};
static const struct finding_kind missing = {"missing", true, "billow resume makes it again"};
static const struct finding_kind altered = {"altered", true,
                                            "it is not what the bake wrote: billow resume makes it again"};

static void frame_range_check(struct findings *f, const json_t *root, const struct range *q)
{
    const json_t *frames = json_object_get(root, "frames");
    if (json_array_size(frames) != 2) return;
    long long first = json_integer_value(json_array_get(frames, 0)),
              last = json_integer_value(json_array_get(frames, 1));
    if (q->first != first)
        finding_add(f, &ends, NULL, "%s: the first frames are missing: it begins with %lld, the bake with %lld",
                    q->stem, (long long)q->first, first);
    if (q->last != last)
        finding_add(f, &ends, NULL, "%s: the last frames are missing: it ends with %lld, the bake with %lld", q->stem,
                    (long long)q->last, last);
}

/* Sizes and checksums by the record; a file with a finding already is skipped. */
static void files_check(struct findings *f, const struct bake_record *r, const char *folder)
{
    json_t *bad = record_verify(r, folder, true), *one;
    size_t i;
    json_array_foreach (bad, i, one) {
        const char *fault = json_string_value(json_object_get(one, "fault"));
        char *file = bw_printf("%s/%s", folder, json_string_value(json_object_get(one, "name")));
        if (file && fault && !findings_has(f, file))
            finding_add(f, strcmp(fault, "missing") ? &altered : &missing, NULL, "%s %s", file,
                        json_string_value(json_object_get(one, "words")));
        bw_free(file);
    }
    json_decref(bad);
}

void record_check(struct findings *f, const char *folder, const struct range *sequence, size_t n)
{
    struct bake_record r = record_read(folder);
    if (r.lost) {
        finding_add(f, &lost, NULL, "%s/bake.json: the record of the bake can't be read: %s", folder, r.why);
    } else if (r.root && !r.complete) {
        finding_add(f, &unfinished, NULL, "%s: the bake did not come to its end", folder);
        finding_advise(f, bw_printf("billow resume %s goes on with it, bake --force begins anew", folder));
    }
    for (size_t i = 0; r.complete && i < n; i++) frame_range_check(f, r.root, &sequence[i]);
    files_check(f, &r, folder);
    record_free(&r);
}
