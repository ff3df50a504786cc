// SPDX-License-Identifier: Apache-2.0
#include "rotation.h"

int32_t writer_request_send(struct bw_chain *c, struct writer_request *a)
{
    struct run_collective *t = &c->collective;
    pthread_mutex_lock(&t->lock);
    t->request = a;
    pthread_cond_broadcast(&t->changed);
    while (t->request && t->status == BW_OK) pthread_cond_wait(&t->changed, &t->lock);
    const int32_t answer = t->request ? -1 : a->answer;
    t->request = NULL;
    pthread_mutex_unlock(&t->lock);
    return answer;
}
