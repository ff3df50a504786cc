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
    if (why && !*why) abort();
    return 0;
}
