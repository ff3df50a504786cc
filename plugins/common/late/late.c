// SPDX-License-Identifier: Apache-2.0
#include "late.h"

#include <dlfcn.h>
#include <sys/mman.h>

/// Asked before: constructors of libraries start threads, and what they throw where memory lacks ends the process.
static bool room_lacks(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED || munmap(room, bytes);
}

const void *late_find(const char *library, const char *symbol, size_t bytes, struct late_failure *failure)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    const bool lacks = !handle && room_lacks(bytes);
    if (!handle && !lacks) handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    const void *found = handle ? dlsym(handle, symbol) : NULL;
    const char *said = found || lacks ? NULL : dlerror();
    *failure = (struct late_failure){lacks ? "there is no room for it" : said ? said : "unknown reason", lacks};
    return found;
}
