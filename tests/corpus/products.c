/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the reachable states of the products of a model with many automata, without the early
 * termination of a checker. The model is explored once, and kept as a graph with the values of all
 * propositions. Then batches of automata that have 64 states together traverse it, one bit for each
 * state.
 * usage: corpus_products MODEL < PATHS
 *   PATHS  automata in HOA, one path a line
 * Prints "states NUMBER" of the model, then "PATH NUMBER" for each automaton, in their order. Exit
 * status: 0, or 2 with a message.
 */
#include <omen/host/omen.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 4096, LABEL_APS = 64, MOST_WORDS = 8, MOST_BITS = 64, MOST_LOCAL = 16 };

/* A proposition of the automata; propositions with the same spelling share one atom. */
typedef struct atom {
    char *name;
    om_expr expr;
} atom;

typedef struct automaton {
    const char *path;
    om_automaton *a;
    uint32_t *atoms;      /* atom of each of its own propositions */
    uint32_t bit;         /* bit of its state 0 in the words of its batch */
    uint64_t *successors; /* at (label << bits) + state; bits of the batch */
    uint32_t bits;
    uint64_t states; /* of the product */
} automaton;

typedef struct work {
    om_context *ctx;
    om_registry *registry;
    const om_frontend *frontend;
    om_model *model;
    om_executor *labellers[MOST_WORDS]; /* the first one also computes successors */
    uint32_t label_words;
    atom *atoms;
    size_t atom_count, atom_capacity;
    automaton *automata;
    size_t count;
    /* The graph: vectors by number, an index of numbers + 1, and the edges. */
    uint32_t words;
    uint32_t *vectors, *index, *to;
    size_t vector_capacity, index_size, to_count, to_capacity;
    uint64_t *labels;
    size_t *first, label_capacity, first_capacity;
    uint32_t states;
    /* A pass: reached product states, processed ones, and the queue of model states. */
    uint64_t *reached, *done;
    uint32_t *queue;
} work;

static void die(const work *w, const char *what)
{
    (void) fprintf(stderr, "%s: %s\n", what, w->ctx == NULL ? "" : om_context_error(w->ctx));
    exit(2);
}

static void must(const work *w, int rc, const char *what)
{
    if (rc != OM_OK)
        die(w, what);
}

static void *room(const work *w, void *p, size_t *capacity, size_t need, size_t size)
{
    void *moved = om_grow(om_context_heap(w->ctx), p, capacity, need, size);
    if (moved == NULL)
        die(w, "memory");
    return moved;
}

static void *fresh(const work *w, size_t count, size_t size)
{
    void *p = om_alloc(om_context_heap(w->ctx), count, size);
    if (p == NULL)
        die(w, "memory");
    return p;
}

/* ---- automata and their propositions ---- */

static uint32_t atom_named(work *w, const char *text)
{
    char *name = om_strdup(om_context_heap(w->ctx), text);
    if (name == NULL)
        die(w, "memory");
    for (char *c = name; *c != '\0'; c++)
        if (*c == '"')
            *c = '\'';
    for (size_t i = 0; i < w->atom_count; i++)
        if (strcmp(w->atoms[i].name, name) == 0) {
            om_free(om_context_heap(w->ctx), name);
            return (uint32_t) i;
        }
    w->atoms = room(w, w->atoms, &w->atom_capacity, w->atom_count + 1, sizeof *w->atoms);
    atom *made = &w->atoms[w->atom_count];
    *made = (atom){ .name = name };
    must(w, w->frontend->expression(w->model, text, text, &made->expr), text);
    return (uint32_t) w->atom_count++;
}

static void read_automaton(work *w, automaton *x)
{
    must(w, om_hoa_read_file(&x->a, w->ctx, x->path, 0), x->path);
    uint32_t aps = om_automaton_ap_count(x->a);
    if (aps > MOST_LOCAL || om_automaton_state_count(x->a) > MOST_BITS)
        die(w, "an automaton with too many propositions or states");
    x->atoms = fresh(w, aps, sizeof *x->atoms);
    for (uint32_t i = 0; i < aps; i++)
        x->atoms[i] = atom_named(w, om_automaton_ap(x->a, i));
}

static void read_automata(work *w)
{
    static char line[4096];
    w->automata = fresh(w, MOST_PATHS, sizeof *w->automata);
    while (w->count < MOST_PATHS && fgets(line, sizeof line, stdin) != NULL) {
        automaton *x = &w->automata[w->count++];
        line[strcspn(line, "\n")] = '\0';
        x->path = om_strdup(om_context_heap(w->ctx), line);
        if (x->path == NULL)
            die(w, "memory");
        read_automaton(w, x);
    }
}

static void open_labellers(work *w)
{
    om_expr exprs[LABEL_APS];
    w->label_words = (uint32_t) ((w->atom_count + LABEL_APS - 1) / LABEL_APS);
    w->label_words += w->label_words == 0;
    if (w->label_words > MOST_WORDS)
        die(w, "too many propositions");
    for (uint32_t k = 0; k < w->label_words; k++) {
        uint32_t n = 0;
        for (size_t i = (size_t) k * LABEL_APS; n < LABEL_APS && i < w->atom_count; i++)
            exprs[n++] = w->atoms[i].expr;
        must(w, om_executor_open(&w->labellers[k], w->model, OM_EXEC_NATIVE, exprs, n), "executor");
    }
}

/* ---- the graph ---- */

static uint64_t hash(const uint32_t *v, uint32_t words)
{
    uint64_t h = words;
    for (uint32_t i = 0; i < words; i++) {
        h = (h ^ v[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

static void grow_index(work *w)
{
    size_t size = w->index_size == 0 ? 1 << 16 : 2 * w->index_size;
    om_free(om_context_heap(w->ctx), w->index);
    w->index = fresh(w, size, sizeof *w->index);
    w->index_size = size;
    for (uint32_t s = 0; s < w->states; s++) {
        size_t at = hash(&w->vectors[(size_t) s * w->words], w->words) & (size - 1);
        while (w->index[at] != 0)
            at = (at + 1) & (size - 1);
        w->index[at] = s + 1;
    }
}

static uint32_t number_of(work *w, const uint32_t *vector)
{
    if (2 * (size_t) w->states >= w->index_size)
        grow_index(w);
    size_t at = hash(vector, w->words) & (w->index_size - 1);
    for (; w->index[at] != 0; at = (at + 1) & (w->index_size - 1)) {
        uint32_t s = w->index[at] - 1;
        if (memcmp(&w->vectors[(size_t) s * w->words], vector, 4 * (size_t) w->words) == 0)
            return s;
    }
    w->vectors = room(w, w->vectors, &w->vector_capacity, ((size_t) w->states + 1) * w->words,
        sizeof *w->vectors);
    memcpy(&w->vectors[(size_t) w->states * w->words], vector, 4 * (size_t) w->words);
    w->index[at] = w->states + 1;
    if (w->states == UINT32_MAX - 2)
        die(w, "too many states");
    return w->states++;
}

/* Computes the labels and the edges of a state; a deadlock has an edge to itself. */
static void expand(work *w, uint32_t s, uint32_t *vector, om_successors *out)
{
    om_fault fault = 0;
    memcpy(vector, &w->vectors[(size_t) s * w->words], 4 * (size_t) w->words);
    w->labels = room(
        w, w->labels, &w->label_capacity, ((size_t) s + 1) * w->label_words, sizeof *w->labels);
    for (uint32_t k = 0; k < w->label_words; k++) {
        w->labels[(size_t) s * w->label_words + k] =
            w->labellers[k]->labels(w->labellers[k], vector, &fault);
        if (fault != 0)
            die(w, "a proposition goes wrong");
    }
    must(w, om_executor_successors(w->labellers[0], vector, out), "successors");
    if (out->fault != 0)
        die(w, "the model goes wrong");
    size_t n = out->count == 0 ? 1 : out->count;
    w->to = room(w, w->to, &w->to_capacity, w->to_count + n, sizeof *w->to);
    w->first = room(w, w->first, &w->first_capacity, (size_t) s + 2, sizeof *w->first);
    for (size_t i = 0; i < out->count; i++)
        w->to[w->to_count++] = number_of(w, &out->words[i * out->stride]);
    if (out->count == 0)
        w->to[w->to_count++] = s;
    w->first[s + 1] = w->to_count;
}

static void explore(work *w)
{
    const om_executor *x = w->labellers[0];
    om_successors out = { .heap = om_context_heap(w->ctx) };
    w->words = x->words;
    w->first = room(w, NULL, &w->first_capacity, 2, sizeof *w->first);
    w->first[0] = 0;
    uint32_t *vector = fresh(w, w->words, sizeof *vector);
    x->initial(x, vector);
    (void) number_of(w, vector);
    for (uint32_t s = 0; s < w->states; s++)
        expand(w, s, vector, &out);
    om_successors_free(&out);
    om_free(om_context_heap(w->ctx), vector);
    om_free(om_context_heap(w->ctx), w->vectors);
    om_free(om_context_heap(w->ctx), w->index);
    w->vectors = w->index = NULL;
}

/* ---- products ---- */

static void tabulate(const work *w, automaton *x)
{
    uint32_t states = om_automaton_state_count(x->a), labels = 1u << om_automaton_ap_count(x->a);
    const om_cube *cubes = om_automaton_cubes(x->a);
    x->bits = 1;
    while (1u << x->bits < states)
        x->bits++;
    x->successors = fresh(w, (size_t) labels << x->bits, sizeof *x->successors);
    for (uint32_t q = 0; q < states; q++) {
        uint32_t count = 0;
        const om_edge *e = om_automaton_edges(x->a, q, &count);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t l = 0; l < labels; l++)
                if (om_edge_matches(&e[i], cubes, l))
                    x->successors[((size_t) l << x->bits) + q] |= UINT64_C(1)
                                                                  << (x->bit + e[i].dst);
    }
}

static uint64_t own_bits(const automaton *x)
{
    uint32_t n = om_automaton_state_count(x->a);
    return (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << x->bit;
}

/* Returns the successors of one automaton's states in `from`. */
static uint64_t step(const work *w, const automaton *x, uint32_t s, uint64_t from)
{
    const uint64_t *labels = &w->labels[(size_t) s * w->label_words];
    uint64_t to = 0;
    size_t label = 0;
    uint32_t aps = om_automaton_ap_count(x->a);
    for (uint32_t i = 0; i < aps; i++)
        label |= (size_t) (labels[x->atoms[i] / LABEL_APS] >> x->atoms[i] % LABEL_APS & 1) << i;
    for (from >>= x->bit; from != 0; from &= from - 1)
        to |= x->successors[(label << x->bits) + (unsigned) __builtin_ctzll(from)];
    return to;
}

/* Traverses the graph in queue order; a state is in the queue at most once at a time. */
static void pass(work *w, automaton *x, size_t count)
{
    size_t head = 0, tail = 0, size = w->states; /* at least 1 */
    assert(size > 0);
    memset(w->reached, 0, size * sizeof *w->reached);
    memset(w->done, 0, size * sizeof *w->done);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < om_automaton_initial_count(x[i].a); k++)
            w->reached[0] |= UINT64_C(1) << (x[i].bit + om_automaton_initial(x[i].a, k));
    w->queue[tail++ % size] = 0;
    for (; head < tail; head++) {
        uint32_t s = w->queue[head % size];
        uint64_t now = w->reached[s] & ~w->done[s], to = 0;
        w->done[s] = w->reached[s];
        for (size_t i = 0; i < count; i++)
            if ((now & own_bits(&x[i])) != 0)
                to |= step(w, &x[i], s, now & own_bits(&x[i]));
        for (size_t e = w->first[s]; e < w->first[s + 1] && to != 0; e++) {
            uint32_t t = w->to[e];
            if ((to & ~w->reached[t]) == 0)
                continue;
            if (w->reached[t] == w->done[t])
                w->queue[tail++ % size] = t;
            w->reached[t] |= to;
        }
    }
    for (uint32_t s = 0; s < w->states; s++)
        for (size_t i = 0; i < count && w->reached[s] != 0; i++)
            x[i].states += (uint64_t) __builtin_popcountll(w->reached[s] & own_bits(&x[i]));
}

static void run_batches(work *w)
{
    w->reached = fresh(w, w->states, sizeof *w->reached);
    w->done = fresh(w, w->states, sizeof *w->done);
    w->queue = fresh(w, w->states, sizeof *w->queue);
    for (size_t begin = 0, end = 0; begin < w->count; begin = end) {
        uint32_t bits = 0;
        for (; end < w->count; end++) {
            automaton *x = &w->automata[end];
            uint32_t n = om_automaton_state_count(x->a);
            if (bits + n > MOST_BITS)
                break;
            x->bit = bits;
            bits += n;
            tabulate(w, x);
        }
        pass(w, &w->automata[begin], end - begin);
        for (size_t i = begin; i < end; i++) {
            om_free(om_context_heap(w->ctx), w->automata[i].successors);
            (void) printf(
                "%s %llu\n", w->automata[i].path, (unsigned long long) w->automata[i].states);
        }
        (void) fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    static work w;
    if (argc != 2) {
        (void) fprintf(stderr, "usage: corpus_products MODEL < PATHS\n");
        return 2;
    }
    must(&w, om_context_new(&w.ctx, NULL), "context");
    must(&w, om_registry_new(&w.registry, w.ctx), "registry");
    must(&w, om_frontend_load(w.ctx, w.registry, NULL, argv[1], &w.frontend, &w.model), argv[1]);
    read_automata(&w);
    open_labellers(&w);
    explore(&w);
    (void) printf("states %lu\n", (unsigned long) w.states);
    (void) fflush(stdout);
    run_batches(&w);
    return 0; /* the rest is freed with the process */
}
