// SPDX-License-Identifier: Apache-2.0
#include "solver.h"

#include <ode/ode.h>
#include <stdio.h>

static _Thread_local struct solver *current;

static void text_record(const char *format, va_list list)
{
    if (current) vsnprintf(current->text, sizeof current->text, format, list);
}

static void message_handler(int number, const char *format, va_list list)
{
    if (!current) return;
    if (number == d_ERR_LCP) current->unsolved++;
    else current->messages++, text_record(format, list);
}

/* Leaves by longjmp: ODE exits if its handler returns. */
static void error_handler(int number, const char *format, va_list list)
{
    (void)number;
    text_record(format, list);
    if (current) longjmp(current->back, 1);
}

int solver_run(struct solver *s, void (*fn)(void *user), void *user)
{
    dSetMessageHandler(message_handler);
    dSetErrorHandler(error_handler);
    dSetDebugHandler(error_handler);
    current = s;
    const int good = !setjmp(s->back);
    if (good) fn(user);
    current = NULL;
    return good;
}
