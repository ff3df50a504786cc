// SPDX-License-Identifier: Apache-2.0
/* What every call can answer. 0 is good, negative is a failure; the sentence that explains a failure
 * travels beside it (bw_host.fail), never inside it. */
#ifndef BILLOW_STATUS_H
#define BILLOW_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

enum bw_status {
    BW_OK = 0,             ///< done
    BW_ERR = -1,           ///< failed for a reason that only the message tells (exit code 1)
    BW_ERR_USAGE = -2,     ///< the caller asked for something that makes no sense (exit code 2)
    BW_ERR_PRESET = -3,    ///< the preset is wrong; the message names file, line and column (exit code 3)
    BW_ERR_PLUGIN = -4,    ///< a plugin is missing, broken, or broke its contract (exit code 4)
    BW_ERR_DIVERGED = -5,  ///< NaN, or a solver that did not converge (exit code 5)
    BW_ERR_IO = -6,        ///< disk full, unreadable file, … (exit code 6)
    BW_ERR_LIMIT = -7,     ///< memory or time limit reached; the last whole frame is kept (exit code 7)
    BW_ERR_MEMORY = -8,    ///< an allocation failed (exit code 7)
    BW_ERR_CANCELLED = -9, ///< the user asked to stop (exit code 130)
};

#ifdef __cplusplus
}
#endif
#endif
