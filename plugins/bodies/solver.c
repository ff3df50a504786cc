// SPDX-License-Identifier: Apache-2.0
#include "solver.h"

#include <ode/ode.h>
#include <stdio.h>

static _Thread_local struct solver *now;

static void text_keep(const char *format, va_list list)
{
    if (now) vsnprintf(now->text, sizeof now->text, format, list);
}

static void message_take(int number, const char *format, va_list list)
{
    if (!now) return;
    if (number == d_ERR_LCP) now->unsolved++;
    else now->said++, text_keep(format, list);
}

/* ODE would exit behind this. */
static void error_take(int number, const char *format, va_list list)
{
    (void)number;
    text_keep(format, list);
    if (now) longjmp(now->back, 1);
}

int solver_run(struct solver *s, void (*fn)(void *user), void *user)
{
    dSetMessageHandler(message_take);
    dSetErrorHandler(error_take);
    dSetDebugHandler(error_take);
    now = s;
    const int good = !setjmp(s->back);
    if (good) fn(user);
    now = NULL;
    return good;
}
