// SPDX-License-Identifier: Apache-2.0
#include "numbered.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

/* The last run of characters of `set` that ends before `end`. */
static bool run_find(const char *name, size_t end, const char *set, struct numbered *out)
{
    while (end && !strchr(set, name[end - 1])) end--;
    size_t begin = end;
    while (begin && strchr(set, name[begin - 1])) begin--;
    *out = (struct numbered){name, begin, end - begin};
    return end > begin;
}

bool numbered_name(const char *name, struct numbered *out)
{
    const char *ending = strrchr(name, '.');
    return run_find(name, ending ? (size_t)(ending - name) : strlen(name), DIGITS, out);
}

bool numbered_pattern(const char *pattern, struct numbered *out)
{
    return run_find(pattern, strlen(pattern), "#", out);
}

/* The number that `name` has where `as` has its own, or -1. */
static int64_t number_of(const char *name, const struct numbered *as)
{
    const char *tail = as->name + as->head + as->digits;
    const size_t n = strlen(name), n_tail = strlen(tail);
    if (n <= as->head + n_tail || strncmp(name, as->name, as->head) || strcmp(name + n - n_tail, tail)) return -1;
    const size_t digits = strspn(name + as->head, DIGITS);
    return digits == n - as->head - n_tail && digits < 18 ? strtoll(name + as->head, NULL, 10) : -1;
}

bool numbered_has(const char *name, const struct numbered *as) { return number_of(name, as) >= 0; }

bool numbered_walk(const char *folder, const struct numbered *as, numbered_fn visit, void *user)
{
    DIR *dir = opendir(folder);
    if (!dir) return false;
    for (struct dirent *entry; (entry = readdir(dir));) {
        const int64_t number = number_of(entry->d_name, as);
        if (number >= 0) visit(entry->d_name, number, user);
    }
    closedir(dir);
    return true;
}
