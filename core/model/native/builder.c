/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-build-native keep ...: see builder_keep.c.
 *
 * omen-build-native OBJECT COMPILER ARGUMENT...: runs a compiler and tests its output for the
 * library. The object can contain anything: it may terminate or block the process that opens it. So
 * it is opened here, and asked for the successors of the initial state, before the library opens
 * it.
 *
 * Standard input is a socket whose other end the library holds. The socket is closed when the
 * library's process ends, for whatever reason. Then all processes started here are killed
 * (parent_watch.h), so no compiler outlives the process that wanted it.
 */
#include "builder.h"

#include "process/parent_watch.h"
#include "native_abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Standard input of the compiler is empty; its output goes to that of this process. */
static int run_compiler(char **argv)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = -1, got;
    int status = 0, error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (error == 0)
            error = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
        (void) posix_spawn_file_actions_destroy(&actions);
    }
    if (error != 0) {
        (void) fprintf(stderr, "error: cannot run %s: %s\n", argv[0], strerror(error));
        return 1;
    }
    do
        got = waitpid(pid, &status, 0);
    while (got < 0 && errno == EINTR);
    return got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

static bool find(void *handle, const char *name, void *to)
{
    void *symbol = dlsym(handle, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol != NULL;
}

int om_builder__try(const char *path)
{
    const uint32_t *shape = NULL, *most = NULL, *initial = NULL;
    om_native_run_fn *run = NULL;
    om_native_labels_fn *labels = NULL;
    uint32_t fault[2] = { 0, 0 }; /* the fault, and the count of overflows */
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL && dlsym(handle, "om_native_kernels") != NULL)
        return 0;
    if (handle == NULL || !find(handle, "om_native_shape", &shape) ||
        !find(handle, "om_native_most", &most) || !find(handle, "om_native_initial", &initial) ||
        !find(handle, "om_native_run", &run) || !find(handle, "om_native_labels", &labels)) {
        (void) fprintf(stderr, "error: the compiled library is unusable: %s\n", dlerror());
        return 1;
    }
    for (uint32_t chunk = 0; chunk < shape[OM_NATIVE_CHUNKS] && fault[0] == 0; chunk++) {
        size_t words = shape[OM_NATIVE_WORDS], n = most[chunk];
        uint32_t *rows = calloc(words * n + 1, sizeof *rows), *by = calloc(n + 1, sizeof *by);
        if (rows != NULL && by != NULL)
            (void) run(initial, chunk, rows, words, by, 0, fault);
        free(rows);
        free(by);
    }
    (void) labels(initial, fault);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "keep") == 0)
        return om_builder__keep(argc, argv);
    if (argc < 3 || !om_watch_parent(STDIN_FILENO))
        return 1;
    /* Skips the destructors of the library, which do not matter. */
    _exit(run_compiler(argv + 2) == 0 && om_builder__try(argv[1]) == 0 ? OM_NATIVE_GOOD : 1);
}
