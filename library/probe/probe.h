// SPDX-License-Identifier: Apache-2.0
/* Untrusted plugins run code as soon as they are loaded, so they are loaded in a process of their own first. */
#ifndef PROBE_H
#define PROBE_H

#include <stdint.h>

/// why[i] becomes new memory, the reason, where path[i] crashes, ends or hangs a process that loads it. `probe`: the
/// path of billow-probe; if it can't be started, nothing is found. It writes two lines a file to its descriptor
/// CHILD_FD: "load I", then "good I".
void probe_plugins(const char *const *path, int32_t n, char **why, const char *probe);

#endif
