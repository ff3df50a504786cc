// SPDX-License-Identifier: Apache-2.0
/* A host that opens the library itself, and closes it while a thread that called it still lives.
 *     unload LIBBILLOW     Not linked with it. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static sem_t called, closed;

static const void *(*function)(void);

static void *call_main(void *user)
{
    function();
    sem_post(&called);
    sem_wait(&closed);
    return user; // the thread's last error goes with it, by the library's code
}

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library ? dlsym(library, "bw_error_last") : NULL;
    pthread_t thread;
    memcpy(&function, &symbol, sizeof function);
    if (!symbol) return fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "unload LIBBILLOW"), 2;
    sem_init(&called, 0, 0);
    sem_init(&closed, 0, 0);
    if (pthread_create(&thread, NULL, call_main, NULL)) return 2;
    sem_wait(&called);
    dlclose(library);
    sem_post(&closed);
    pthread_join(thread, NULL);
    return 0;
}
