// SPDX-License-Identifier: Apache-2.0
/* A shared library that was cut short (a full disk, a broken download) kills the process inside dlopen with a bus
 * error: the dynamic linker maps what the headers promise and touches it. So the promise is checked first: every loaded
 * segment and the table of sections, which linkers put last, must lie inside the file. */
#include "registry.h"
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

static bool inside(uint64_t offset, uint64_t bytes, uint64_t size) { return offset <= size && bytes <= size - offset; }

static const char *segments_check(int fd, const ElfW(Ehdr) * h, uint64_t size)
{
    uint64_t rows = h->e_phnum;
    if (h->e_phentsize != sizeof(ElfW(Phdr))) return "is no shared library for this machine";
    if (!inside(h->e_phoff, rows * sizeof(ElfW(Phdr)), size) ||
        !inside(h->e_shoff, (uint64_t)h->e_shnum * h->e_shentsize, size))
        return "is cut short";
    for (uint64_t i = 0; i < rows; i++) {
        ElfW(Phdr) p;
        if (pread(fd, &p, sizeof p, (off_t)(h->e_phoff + i * sizeof p)) != (ssize_t)sizeof p) return "cannot be read";
        if ((p.p_type == PT_LOAD || p.p_type == PT_DYNAMIC) && !inside(p.p_offset, p.p_filesz, size))
            return "is cut short";
    }
    return NULL;
}

const char *bw_elf_problem(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe without a writer would wait */
    if (fd < 0) return strerror(errno);
    const char *why = NULL;
    struct stat s;
    ElfW(Ehdr) h;
    if (fstat(fd, &s)) why = strerror(errno);
    else if (!S_ISREG(s.st_mode)) why = "is no file";
    else if (s.st_size == 0) why = "is empty";
    else if (pread(fd, &h, sizeof h, 0) != (ssize_t)sizeof h) why = "is no shared library";
    else if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_type != ET_DYN) why = "is no shared library";
    else if (h.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || h.e_machine != MACHINE)
        why = "is a shared library for another machine";
    else why = segments_check(fd, &h, (uint64_t)s.st_size);
    close(fd);
    return why;
}
