// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "save_preset.h"

#include "json_text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_NAME = 60 };

/// Is it a folder of installed presets, or inside one?
static int is_installed(struct bw_session *session, const char *folder)
{
    json_t *machine = json_from_text(bw_session_machine(session, NULL)), *f;
    size_t i;
    int is = 0;
    json_array_foreach (json_object_get(machine, "presets"), i, f) {
        const char *path = json_string_value(json_object_get(f, "path"));
        char *real = path ? realpath(path, NULL) : NULL;
        const size_t n = real ? strlen(real) : 0;
        is |= n && !strncmp(folder, real, n) && (!folder[n] || folder[n] == '/');
        free(real);
    }
    json_decref(machine);
    return is;
}

void save_target_find(struct save_target *t, struct bw_session *session, const char *preset)
{
    const char *slash = strrchr(preset, '/');
    snprintf(t->folder, sizeof t->folder, "%.*s", slash ? (int)(slash - preset) : 0, preset);
    t->moved = is_installed(session, t->folder) || access(t->folder, W_OK) != 0;
    if (t->moved && !getcwd(t->folder, sizeof t->folder)) t->folder[0] = '\0';
}

static int is_preset_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t n = strlen(name);
    return n > 0 && n <= MAX_NAME && strspn(name, letters) == n && *name != '-';
}

static char *sentence_format(const char *format, const char *a, const char *b)
{
    json_t *o = json_sprintf(format, a, b);
    char *text = o ? strdup(json_string_value(o)) : NULL;
    json_decref(o);
    return text;
}

char *save_name_check(const char *name)
{
    return is_preset_name(name) ? NULL : strdup("a preset's name has letters, digits, _ and -, 60 at most");
}

/// Does the preset check at that path too, whose relative paths start elsewhere?
static int runs_from(struct bw_session *session, const char *path, const char *text)
{
    struct bw_bake_options o = {.size = sizeof o, .preset = path, .text = text};
    struct bw_bake *bake;
    if (bw_bake_open(session, &o, &bake)) return 0;
    const enum bw_status status = bw_bake_check(bake);
    bw_bake_close(bake);
    return !status;
}

/// Write a new file and sync it. 0, or errno and nothing is left.
static int file_create(const char *path, const char *text)
{
    const size_t n = strlen(text);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return errno;
    errno = EIO;
    const int error_json = write(fd, text, n) != (ssize_t)n || fsync(fd);
    const int error = errno;
    close(fd);
    if (!error_json) return 0;
    unlink(path);
    return error;
}

char *save_preset(const struct save_target *t, struct bw_session *session, const char *name, const char *text,
                  int *good)
{
    char path[sizeof t->folder + MAX_NAME + 8];
    *good = 0;
    snprintf(path, sizeof path, "%s/%s.yaml", t->folder, name);
    if (t->moved && !runs_from(session, path, text))
        return sentence_format("not saved: it names files beside the preset that are not in %s%s", t->folder, "");
    const int error = file_create(path, text);
    *good = !error;
    if (!error) return sentence_format("saved: %s%s", path, "");
    if (error == EEXIST) return sentence_format("%s is there already: give another name%s", path, "");
    return sentence_format("can't write %s: %s", path, strerror(error));
}
