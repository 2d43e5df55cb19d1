/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target on every file of the given folders, then on rounds of mutations of them
 * (seed.h): bytes changed, runs deleted, duplicated or swapped with another file's. The corpus and
 * its neighbourhood thus run as an ordinary test, under the sanitizers of the build.
 */
#include "seed.h"

#include <omen/plugin/base.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES = 4096, LARGEST = 1 << 16, MUTATIONS = 40 };

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;

typedef struct corpus {
    input files[FILES];
    size_t count;
} corpus;

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_one(corpus *c, const char *folder, const char *name)
{
    char path[4096];
    (void) snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = name[0] == '.' ? NULL : fopen(path, "rb");
    if (f == NULL || c->count == FILES) {
        if (f != NULL)
            (void) fclose(f);
        return;
    }
    input *in = &c->files[c->count];
    in->bytes = malloc(LARGEST);
    if (in->bytes != NULL) {
        in->size = fread(in->bytes, 1, LARGEST, f);
        c->count++;
    }
    (void) fclose(f);
}

static void read_folder(corpus *c, const char *folder)
{
    struct dirent **names = NULL;
    int n = scandir(folder, &names, NULL, by_name);
    for (int i = 0; i < n; i++) {
        read_one(c, folder, names[i]->d_name);
        free(names[i]);
    }
    free(names);
}

/* Makes one random change of the n bytes at p; the buffer has LARGEST bytes. Returns the new
 * size. */
static size_t mutate(om_random *r, const corpus *c, uint8_t *p, size_t n)
{
    const input *other = &c->files[om_random_below(r, c->count)];
    size_t at = n == 0 ? 0 : om_random_below(r, n);
    size_t run = n == at ? 0 : 1 + om_random_below(r, n - at < 32 ? n - at : 32);
    switch (om_random_below(r, 4)) {
    case 0:
        if (n > 0)
            p[at] = (uint8_t) om_random_next(r);
        return n;
    case 1:
        memmove(p + at, p + at + run, n - at - run);
        return n - run;
    case 2:
        if (n + run > LARGEST)
            return n;
        memmove(p + at + run, p + at, n - at);
        return n + run;
    default:
        if (other->size > run)
            memcpy(p + at, other->bytes + om_random_below(r, other->size - run), run);
        return n;
    }
}

/* Runs the target on an exact-size copy, so that the address sanitizer detects reads past the
 * end. */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size == 0 ? 1 : size);
    if (exact == NULL)
        return;
    memcpy(exact, bytes, size);
    (void) LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void run_mutation(om_random *r, const corpus *c, const input *in, uint8_t *room)
{
    size_t size = in->size;
    memcpy(room, in->bytes, size);
    for (uint64_t n = 1 + om_random_below(r, 4); n > 0; n--)
        size = mutate(r, c, room, size);
    run(room, size);
}

int main(int argc, char **argv)
{
    static corpus c;
    om_random r = { seed_first("1") };
    uint8_t *room = malloc(LARGEST);

    for (int i = 1; i < argc; i++)
        read_folder(&c, argv[i]);
    if (c.count == 0 || room == NULL) {
        (void) fprintf(stderr, "no input in the folders given\n");
        free(room);
        return 1;
    }
    for (size_t i = 0; i < c.count; i++)
        run(c.files[i].bytes, c.files[i].size);
    uint64_t runs = MUTATIONS * (uint64_t) c.count, at = 0;
    for (; seed_goes_on(at, &runs); at++)
        run_mutation(&r, &c, &c.files[at % c.count], room);
    printf("%zu inputs, %llu mutations\n", c.count, (unsigned long long) at);
    for (size_t i = 0; i < c.count; i++)
        free(c.files[i].bytes);
    free(room);
    return 0;
}
