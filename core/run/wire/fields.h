// SPDX-License-Identifier: Apache-2.0
/* The fields of a chain by name: what each is, and which stages make it. */
#ifndef FIELDS_H
#define FIELDS_H

#include "grid/grid.h"
#include "preset/preset.h"
#include "run/output/log.h"

struct run_field {
    char *name;
    int32_t domain;
    struct bw_field *field;         ///< grid field, or …
    struct bw_particles *particles; ///< … particles
    uint32_t kind, precision, lifetime, advected;
    const char *unit;
    double background[3], alive;
    double speed;            ///< largest component, as activation found it; negative: unknown
    int32_t creator, writer; ///< stage indices, -1: none (declared by the preset)
    int32_t updater;         ///< first stage that updates it, -1: none
    bool settled;            ///< kind and precision are known
    bool late;               ///< it was told that what lives for one step is read above the stage that makes it
    bool mean;               ///< of the field of that name in the amounts' domain (levels.h)
    bool typed;              ///< a port made it that knows background, precision and lifetime: no list
};

struct field_table {
    const struct bw_preset *preset;
    struct run_log *log;
    struct run_field *field;
    int32_t n;
};

/// Is it one of the standard names, whose unit and advection are settled?
bool fields_standard(const char *name);
/// The kind that the preset or its name gives a field: enum bw_kind.
uint32_t fields_kind(const struct field_table *t, const char *name);
/// Of the standard names and of `own` the one that is most like another, or NULL.
const char *fields_nearest(const char *name, const char *const *own, uint32_t n);
/// By name, or by "domain.name" from anywhere; NULL: there is none.
struct run_field *fields_find(const struct field_table *t, const char *name, int32_t domain);
/// The field of that name, made where there is none, as its name and the preset have it. NULL, said: out of memory.
struct run_field *fields_enter(struct field_table *t, const char *name, int32_t domain);
/// Grid fields belong to their domains; all else goes.
void fields_free(struct field_table *t);

#endif
