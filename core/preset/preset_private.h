// SPDX-License-Identifier: Apache-2.0
/* Between the files of the preset reader. Every function adds sentences to `d` and answers the first one's status. */
#ifndef BW_PRESET_PRIVATE_H
#define BW_PRESET_PRIVATE_H

#include "preset/tree/node_private.h"
#include "preset.h"

/// Read `path`, or o->text unless NULL, and what it extends, merge, give every stage and export its id. Fills p->files.
struct bw_node *bw_preset_read_tree(struct bw_preset *p, const char *path, const struct bw_preset_overrides *o,
                                    struct bw_diag *d);
/// The file that a name means in folders (two colon-separated lists, either may be NULL), or NULL; *memory as below.
char *bw_preset_in_folders(const char *name, const char *search, const char *installed, int *memory);
/// Make the map `list`'s entries all of the form {TYPE: {id: ID, …}}; duplicate ids are errors.
enum bw_status bw_preset_assign_ids(struct bw_node *list, struct bw_diag *d);
/// Entry of a list with assigned ids, or NULL.
struct bw_node *bw_preset_entry(const struct bw_node *list, const char *id);
/// FOLDER/NAME or FOLDER/NAME.yaml (`length` bytes of folder; 0: none), whichever is a file; new memory, or NULL.
/// *memory = 1 when it was memory that lacked.
char *bw_file_in(const char *folder, int length, const char *name, int *memory);
/// Lay a copy of `over` over `base`, both with assigned ids; the base's name is not inherited.
enum bw_status bw_preset_merge(struct bw_node *base, const struct bw_node *over, struct bw_diag *d);
/// Reorder the list's entries by their keys `before` and `after`, and remove those keys.
enum bw_status bw_preset_reorder(struct bw_node *list, struct bw_diag *d);
/// Relocate absolute paths of a moved project: a path below `from` whose file exists below `to` is replaced by that
/// one.
void bw_preset_relocate_paths(struct bw_node *n, const char *from, const char *to);
/// Apply what the command line changes to the tree.
enum bw_status bw_preset_override(struct bw_node *root, const struct bw_preset_overrides *o, struct bw_diag *d);
/// Fill p->domain from the values; the voxel is `coarse` times as large, in the tree too.
enum bw_status bw_preset_read_domains(struct bw_preset *p, const struct bw_preset_values *v, double coarse,
                                      struct bw_diag *d);
/// Find the files that `frames_from` names: p->frames_from, p->frames_bake, p->files_first, p->files_last.
enum bw_status bw_preset_read_frames_from(struct bw_preset *p, const struct bw_frames_from_values *v,
                                          struct bw_diag *d);

/// Check that `look:` and `camera:` are maps.
enum bw_status bw_preset_check_look_form(const struct bw_preset *p, struct bw_diag *d);

/// Check that a node is a word (a non-empty scalar).
enum bw_status bw_name_check(const char *name, const struct bw_place *place, const char *what, struct bw_diag *d);
enum bw_status bw_check_word(const struct bw_node *n, const char *what, struct bw_diag *d);
/// The first of two statuses that is an error.
enum bw_status bw_first_error(enum bw_status a, enum bw_status b);
/// Report "out of memory". Returns BW_ERR_MEMORY.
enum bw_status bw_error_memory(struct bw_diag *d);

#endif
