/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bdd.h: reduced ordered binary decision diagrams: as many operations as translators and readers
 * of automata need, and a way back to cubes.
 *
 * R. Bryant, "Graph-based algorithms for Boolean function manipulation", IEEE Transactions on
 * Computers C-35 (1986). One operator, if-then-else, with a unique table and a lossy computed
 * table: K. Brace, R. Rudell, R. Bryant, "Efficient implementation of a BDD package", DAC 1990.
 * Cubes: S. Minato, "Fast generation of irredundant sum-of-products forms from binary decision
 * diagrams", SASIMI 1992.
 *
 * Variables are numbered levels; a smaller level is nearer to the root, and there is no reordering.
 * Within a space equal functions are equal references, for as long as none is forgotten. Nodes are
 * neither counted nor collected: om_bdd_space_forget() drops the newest ones at once.
 *
 * Errors: the first failure of a space stays (om_bdd_space_status()); from then on every operation
 * returns OM_BDD_NONE. So a caller may chain operations and check once, at the end. No operation
 * leaves a message: only the caller can say what has grown too large.
 *
 * Threads: a space may be read by several threads at once and changed by one; everything but
 * om_bdd_space_status(), om_bdd_space_count(), om_bdd_level() and om_bdd_cofactor() changes it.
 * Spaces share nothing, so each thread may work on its own.
 *
 * Stack: operations recurse once for each level in their operands, at most OM_BDD_LEVELS deep:
 * half a megabyte at worst.
 *
 * Why no library: the one for C in Debian 12 is BuDDy 2.4 (libbdd-dev); CUDD and Sylvan are not
 * packaged there. BuDDy keeps its nodes, its number of variables and its error handler in globals
 * of the process: every use would need one lock, and a host that uses BuDDy too would share all of
 * it, where a second initialisation is an error. Its default error handler calls exit(). It takes
 * memory from malloc(), not from the heap of a context, so the tests that let each allocation fail
 * in turn could not reach it. And it has no irredundant sum of products.
 */
#ifndef OMEN_BDD_H
#define OMEN_BDD_H

#include <omen/plugin/base.h>
#include <omen/plugin/label.h>

typedef struct om_bdd_space om_bdd_space; /* the nodes; references belong to one of these */
typedef uint32_t om_bdd;

#define OM_BDD_FALSE ((om_bdd) 0)
#define OM_BDD_TRUE ((om_bdd) 1)
#define OM_BDD_NONE UINT32_MAX /* something failed: ask om_bdd_space_status() */

enum { OM_BDD_LEVELS = 4096 }; /* levels are 0 .. OM_BDD_LEVELS - 1 */

/* ---- spaces ---- */

/*
 * A space of at most `most` nodes, the two constants among them, for the caller to free; memory is
 * that of the context, which must outlive it. OM_ENOMEM, or OM_EINVAL (`most` is below 2), with a
 * message. There are never more than 2^32 - 2 nodes.
 */
OM_API int om_bdd_space_new(om_bdd_space **out, om_context *ctx, size_t most);
OM_API void om_bdd_space_free(om_bdd_space *s);

/* OM_OK, or the first failure: OM_ENOMEM, OM_ELIMIT (too many nodes or cubes), what
 * om_context_stopped() says, or OM_EINVAL (a level or a reference that does not exist). */
OM_API int om_bdd_space_status(const om_bdd_space *s);

/* How many nodes there are, the two constants among them. */
OM_API size_t om_bdd_space_count(const om_bdd_space *s);

/*
 * Forgets every node made since there were `count` (all but the constants for 0). References from
 * before stay good; later ones must not be used again. A failure stays.
 */
OM_API void om_bdd_space_forget(om_bdd_space *s, size_t count);

/* ---- functions: all return OM_BDD_NONE where the space has failed, or fails now ---- */

/* The variable of a level, or its negation. */
OM_API om_bdd om_bdd_variable(om_bdd_space *s, uint32_t level, bool positive);
/* g where f is true, h elsewhere. */
OM_API om_bdd om_bdd_ite(om_bdd_space *s, om_bdd f, om_bdd g, om_bdd h);
OM_API om_bdd om_bdd_not(om_bdd_space *s, om_bdd f);
OM_API om_bdd om_bdd_and(om_bdd_space *s, om_bdd f, om_bdd g);
OM_API om_bdd om_bdd_or(om_bdd_space *s, om_bdd f, om_bdd g);
OM_API om_bdd om_bdd_minus(om_bdd_space *s, om_bdd f, om_bdd g); /* f and not g */

/* ---- inspection ---- */

/* The level at the root; OM_NONE, which is below all others, for constants and OM_BDD_NONE. */
OM_API uint32_t om_bdd_level(const om_bdd_space *s, om_bdd f);
/*
 * f with the variable of that level set to `value`; OM_BDD_NONE for OM_BDD_NONE. Only a root's
 * variable is set: a function whose root is at another level is returned as it is, which is right
 * unless that root is above.
 */
OM_API om_bdd om_bdd_cofactor(const om_bdd_space *s, om_bdd f, uint32_t level, bool value);

/* ---- cubes ---- */

/* A growing array. Zero-initialise; the caller frees `cubes` with om_free(). */
typedef struct om_cube_list {
    om_cube *cubes;
    size_t count, capacity;
} om_cube_list;

/*
 * Replaces the cubes in *out by an irredundant sum of products of f: their union is f, each is
 * prime, and none can be left out. Levels first .. first + 63 are bits 0 .. 63; a function of any
 * other level is OM_EINVAL, more than `most` cubes are OM_ELIMIT. Returns the status of the space;
 * *out is empty, but has to be freed, where that is a failure.
 */
OM_API int om_bdd_cubes(om_bdd_space *s, om_bdd f, uint32_t first, size_t most, om_cube_list *out);

#endif
