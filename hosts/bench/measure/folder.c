/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "folder.h"

#include <ftw.h>
#include <stdio.h>

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void) st;
    (void) kind;
    (void) at;
    (void) remove(path);
    return 0;
}

void bench_remove_folder(const char *path)
{
    (void) nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
