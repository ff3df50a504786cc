// SPDX-License-Identifier: Apache-2.0
/* A shared library that was cut short (a full disk, a broken download) kills the process inside dlopen with a bus
 * error: the dynamic linker maps what the headers promise and touches it. So the promise is checked first: every loaded
 * segment and the table of sections, which linkers put last, must lie inside the file. */
#include "registry.h"
#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE h.e_machine /* left to the dynamic linker */
#endif

/* A file whose first bytes are in memory: headers lie there, and sixteen files have some hundreds. */
struct file {
    int fd;
    size_t n;
    char head[4096];
};

static void file_look(struct file *f, const char *path)
{
    f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe without a writer would wait */
    f->n = 0;
}

static bool file_read(struct file *f, void *to, size_t bytes, uint64_t at)
{
    if (!f->n) {
        ssize_t n = pread(f->fd, f->head, sizeof f->head, 0);
        f->n = n > 0 ? (size_t)n : 0;
    }
    if (at > f->n || bytes > f->n - at) return pread(f->fd, to, bytes, (off_t)at) == (ssize_t)bytes;
    memcpy(to, f->head + at, bytes);
    return true;
}

static bool inside(uint64_t offset, uint64_t bytes, uint64_t size) { return offset <= size && bytes <= size - offset; }

static const char *segments_check(struct file *f, const ElfW(Ehdr) * h, uint64_t size)
{
    uint64_t rows = h->e_phnum;
    if (h->e_phentsize != sizeof(ElfW(Phdr))) return "is no shared library for this machine";
    if (!inside(h->e_phoff, rows * sizeof(ElfW(Phdr)), size) ||
        !inside(h->e_shoff, (uint64_t)h->e_shnum * h->e_shentsize, size))
        return "is cut short";
    for (uint64_t i = 0; i < rows; i++) {
        ElfW(Phdr) p;
        if (!file_read(f, &p, sizeof p, h->e_phoff + i * sizeof p)) return "cannot be read";
        if ((p.p_type == PT_LOAD || p.p_type == PT_DYNAMIC) && !inside(p.p_offset, p.p_filesz, size))
            return "is cut short";
    }
    return NULL;
}

const char *bw_elf_problem(const char *path)
{
    struct file f;
    struct stat s;
    ElfW(Ehdr) h;
    const char *why = NULL;
    file_look(&f, path);
    if (f.fd < 0) return strerror(errno);
    if (fstat(f.fd, &s)) why = strerror(errno);
    else if (!S_ISREG(s.st_mode)) why = "is no file";
    else if (s.st_size == 0) why = "is empty";
    else if (!file_read(&f, &h, sizeof h, 0)) why = "is no shared library";
    else if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_type != ET_DYN) why = "is no shared library";
    else if (h.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || h.e_machine != MACHINE)
        why = "is a shared library for another machine";
    else why = segments_check(&f, &h, (uint64_t)s.st_size);
    close(f.fd);
    return why;
}
