// SPDX-License-Identifier: Apache-2.0
#include "files.h"
#include "base/alloc.h"
#include "base/text/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const size_t PART_MAX = NAME_MAX - 6; ///< room for ".NAME.part"
static const int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/* ---- names ---- */

bool file_name_is_inside(const char *name)
{
    if (!name || !*name || *name == '/') return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/')) return false;
    }
    return true;
}

const char *file_name_fault(const char *name)
{
    if (!file_name_is_inside(name)) return "does not lie in the output folder";
    const char *base = file_base(name);
    size_t n = strlen(base);
    if (!n) return "ends in a slash";
    if (*base == '.' && n > 5 && !strcmp(base + n - 5, ".part")) return "is kept for files that are half-written";
    if (bw_text_fault(name)) return bw_text_fault(name);
    for (const char *part = name; part; part = *part ? part + 1 : NULL) {
        n = strcspn(part, "/");
        if (n > PART_MAX) return "is too long";
        part += n;
    }
    return NULL;
}

const char *file_base(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

char *file_temporary(const char *name)
{
    const char *base = file_base(name);
    return bw_printf("%.*s.%s.part", (int)(base - name), name, base);
}

/* ---- folders ---- */

int file_root_open(const char *path)
{
    char *copy = bw_strdup(path);
    bool good = copy != NULL;
    if (!good) errno = ENOMEM;
    for (char *c = copy ? copy + 1 : NULL; good; c++) {
        if (*c && *c != '/') continue;
        char kept = *c;
        *c = '\0';
        good = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *c = kept;
        if (!kept) break;
    }
    bw_free(copy);
    return good ? open(path, folder_flags) : -1;
}

static int below_open(int folder, const char *part, bool make)
{
    if (make && mkdirat(folder, part, 0777) && errno != EEXIST) return -1;
    return openat(folder, part, folder_flags | O_NOFOLLOW);
}

int file_folder_open(int root, const char *name, bool make)
{
    int fd = fcntl(root, F_DUPFD_CLOEXEC, 0);
    for (const char *slash; fd >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
        if (slash == name) continue; // "a//b"
        char *part = bw_printf("%.*s", (int)(slash - name), name);
        errno = ENOMEM;
        int below = part ? below_open(fd, part, make) : -1, why = errno;
        bw_free(part);
        close(fd);
        fd = below;
        errno = why == ELOOP ? ENOTDIR : why;
    }
    return fd;
}

/* ---- files ---- */

int file_create(int folder, const char *base)
{
    if (unlinkat(folder, base, 0) && errno != ENOENT) return -1;
    return openat(folder, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool file_measure(int fd, struct file_facts *facts)
{
    char buffer[65536];
    XXH3_state_t *h = XXH3_createState();
    off_t at = 0;
    ssize_t n = -1;
    errno = ENOMEM;
    if (h && XXH3_64bits_reset(h) == XXH_OK) {
        while ((n = pread(fd, buffer, sizeof buffer, at)) > 0 || (n < 0 && errno == EINTR)) {
            if (n < 0) continue;
            XXH3_64bits_update(h, buffer, (size_t)n);
            at += n;
        }
        *facts = (struct file_facts){at, XXH3_64bits_digest(h)};
    }
    int why = errno;
    XXH3_freeState(h);
    errno = why;
    return n == 0;
}

bool file_settle(int folder, const char *from, struct file_facts *facts)
{
    struct stat st;
    int fd = openat(folder, from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    bool good = fstat(fd, &st) == 0;
    if (good && !S_ISREG(st.st_mode)) good = false, errno = EINVAL;
    good = good && fsync(fd) == 0 && file_measure(fd, facts);
    int why = errno;
    close(fd);
    errno = why;
    return good;
}

bool file_rename(int folder, const char *from, const char *to)
{
    if (renameat(folder, from, folder, to)) return false;
    fsync(folder);
    return true;
}
