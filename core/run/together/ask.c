// SPDX-License-Identifier: Apache-2.0
#include "turns.h"

int32_t turns_ask(struct bw_chain *c, struct together_ask *a)
{
    struct run_together *t = &c->together;
    pthread_mutex_lock(&t->lock);
    t->ask = a;
    pthread_cond_broadcast(&t->changed);
    while (t->ask && t->status == BW_OK) pthread_cond_wait(&t->changed, &t->lock);
    const int32_t answer = t->ask ? -1 : a->answer;
    t->ask = NULL;
    pthread_mutex_unlock(&t->lock);
    return answer;
}
