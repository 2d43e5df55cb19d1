/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OMEN_BENCH_FOLDER_H
#define OMEN_BENCH_FOLDER_H

/* Removes a folder with its contents, as far as possible; links are not followed. */
void bench_remove_folder(const char *path);

#endif
