// SPDX-License-Identifier: Apache-2.0
/* Sizes and checksums (XXH3) of a bake's files, and their verification. A file list is JSON by name: false while a file
 * is being written, {"bytes", "xxh3"} when it is complete, true when its checksum is unknown: bake.json, and files in
 * records of older versions. */
#include "record.h"

#include "base/alloc.h"
#include "run/output/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

json_t *file_entry_json(const struct file_facts *whole)
{
    char sum[24];
    if (!whole) return json_false();
    if (whole->bytes < 0) return json_true();
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)whole->xxh3);
    return json_pack("{s:I, s:s}", "bytes", (json_int_t)whole->bytes, "xxh3", sum);
}

struct file_facts file_entry_facts(const json_t *file)
{
    const json_t *bytes = json_object_get(file, "bytes");
    const char *sum = json_string_value(json_object_get(file, "xxh3"));
    char *end = NULL;
    struct file_facts f = {.bytes = FILE_UNKNOWN};
    if (!json_is_integer(bytes) || !sum || strlen(sum) != 16) return f;
    f.xxh3 = strtoull(sum, &end, 16);
    if (!*end && json_integer_value(bytes) >= 0) f.bytes = json_integer_value(bytes);
    return f;
}

bool file_entry_is_whole(const json_t *file) { return json_is_true(file) || json_is_object(file); }

/* ---- verification ---- */

enum file_fault file_fault(const char *out, const char *name, const json_t *file, bool deep, struct file_facts *found)
{
    struct file_facts wanted = file_entry_facts(file);
    struct stat st;
    const char *why;
    int fd = file_inside_open(out, name, &why);
    *found = (struct file_facts){.bytes = FILE_UNKNOWN};
    if (fd < 0 && errno == EACCES) return FILE_UNREADABLE;
    enum file_fault fault = fd >= 0 && fstat(fd, &st) == 0 ? FILE_GOOD : FILE_MISSING;
    if (!fault) found->bytes = st.st_size;
    if (!fault && wanted.bytes >= 0 && wanted.bytes != st.st_size) fault = FILE_SIZE;
    if (!fault && deep && wanted.bytes >= 0) {
        if (!file_measure(fd, found)) fault = FILE_UNREADABLE;
        else if (found->bytes != wanted.bytes || found->xxh3 != wanted.xxh3) fault = FILE_SUM;
    }
    if (fd >= 0) close(fd);
    return fault;
}

static json_t *fault_json(const char *name, enum file_fault fault, const json_t *file, const struct file_facts *found)
{
    static const char *const word[] = {"", "missing", "size", "sum", "unreadable"};
    char words[120];
    if (fault == FILE_MISSING) snprintf(words, sizeof words, "is missing");
    else if (fault == FILE_SIZE)
        snprintf(words, sizeof words, "has %lld bytes, not the %lld that were written", (long long)found->bytes,
                 (long long)file_entry_facts(file).bytes);
    else snprintf(words, sizeof words, fault == FILE_SUM ? "has not the bytes that were written" : "can't be read");
    return json_pack("{s:s, s:s, s:s}", "name", name, "fault", word[fault], "words", words);
}

bool file_is_checkpoint(const char *name) { return !strncmp(name, "checkpoints/", 12); }

json_t *files_verify(json_t *files, const char *out, bool deep)
{
    json_t *bad = json_array(), *file;
    const char *name;
    json_object_foreach (files, name, file) {
        struct file_facts found;
        enum file_fault fault = file_entry_is_whole(file) ? file_fault(out, name, file, deep, &found) : FILE_GOOD;
        if (fault == FILE_MISSING && file_is_checkpoint(name)) continue;
        if (fault) json_array_append_new(bad, fault_json(name, fault, file, &found));
    }
    return bad;
}

char *faults_message(const json_t *bad)
{
    const json_t *first = json_array_get(bad, 0);
    size_t n = json_array_size(bad);
    char more[40] = "";
    if (n > 1) snprintf(more, sizeof more, ", and %zu more %s", n - 1, n > 2 ? "files" : "file");
    return bw_printf("%s %s%s", json_string_value(json_object_get(first, "name")),
                     json_string_value(json_object_get(first, "words")), more);
}
