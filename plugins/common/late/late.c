// SPDX-License-Identifier: Apache-2.0
#include "late.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#define LARGEST ((size_t)512 << 20) ///< addresses that any library takes, with all that it stands on

/// Asked before: constructors of libraries start threads, and what they throw where memory lacks ends the process.
static bool room_lacks(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED || munmap(room, bytes);
}

static void *gate_pass(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/// The same of threads: would as many at once be had?
static bool threads_lack(int n)
{
    enum { MOST = 16 };
    pthread_t thread[MOST];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int started = 0;
    pthread_mutex_lock(&gate);
    while (started < n && started < MOST && !pthread_create(&thread[started], NULL, gate_pass, &gate)) started++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
    return started < n;
}

static const char *lack_of(const struct late_needs *needs)
{
    if (room_lacks(needs->bytes)) return "there is no room for it";
    return threads_lack(needs->threads) ? "it can't start its threads" : NULL;
}

/// What the linker says of a library that finds no room does not tell it from one that is broken.
const void *late_find(const char *library, const char *symbol, const struct late_needs *needs,
                      struct late_failure *failure)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    const char *lack = handle ? NULL : lack_of(needs);
    if (!handle && !lack) handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    const void *found = handle ? dlsym(handle, symbol) : NULL;
    const char *said = found || lack ? NULL : dlerror();
    *failure = (struct late_failure){lack ? lack : said ? said : "unknown reason", lack || room_lacks(LARGEST)};
    return found;
}
