// SPDX-License-Identifier: Apache-2.0
/* Plugins that misbehave as soon as they are loaded, one for each value of CASE (see meson.build). */
#include <billow/plugin.h>
#include <stdlib.h>
#include <unistd.h>

#define CRASHES 0
#define EXITS 1
#define LEAVES 2
#define HANGS 3
#define CRASHES_LATER 4
#define WILD 5

#if CASE == CRASHES_LATER
__attribute__((destructor))
#else
__attribute__((constructor))
#endif
static void
load(void)
{
    if (CASE == CRASHES || CASE == CRASHES_LATER) abort();
    if (CASE == EXITS) exit(0);
    if (CASE == LEAVES) _exit(0);
    while (CASE == HANGS) pause();
}

static enum bw_status step(struct bw_stage *s) { return (void)s, BW_OK; }
static const struct bw_stage_desc stage = {.id = "unloadable", .version = "1", .brief = "x", .step = step};
static const struct bw_stage_desc *const stages[] = {&stage};
/* As BW_MODULE has it, but for a table that lies nowhere. */
BW_EXPORT const struct bw_module billow_module = {BW_MODULE_HEAD, BW_COUNT(stages), 0,
                                                  CASE == WILD ? (const void *)64 : (const void *)stages, 0};
