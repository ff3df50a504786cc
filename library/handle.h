// SPDX-License-Identifier: Apache-2.0
/* What a host holds instead of memory: a number that looks like a pointer and is never followed, so that one that was
 * closed, or is of another kind, is told from the table. Behind it lies a counted object. */
#ifndef HANDLE_H
#define HANDLE_H

#include "base/diag.h"
#include <stdatomic.h>

enum handle_kind { HANDLE_SESSION = 1, HANDLE_BAKE, HANDLE_SNAPSHOT, HANDLE_CACHE, HANDLE_VIEW, HANDLE_FILM };

/// First member of everything that a handle stands for.
struct object {
    _Atomic int32_t refs;
    void (*destroy)(struct object *o); ///< with the last reference
};

/// One reference to begin with.
void object_init(struct object *o, void (*destroy)(struct object *o));
void *object_ref(struct object *o);
/// NULL is allowed.
void object_unref(struct object *o);

/// A new handle that takes over one reference. NULL: out of memory, the reference stays the caller's.
void *handle_new(enum handle_kind kind, struct object *o);
/// The object with a reference for the caller; NULL after a sentence in `d`: no such handle of that kind.
void *handle_use(const void *handle, enum handle_kind kind, struct bw_diag *d);
/// One close more is needed (a snapshot that is held). 0 after a sentence.
int handle_hold(const void *handle, enum handle_kind kind, struct bw_diag *d);
/// Undo handle_new or one handle_hold. Answers the reference that the handle held, for object_unref, or NULL: it
/// still holds it, or, after a sentence in `d` (may be NULL), there is no such handle.
void *handle_close(const void *handle, enum handle_kind kind, struct bw_diag *d);

#endif
