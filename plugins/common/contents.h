// SPDX-License-Identifier: Apache-2.0
/* What a plugin has, in a note of its file, beside its module: the ids in its table, all of them, separated by spaces.
 * A session reads that without loading the file, and loads it when one of them is wanted (core/run/registry/late.c). A
 * file whose note says anything else is refused then. */
#ifndef CONTENTS_H
#define CONTENTS_H

#include <stdint.h>

#ifdef __clang__
#define CONTENTS_BARE no_sanitize("address"), ///< by itself in its section: AddressSanitizer would lay a zone about it
#else
#define CONTENTS_BARE
#endif

// clang-format off
#define CONTENTS(kind, ids)                                                                                            \
    __attribute__((CONTENTS_BARE used, section(".note.billow"), aligned(4))) static const struct {                     \
        uint32_t name_bytes, bytes, type;                                                                              \
        char name[8], text[(sizeof ids + 3) / 4 * 4];                                                                  \
    } contents = {sizeof "Billow", sizeof ids, kind, "Billow", ids}
#define CONTENTS_STAGES(ids) CONTENTS(1, ids)
#define CONTENTS_EXPORTERS(ids) CONTENTS(2, ids)
// clang-format on

#endif
