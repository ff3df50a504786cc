// SPDX-License-Identifier: Apache-2.0
/* Facts about the machine and the process. */
#ifndef BW_MACHINE_H
#define BW_MACHINE_H

#include <stdint.h>

/// A clock that never goes back, s.
double bw_seconds(void);
/// Processor time of all threads of the process, s.
double bw_processor_seconds(void);
/// Resident bytes of the process.
int64_t bw_resident_bytes(void);
/// The best level this machine has, enum bw_simd.
uint32_t bw_simd_best(void);

#endif
