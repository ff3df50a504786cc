// SPDX-License-Identifier: Apache-2.0
/* Files of a folder whose names differ in a number: the one scanner of plugins and exporters. The core has its own for
 * `frames_from` (core/preset/preset_frames.c): it may see no plugin's code, and takes only numbers as wide as the #. */
#ifndef NUMBERED_H
#define NUMBERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A file's name and where its number is: `digits` of them, or of #, after `head` bytes.
struct numbered {
    const char *name;
    size_t head, digits;
};
/// Of a file's own name, in which # is a letter: the last run of digits before its ending. false: it has no number.
bool numbered_name(const char *name, struct numbered *out);
/// Of a pattern: the last run of #. false: it is none.
bool numbered_pattern(const char *pattern, struct numbered *out);

/// Is a file called as `as`, with whatever number?
bool numbered_has(const char *name, const struct numbered *as);

typedef void (*numbered_fn)(const char *name, int64_t number, void *user);
/// Calls visit for each file of the folder that is called as `as`, with whatever number, in any order. false: the
/// folder cannot be opened.
bool numbered_walk(const char *folder, const struct numbered *as, numbered_fn visit, void *user);

#endif
