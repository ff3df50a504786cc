// SPDX-License-Identifier: Apache-2.0
/* FFmpeg writes to stderr what goes wrong, from threads of its own, without a word of whose movie it is. It is kept
 * instead, for the sentence about the failure. Its log has one receiver a process. */
#ifndef BW_AV_LOG_H
#define BW_AV_LOG_H

#include <stddef.h>

/// From now on, and nothing said so far.
void bw_av_log_take(void);
/// " (libx264: malloc failed)" for the last error that was logged since, "" for none.
void bw_av_log_last(char *out, size_t size);

#endif
