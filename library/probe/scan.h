// SPDX-License-Identifier: Apache-2.0
/* Plugins of strangers run code as soon as they are loaded: they are loaded in another process first. */
#ifndef SCAN_H
#define SCAN_H

#include <stdint.h>

/// why[i] becomes new memory, a few words, where path[i] crashes, ends or stops a process that
/// loads it. `probe`: the program to ask, a path; where it can't be started nothing is found.
/// The program says a line of its descriptor CHILD_FD a file: "load I", then "good I".
void scan_plugins(const char *const *path, int32_t n, char **why, const char *probe);

#endif
