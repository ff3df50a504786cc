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
/// Cores that this process may use, which may be fewer than the machine has: in a container, a job of a farm, under
/// taskset.
uint32_t bw_cores(void);
/// Threads of a process of which nobody said how many: its cores, which ranks of a bake on one machine share.
uint32_t bw_threads_usual(void);
/// The best level this machine has, enum bw_simd.
uint32_t bw_simd_best(void);

#endif
