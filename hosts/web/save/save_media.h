// SPDX-License-Identifier: Apache-2.0
/* Saving what the page shows, into the folder `views` beside the cache. The page draws pictures with their overlay and
 * uploads them as JPEG: one that becomes a PNG, or the frames of an MP4, one movie at a time. */
#ifndef WEB_SAVE_MEDIA_H
#define WEB_SAVE_MEDIA_H

#include "render/picture.h"

enum { CLIENT = 16 }; ///< letters of a page's name

enum save_kind { SAVE_PICTURE, SAVE_FRAME, SAVE_MOVIE, SAVE_CANCEL };

/// What a page has sent.
struct upload {
    enum save_kind kind;
    const struct query *query;
    const char *client;
    const void *jpeg; ///< of a picture or a frame; NULL: it has none
    size_t size;
};

/// The movie that is being made. Only the worker for PRIORITY_IDLE uses it.
struct recorder {
    struct bw_film *movie;   ///< NULL: there is none
    char client[CLIENT + 1]; ///< the page that makes it
    double last;             ///< monotonic s, when its last frame came
};

/// Save a picture; add a frame to the page's movie, save or cancel that movie. The response is one line: the path of
/// the file, or what is wrong.
struct response save_response(struct recorder *r, struct sources *sources, const struct upload *upload);
/// Discard the movie that is being made.
void recorder_cancel(struct recorder *r);

#endif
