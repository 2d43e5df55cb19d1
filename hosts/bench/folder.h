/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OMEN_BENCH_FOLDER_H
#define OMEN_BENCH_FOLDER_H

/* Removes a folder with all that is in it, as far as that can be done; links are not followed. */
void bench_remove_folder(const char *path);

#endif
