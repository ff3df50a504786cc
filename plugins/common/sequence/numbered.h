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
/// The last run of # in a name, else the last run of digits before its ending. false: it has no number.
bool numbered_split(const char *name, struct numbered *out);

/// Is a file called as `as`, with whatever number?
bool numbered_has(const char *name, const struct numbered *as);

typedef void (*numbered_fn)(const char *name, int64_t number, void *user);
/// Calls visit for each file of the folder that is called as `as`, with whatever number, in any order. false: the
/// folder cannot be opened.
bool numbered_walk(const char *folder, const struct numbered *as, numbered_fn visit, void *user);

#endif
