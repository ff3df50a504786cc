// SPDX-License-Identifier: Apache-2.0
/* Pictures that are waited for, and the two threads that make them: one for those that somebody's hand asks for, one,
 * with a lower priority, for those of frames that come by themselves. Of one page only the newest of each is made. */
#ifndef WEB_QUEUE_H
#define WEB_QUEUE_H

#include "draw.h"
#include <microhttpd.h>

enum { CLIENT = 16 }; ///< letters of a page's name

/// One that waits: its connection is suspended until it is done.
struct request {
    struct MHD_Connection *connection;
    struct request *next;
    struct wish wish;
    int scene;  ///< 1: not a picture
    int done;   ///< `answer` is ready
    char *body; ///< of a POST, as far as it has come; else NULL
    size_t body_size, body_whole;
    char client[CLIENT + 1];
    struct drawn answer;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct shelf *shelf;
    struct views *views;
    struct request *waiting[2]; ///< by `rest`, in the order in which they came
    int32_t n_waiting, gentle, stop;
    pthread_t thread[2];
    int n_threads;
};

/// 0: out of memory.
int queue_start(struct queue *q, struct shelf *s, struct views *v, int gentle);
/// Answer all that wait, and end the threads.
void queue_stop(struct queue *q);
/// A new request, which takes over its connection until it is done. 0: too many wait; it is still the caller's.
int queue_add(struct queue *q, struct request *r);
void request_free(struct request *r);

#endif
