// SPDX-License-Identifier: Apache-2.0
/* A fuzz target is one file with this one function: whatever the bytes are, reading them crashes nothing,
 * leaks nothing, and asks for no more memory than their number allows. libFuzzer calls it with bytes of its own
 * (run.sh), replay.c with the files of the corpus. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#endif
