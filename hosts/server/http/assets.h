/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are embedded in omend and served by it. */
#ifndef OMEND_ASSETS_H
#define OMEND_ASSETS_H

#include <stddef.h>

typedef struct omend_asset {
    const char *path; /* path of the request: "/openapi.json" */
    const char *type;
    const char *text;
    size_t length;
} omend_asset;

/* Returns NULL if there is none. Thread-safe. */
const omend_asset *asset_find(const char *path);
/* Like asset_find(), for files that are embedded here; the view of runs is part of the library. */
const omend_asset *asset_embedded(const char *path);

#endif
