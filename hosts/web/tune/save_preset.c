// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "save_preset.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 60 };

/// Is it one of the folders of installed presets?
static int is_installed(struct bw_session *session, const char *folder)
{
    char *said = bw_session_machine(session, NULL);
    json_t *machine = said ? json_loads(said, 0, NULL) : NULL, *f;
    size_t i;
    int is = 0;
    bw_text_free(said);
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

void save_place_find(struct save_place *p, struct bw_session *session, const char *preset)
{
    const char *slash = strrchr(preset, '/');
    snprintf(p->folder, sizeof p->folder, "%.*s", slash ? (int)(slash - preset) : 0, preset);
    p->moved = is_installed(session, p->folder) || access(p->folder, W_OK) != 0;
    if (p->moved && !getcwd(p->folder, sizeof p->folder)) p->folder[0] = '\0';
}

static int is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t n = strlen(name);
    return n > 0 && n <= NAME && strspn(name, letters) == n && *name != '-';
}

static char *words(const char *format, const char *a, const char *b)
{
    json_t *o = json_sprintf(format, a, b);
    char *text = o ? strdup(json_string_value(o)) : NULL;
    json_decref(o);
    return text;
}

char *save_name_check(const char *name)
{
    return is_name(name) ? NULL : strdup("a preset's name has letters, digits, _ and -, 60 at most");
}

/// Does it run from there, too?
static int runs_there(struct bw_session *session, const char *path, const char *text)
{
    struct bw_bake_options o = {.size = sizeof o, .preset = path, .text = text};
    struct bw_bake *bake;
    if (bw_bake_open(session, &o, &bake)) return 0;
    const enum bw_status status = bw_bake_check(bake);
    bw_bake_close(bake);
    return !status;
}

/// 0: whole and new; else errno.
static int file_make(const char *path, const char *text)
{
    const size_t n = strlen(text);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return errno;
    errno = EIO;
    const int bad = write(fd, text, n) != (ssize_t)n || fsync(fd);
    const int error = errno;
    close(fd);
    if (!bad) return 0;
    unlink(path);
    return error;
}

char *save_preset(const struct save_place *p, struct bw_session *session, const char *name, const char *text, int *good)
{
    char path[sizeof p->folder + NAME + 8];
    *good = 0;
    snprintf(path, sizeof path, "%s/%s.yaml", p->folder, name);
    if (p->moved && !runs_there(session, path, text))
        return words("not saved: it names files beside the preset that are not in %s%s", p->folder, "");
    const int error = file_make(path, text);
    *good = !error;
    if (!error) return words("saved: %s%s", path, "");
    if (error == EEXIST) return words("%s is there already: give another name%s", path, "");
    return words("can't write %s: %s", path, strerror(error));
}
