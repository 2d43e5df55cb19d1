/* SPDX-License-Identifier: Apache-2.0 */
#include "assets.h"

#include <omen/host/omen.h>

#include <pthread.h>
#include <string.h>

static omend_asset views[] = { { "/view.js", "text/javascript", NULL, 0 },
    { "/view.css", "text/css", NULL, 0 } };
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_views(void)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        views[i].text = om_lasso_view_file(views[i].path + 1);
        views[i].length = strlen(views[i].text);
    }
}

const omend_asset *asset_find(const char *path)
{
    (void) pthread_once(&once, find_views);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (strcmp(views[i].path, path) == 0)
            return &views[i];
    return asset_embedded(path);
}
