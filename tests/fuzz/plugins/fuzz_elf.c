// SPDX-License-Identifier: Apache-2.0
/* What is looked at of a shared library before the dynamic linker maps it: a word, or nothing, whatever the bytes are.
 * What passes is mapped by libexec/billow-probe first; fuzz_probe.c has what that may answer. */
#include "fuzz.h"
#include "fuzz_file.h"
#include "base/alloc.h"
#include "run/registry/registry.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *path = fuzz_file(bytes, n), *why = path ? bw_elf_problem(path) : NULL;
    bool exports;
    if (why && !*why) abort();
    if (path && !why) bw_free(bw_elf_contents(path, &exports));
    return 0;
}
