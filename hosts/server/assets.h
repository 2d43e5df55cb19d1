/* SPDX-License-Identifier: Apache-2.0 */
/* Files that omend serves and that travel inside it. */
#ifndef OMEND_ASSETS_H
#define OMEND_ASSETS_H

#include <stddef.h>

typedef struct om_asset {
    const char *path; /* as it is asked for: "/openapi.json" */
    const char *type;
    const char *text;
    size_t length;
} om_asset;

/* NULL: there is none. Any thread. */
const om_asset *asset_find(const char *path);
/* Of those that are embedded here; the view of runs comes with the library. */
const om_asset *asset_embedded(const char *path);

#endif
