// SPDX-License-Identifier: Apache-2.0
/* Values of a running bake, exchanged between two of its steps for those of another open bake. The caller's thread
 * checks whether they can be; the run's thread exchanges them (callbacks.c). */
#include "job.h"

#include "options.h"

/// Why not by what the bakes are, whatever their values; under no lock.
static void jobs_check(struct job *j, struct job *values, struct bw_diag *d)
{
    if (job_state_get(j) != JOB_RUNNING)
        bw_diag_error(d, NULL, BW_ERR_USAGE, "%s does not run: no value of it can change", j->facts.name);
    else if (j->out)
        bw_diag_error(d, NULL, BW_ERR_USAGE, "%s writes files: values change only where nothing is written",
                      j->facts.name);
    else if (values == j || job_state_get(values) != JOB_OPEN || atomic_exchange(&values->live.spent, true))
        bw_diag_error(d, NULL, BW_ERR_USAGE,
                      "values come from a bake that is open, was not started, and gave none yet");
}

enum bw_status bw_bake_set_values(struct bw_bake *bake, struct bw_bake *values)
{
    struct api_call api;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d), *v = j ? job_acquire(values, &api.d) : NULL, *before = NULL;
    if (v) jobs_check(j, v, &api.d);
    if (v && !api.d.status) {
        pthread_mutex_lock(&j->live.lock);
        if (bw_chain_may_exchange(j->chain, v->chain, &api.d) == BW_OK) {
            before = j->live.next;
            j->live.next = v;
            object_ref(&v->o);
        }
        pthread_mutex_unlock(&j->live.lock);
    }
    if (before) object_unref(&before->o);
    if (v) object_unref(&v->o);
    if (j) object_unref(&j->o);
    return api_leave(&api);
}
