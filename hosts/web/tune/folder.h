// SPDX-License-Identifier: Apache-2.0
/* Folders of previews. */
#ifndef WEB_FOLDER_H
#define WEB_FOLDER_H

/// Clone a bake's folder into a new one: files at the top are copied, those one level below (frames, checkpoints)
/// become hard links, for they are written once. 0: it failed.
int folder_clone(const char *from, const char *to);
/// Remove a folder and all inside.
void folder_remove(const char *folder);

#endif
