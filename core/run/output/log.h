// SPDX-License-Identifier: Apache-2.0
/* Errors and log lines of a run. All its modules, workers and the writer's thread log here, under one lock. */
#ifndef LOG_H
#define LOG_H

#include "preset/values/params.h"
#include <pthread.h>

struct bw_account;

struct run_log {
    pthread_mutex_t lock;
    struct bw_diag *diag;       ///< of the call in progress; NULL: sentences are lost
    struct bw_account *account; ///< the run's memory
    void (*on_log)(int level, const char *who, const char *text, void *user);
    void *user;
};

void log_init(struct run_log *l, void (*on_log)(int, const char *, const char *, void *), void *user);
void log_free(struct run_log *l);
/// Report an error, with its place in the preset unless that is NULL. Returns `status`; where the run's memory limit
/// refused an allocation, BW_ERR_LIMIT, and the message adds the bytes held and requested.
enum bw_status log_fail(struct run_log *l, const struct bw_place *place, enum bw_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// Status of the first failure reported in this run; BW_ERR_IO when there was none.
enum bw_status log_status(struct run_log *l);
/// Log a line of level enum bw_log_level; `who`: a stage's or exporter's id, or NULL.
void log_line(struct run_log *l, int level, const char *who, const char *text);
/// Evaluate parameters, from any thread. Errors are reported.
enum bw_status log_params(struct run_log *l, struct bw_params *p, double time, uint32_t slot, void *out);

#endif
