// SPDX-License-Identifier: Apache-2.0
/* Handle table. A host gets an opaque handle, a number in the form of a pointer that is never dereferenced. A closed
 * handle, or one of another kind, is therefore detected. Behind a handle lies a reference-counted object. */
#ifndef HANDLE_H
#define HANDLE_H

#include "base/diag.h"
#include <stdatomic.h>

enum handle_kind { HANDLE_SESSION = 1, HANDLE_BAKE, HANDLE_SNAPSHOT, HANDLE_CACHE, HANDLE_VIEW, HANDLE_FILM };

/// First member of every struct behind a handle.
struct object {
    _Atomic int32_t refs;
    void (*destroy)(struct object *o); ///< called when the last reference is dropped
};

/// One reference to begin with.
void object_init(struct object *o, void (*destroy)(struct object *o));
void *object_ref(struct object *o);
/// NULL is allowed.
void object_unref(struct object *o);

/// A new handle that takes over one reference. NULL: out of memory, the reference stays the caller's.
void *handle_new(enum handle_kind kind, struct object *o);
/// The object with a reference for the caller; NULL with an error in `d`: no such handle of that kind.
void *handle_acquire(const void *handle, enum handle_kind kind, struct bw_diag *d);
/// One more handle_close is needed (bw_snapshot_hold). 0 with an error in `d`.
int handle_retain(const void *handle, enum handle_kind kind, struct bw_diag *d);
/// Undo handle_new or one handle_retain. Returns the handle's reference, for object_unref. NULL: the handle still holds
/// it, or there is no such handle (error in `d`, which may be NULL).
void *handle_close(const void *handle, enum handle_kind kind, struct bw_diag *d);

#endif
