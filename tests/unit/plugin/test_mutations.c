/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutations of plug-ins; the argument is their number. Bytes are changed, or the rest is cut off
 * or zeroed. Each mutant is given to a separate process, which accepts or rejects it and neither
 * crashes, nor hangs, nor leaves a process behind.
 *
 * The sequence of mutations is fixed: an out-of-range symbol version (mutation 107155330) makes
 * the dynamic linker follow whatever is on the heap, which the trial in another process may
 * survive by luck while the host does not.
 */
#include "seed.h"

#include <omen/host/omen.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 4 << 20, TAKEN = 40, REFUSED = 41, PATIENCE_S = 60 };

#define HERE OMEN_BINARY_DIR "/tests/unit/plugin/"
static const char *const originals[] = {
    HERE "copied-reach.so",
    HERE "copied-builtin.so",
    HERE "flawed.so",
};

static size_t read_original(const char *path, unsigned char *bytes)
{
    FILE *f = fopen(path, "rb");
    size_t n = f == NULL ? 0 : fread(bytes, 1, MOST_BYTES, f);
    if (f != NULL)
        (void) fclose(f);
    return n;
}

static bool write_mutant(const char *path, const unsigned char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    bool good = f != NULL && fwrite(bytes, 1, n, f) == n;
    return f != NULL && fclose(f) == 0 && good;
}

/* Changes the bytes and returns their new number. Half of the changes are near the start or the
 * end, where headers and relocated data are. */
static size_t mutate(om_random *random, unsigned char *bytes, size_t n)
{
    uint64_t kind = om_random_below(random, 8);
    size_t at = (size_t) om_random_below(random, n);
    if (kind == 0)
        return at;
    if (kind == 1) {
        memset(bytes + at, 0, n - at);
        return n;
    }
    for (uint64_t left = 1 + om_random_below(random, 1 + (1u << om_random_below(random, 6)));
         left > 0; left--) {
        uint64_t where = om_random_below(random, 4);
        at = where == 0   ? (size_t) om_random_below(random, 2048)
             : where == 1 ? n - 1 - (size_t) om_random_below(random, 6000)
                          : (size_t) om_random_below(random, n);
        if (kind < 5)
            bytes[at] ^= (unsigned char) (1u << om_random_below(random, 8));
        else
            bytes[at] = kind == 5 ? 0 : kind == 6 ? 0xff : (unsigned char) om_random_next(random);
    }
    return n;
}

/* Does what a host does. */
static int look_at(const char *path)
{
    om_context *ctx = NULL;
    om_registry *r = NULL;
    if (om_context_new(&ctx, NULL) != OM_OK || om_registry_new(&r, ctx) != OM_OK ||
        om_registry_add(r, path) != OM_OK)
        return 1;
    const om_plugin_entry *e = om_registry_entry(r, om_registry_count(r) - 1);
    int status = e->plugin != NULL || strncmp(e->reason, "shadowed", 8) == 0 ? TAKEN : REFUSED;
    om_registry_free(r);
    om_context_free(ctx);
    return status;
}

/* Returns waitpid()'s status of a host that opened the file; -1 if it did not end. */
static int host(const char *path)
{
    const struct timespec nap = { 0, 200 * 1000 };
    uint64_t since = om_clock_ns();
    int status = -1;
    pid_t child = fork(), got = 0;
    if (child == 0)
        _exit(look_at(path));
    while (child > 0 && (got = waitpid(child, &status, WNOHANG)) == 0 &&
           om_clock_ns() - since < PATIENCE_S * UINT64_C(1000000000))
        (void) nanosleep(&nap, NULL);
    if (child > 0 && got == 0) {
        (void) kill(child, SIGKILL);
        (void) waitpid(child, NULL, 0);
    }
    return got == child ? status : -1;
}

/* Returns true if child processes remain. Orphans become children of this process; killed ones may
 * need a moment to end. */
static bool leftovers(void)
{
    for (unsigned i = 0; i < 200; i++) {
        if (waitpid(-1, NULL, WNOHANG) == -1)
            return errno != ECHILD;
        (void) nanosleep(&(struct timespec){ 0, 10 * 1000 * 1000 }, NULL);
    }
    return true;
}

static int run(uint64_t count, const char *folder)
{
    static unsigned char bytes[MOST_BYTES];
    unsigned taken = 0, refused = 0;
    char path[64];
    (void) snprintf(path, sizeof path, "%s/x.so", folder);
    for (uint64_t i = 0; seed_goes_on(i, &count); i++) {
        om_random random = { i };
        const char *original = originals[i % (sizeof originals / sizeof *originals)];
        size_t n = read_original(original, bytes);
        if (n < 8192 || !write_mutant(path, bytes, mutate(&random, bytes, n))) {
            (void) fprintf(stderr, "%s cannot be read, or %s not be written\n", original, path);
            return 1;
        }
        int status = host(path);
        bool good =
            WIFEXITED(status) && (WEXITSTATUS(status) == TAKEN || WEXITSTATUS(status) == REFUSED);
        if (status == -1 || !good || leftovers()) {
            (void) fprintf(stderr, "mutation %llu of %s: status 0x%x%s\n", (unsigned long long) i,
                original, (unsigned) status, good ? ", and something is left behind" : "");
            return 1;
        }
        taken += WEXITSTATUS(status) == TAKEN;
        refused += WEXITSTATUS(status) == REFUSED;
    }
    (void) printf("%u mutations taken, %u refused\n", taken, refused);
    return taken > 0 && refused > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/omen-test-XXXXXX", command[64];
    uint64_t count = argc < 2 ? 0 : strtoull(argv[1], NULL, 10);
    if (mkdtemp(folder) == NULL || setenv("XDG_CACHE_HOME", folder, 1) != 0 ||
        setenv("OMEN_PLUGIN_PATH", "", 1) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 1;
    int status = run(count, folder);
    (void) snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? status : 1;
}
