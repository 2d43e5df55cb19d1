/* SPDX-License-Identifier: Apache-2.0 */
#include "api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

const char *om_cl__load(om_cl *cl)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return "libOpenCL.so.1 was not found";
        /* ISO C has no cast from an object pointer to a function pointer; POSIX says they fit. */
#define X(NAME)                                        \
    do {                                               \
        void *symbol = dlsym(library, #NAME);          \
        if (symbol == NULL)                            \
            return "libOpenCL.so.1 lacks " #NAME "()"; \
        memcpy(&cl->NAME, &symbol, sizeof symbol);     \
    } while (0);
    OM_CL_FUNCTIONS(X)
#undef X
    return NULL;
}

int om_cl__is_memory(cl_int error)
{
    return error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
           error == CL_OUT_OF_HOST_MEMORY || error == CL_INVALID_BUFFER_SIZE;
}

const char *om_cl__error(cl_int error)
{
    switch (error) {
#define CASE(NAME) \
    case NAME:     \
        return #NAME;
        CASE(CL_DEVICE_NOT_FOUND)
        CASE(CL_DEVICE_NOT_AVAILABLE)
        CASE(CL_COMPILER_NOT_AVAILABLE)
        CASE(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        CASE(CL_OUT_OF_RESOURCES)
        CASE(CL_OUT_OF_HOST_MEMORY)
        CASE(CL_BUILD_PROGRAM_FAILURE)
        CASE(CL_INVALID_VALUE)
        CASE(CL_INVALID_DEVICE)
        CASE(CL_INVALID_CONTEXT)
        CASE(CL_INVALID_COMMAND_QUEUE)
        CASE(CL_INVALID_MEM_OBJECT)
        CASE(CL_INVALID_BINARY)
        CASE(CL_INVALID_BUILD_OPTIONS)
        CASE(CL_INVALID_PROGRAM)
        CASE(CL_INVALID_PROGRAM_EXECUTABLE)
        CASE(CL_INVALID_KERNEL_NAME)
        CASE(CL_INVALID_KERNEL)
        CASE(CL_INVALID_ARG_INDEX)
        CASE(CL_INVALID_ARG_VALUE)
        CASE(CL_INVALID_ARG_SIZE)
        CASE(CL_INVALID_KERNEL_ARGS)
        CASE(CL_INVALID_WORK_DIMENSION)
        CASE(CL_INVALID_WORK_GROUP_SIZE)
        CASE(CL_INVALID_WORK_ITEM_SIZE)
        CASE(CL_INVALID_EVENT_WAIT_LIST)
        CASE(CL_INVALID_OPERATION)
        CASE(CL_INVALID_BUFFER_SIZE)
        CASE(CL_INVALID_GLOBAL_WORK_SIZE)
#undef CASE
    default:
        return error == -1001 ? "no OpenCL platform is installed" : "an unknown OpenCL error";
    }
}
