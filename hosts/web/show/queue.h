// SPDX-License-Identifier: Apache-2.0
/* Pictures that are waited for, and the threads that make them: one for those that somebody's hand asks for, one, with
 * a lower priority, for those of frames that come by themselves, and one for small ones along the timeline, which waits
 * until the others have nothing to do. Of one page only the newest of the first two is made. While a bake runs here
 * that is more than a try the second takes a tenth of the processor's time, whoever asks, and however many. */
#ifndef WEB_QUEUE_H
#define WEB_QUEUE_H

#include "draw.h"
#include "keep/keep.h"
#include <microhttpd.h>

enum { QUEUES = 3 }; ///< see wish.rest

/// REQUEST_KEEP and enum keep_what, added: what is saved.
enum request_kind { REQUEST_PICTURE, REQUEST_SCENE, REQUEST_PROBE, REQUEST_MARKS, REQUEST_KEEP };

/// One that waits: its connection is suspended until it is done.
struct request {
    struct MHD_Connection *connection;
    struct request *next;
    struct wish wish;
    int kind;   ///< enum request_kind
    int done;   ///< `answer` is ready
    char *body; ///< of a POST, as far as it has come; else NULL
    size_t body_size, body_whole;
    char *sent; ///< the body of one that waits, or NULL
    size_t sent_size;
    char client[CLIENT + 1];
    struct drawn answer;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct shelf *shelf;
    struct views *views;
    struct keep *keep;
    struct request *waiting[QUEUES]; ///< by `rest`, in the order in which they came
    int32_t n_waiting, n_urgent;     ///< urgent: being made, but for those that wait for all others
    double due; ///< monotonic s: from then on pictures at rest have had no more than their share of a bake's time
    int32_t gentle, stop;
    pthread_t thread[QUEUES];
    int n_threads;
};

/// 0: out of memory.
int queue_start(struct queue *q, struct shelf *s, struct views *v, struct keep *k, int gentle);
/// Answer all that wait, and end the threads.
void queue_stop(struct queue *q);
/// A new request, which takes over its connection until it is done. 0: too many wait; it is still the caller's.
int queue_add(struct queue *q, struct request *r);
void request_free(struct request *r);

#endif
