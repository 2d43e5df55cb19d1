/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the file from which this code was loaded by the address of an object in it. */
#define _GNU_SOURCE /* dladdr() */
#include "library.h"

#include <dlfcn.h>
#include <string.h>

const char *om_library__file(void)
{
    static const char here; /* only its address is used */
    Dl_info info;
    return dladdr(&here, &info) == 0 ? NULL : info.dli_fname;
}

bool om_library__own(om_text *out, const char *name)
{
    const char *file = om_library__file(), *slash = file == NULL ? NULL : strrchr(file, '/');
    if (file == NULL)
        return false;
    om_text_add_n(out, file, slash == NULL ? 0 : (size_t) (slash - file) + 1);
    om_text_printf(out, "omen/%s", name);
    return true;
}
