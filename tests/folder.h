/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h: a temporary folder for the files of a test. */
#ifndef OMEN_TESTS_FOLDER_H
#define OMEN_TESTS_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FOLDER_ROOM = 4096 };

static char folder_base[64];

static inline int folder_set_up(void **state)
{
    (void) state;
    (void) snprintf(folder_base, sizeof folder_base, "/tmp/omen-test-XXXXXX");
    return mkdtemp(folder_base) == NULL ? -1 : 0;
}

static inline int folder_tear_down(void **state)
{
    char command[sizeof folder_base + 16];
    (void) state;
    (void) snprintf(command, sizeof command, "rm -rf '%s'", folder_base);
    return system(command);
}

/* Returns the path of a name in the folder; valid until the fourth call after this one. */
static inline const char *in_folder(const char *name)
{
    static char paths[4][FOLDER_ROOM];
    static unsigned next;
    char *to = paths[next++ % 4];
    (void) snprintf(to, FOLDER_ROOM, "%s/%s", folder_base, name);
    return to;
}

#endif
