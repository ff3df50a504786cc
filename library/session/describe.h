// SPDX-License-Identifier: Apache-2.0
/* Descriptions as JSON: stages, exporters, parameters, presets, files. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "session.h"

/* describe.c */
/// The group in which `info` shows it: a key, or "look". NULL: none.
const char *param_group(const struct bw_param *p);
json_t *params_json(const struct bw_param *rows, uint32_t n);
json_t *stage_json(const struct bw_entry *e);
json_t *exporter_json(const struct bw_entry *e);
json_t *port_json(const struct bw_port *p);

/* describe_keys.c */
/// Parameters whose key is `word`, or whose path ends so: [{"in", "also", "parameter"}].
json_t *keys_json(const struct session *s, const char *word);
/// Stages that read or write a field: [{"stage", "field"}].
json_t *field_users_json(const struct session *s, const char *field);
/// An exporter whose parameters `look` and `camera` take; NULL: there is none.
const struct bw_exporter_desc *picture_exporter_find(const struct session *s);

/* describe_preset.c */
json_t *preset_json(const struct bw_preset *p, const struct bw_registry *r);

/* describe_file.c */
/// A .vdb file with its grids, all of which have been read to their ends; NULL with an error in `d`.
json_t *file_json(const char *path, struct bw_diag *d);

#endif
