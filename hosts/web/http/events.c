// SPDX-License-Identifier: Apache-2.0
#include "events.h"

#include "json_text.h"
#include "respond.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STREAMS = 24, BLOCK_BYTES = 16 << 10 };

struct stream {
    struct events *events;
    struct MHD_Connection *connection;
    struct stream *next;
    int64_t revision; ///< of the state that was sent last
    char *text;       ///< the event that is being sent
    size_t size, sent;
    int suspended, keepalive; ///< keepalive: send a comment even if nothing is new
};

void events_init(struct events *e, struct sources *s)
{
    *e = (struct events){.sources = s};
    pthread_mutex_init(&e->lock, NULL);
}

void events_free(struct events *e) { pthread_mutex_destroy(&e->lock); }

int32_t events_count(struct events *e)
{
    pthread_mutex_lock(&e->lock);
    const int32_t n = e->n;
    pthread_mutex_unlock(&e->lock);
    return n;
}

/// The next event into s->text; 0: there is none.
static int stream_next_event(struct stream *s)
{
    const int64_t revision = sources_revision(s->events->sources);
    free(s->text);
    s->text = NULL;
    s->sent = s->size = 0;
    if (revision != s->revision) {
        char *json = json_to_text(sources_json(s->events->sources));
        if (json && (s->text = malloc(strlen(json) + 16))) s->size = (size_t)sprintf(s->text, "data: %s\n\n", json);
        free(json);
        s->revision = revision;
    } else if (s->keepalive && (s->text = strdup(":\n\n"))) {
        s->size = strlen(s->text);
    }
    s->keepalive = 0;
    return s->size > 0;
}

/// MHD_ContentReaderCallback: copy the next bytes of the stream; suspend the connection where there are none.
static ssize_t stream_read(void *user, uint64_t at, char *out, size_t size)
{
    struct stream *s = user;
    (void)at;
    pthread_mutex_lock(&s->events->lock);
    ssize_t n = 0;
    if (s->events->stop) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (s->sent < s->size || stream_next_event(s)) {
        n = (ssize_t)(s->size - s->sent < size ? s->size - s->sent : size);
        memcpy(out, s->text + s->sent, (size_t)n);
        s->sent += (size_t)n;
    } else {
        s->suspended = 1;
        MHD_suspend_connection(s->connection);
    }
    pthread_mutex_unlock(&s->events->lock);
    return n;
}

/// MHD_ContentReaderFreeCallback: the page is gone, or the stream has ended.
static void stream_end(void *user)
{
    struct stream *s = user, **at = &s->events->streams;
    pthread_mutex_lock(&s->events->lock);
    while (*at && *at != s) at = &(*at)->next;
    if (*at) *at = s->next;
    s->events->n--;
    pthread_mutex_unlock(&s->events->lock);
    free(s->text);
    free(s);
}

enum MHD_Result events_subscribe(struct events *e, struct MHD_Connection *c)
{
    struct stream *s = calloc(1, sizeof *s);
    sources_refresh(e->sources); // while no page was open the files were not watched
    pthread_mutex_lock(&e->lock);
    const int accepted = s && e->n < MAX_STREAMS && !e->stop;
    if (accepted) {
        *s = (struct stream){.events = e, .connection = c, .next = e->streams, .revision = -1};
        e->streams = s;
        e->n++;
    }
    pthread_mutex_unlock(&e->lock);
    if (!accepted) {
        free(s);
        return respond_text(c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pages are open; close one of them");
    }
    struct MHD_Response *r =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, stream_read, s, stream_end);
    if (!r) stream_end(s);
    return respond(c, MHD_HTTP_OK, "text/event-stream", r);
}

/// Resume the connection, so that stream_read is called again.
static void stream_wake(struct stream *s)
{
    if (!s->suspended) return;
    s->suspended = 0;
    MHD_resume_connection(s->connection);
}

void events_publish(struct events *e, int keepalive)
{
    pthread_mutex_lock(&e->lock);
    const int64_t revision = sources_revision(e->sources);
    for (struct stream *s = e->streams; s; s = s->next) {
        s->keepalive |= keepalive;
        if (s->keepalive || s->revision != revision) stream_wake(s);
    }
    pthread_mutex_unlock(&e->lock);
}

void events_stop(struct events *e)
{
    pthread_mutex_lock(&e->lock);
    e->stop = 1;
    for (struct stream *s = e->streams; s; s = s->next) stream_wake(s);
    pthread_mutex_unlock(&e->lock);
}
