/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bdd.h: reduced ordered binary decision diagrams: the operations that translators and readers of
 * automata need, and a conversion to cubes.
 *
 * R. Bryant, "Graph-based algorithms for Boolean function manipulation", IEEE Transactions on
 * Computers C-35 (1986). One operator, if-then-else, with a unique table and a lossy computed
 * table: K. Brace, R. Rudell, R. Bryant, "Efficient implementation of a BDD package", DAC 1990.
 * Cubes: S. Minato, "Fast generation of irredundant sum-of-products forms from binary decision
 * diagrams", SASIMI 1992.
 *
 * Variables are numbered levels; a smaller level is nearer to the root, and there is no reordering.
 * Within a space, equal functions have equal references until one of them is forgotten. Nodes are
 * neither reference-counted nor collected: om_bdd_space_forget() drops the newest ones at once.
 *
 * Errors: a space keeps its first failure (om_bdd_space_status()); from then on every operation
 * returns OM_BDD_NONE. A caller may therefore chain operations and check once, at the end. No
 * operation records a message: only the caller can say which object became too large.
 *
 * Threads: several threads may read a space at once, but only one may change it, and no thread may
 * read it meanwhile. All functions change it except om_bdd_space_status(), om_bdd_space_count(),
 * om_bdd_level() and om_bdd_cofactor(). Spaces share nothing, so each thread may work on its own.
 *
 * Stack: operations recurse once for each level in their operands, at most OM_BDD_LEVELS deep: half
 * a megabyte at worst.
 *
 * Why not a library: the C library in Debian 12 is BuDDy 2.4 (libbdd-dev); CUDD and Sylvan are not
 * packaged there. BuDDy keeps its nodes, its number of variables and its error handler in global
 * variables: all uses would need one lock, and a host that also uses BuDDy would share this state,
 * in which a second initialisation is an error. Its default error handler calls exit(). It
 * allocates with malloc(), not from the heap of a context, so tests that let each allocation fail
 * in turn could not cover it. It has no irredundant sum of products.
 */
#ifndef OMEN_BDD_H
#define OMEN_BDD_H

#include <omen/plugin/base.h>
#include <omen/plugin/label.h>

typedef struct om_bdd_space om_bdd_space; /* the nodes; every reference belongs to one space */
typedef uint32_t om_bdd;

#define OM_BDD_FALSE ((om_bdd) 0)
#define OM_BDD_TRUE ((om_bdd) 1)
#define OM_BDD_NONE UINT32_MAX /* an operation failed: see om_bdd_space_status() */

enum { OM_BDD_LEVELS = 4096 }; /* levels are 0 .. OM_BDD_LEVELS - 1 */

/* ---- spaces ---- */

/*
 * Creates a space of at most `most` nodes, the two constants included; the caller frees it. It uses
 * the memory of the context, which must outlive it. OM_ENOMEM, or OM_EINVAL (`most` is below 2),
 * with a message. The number of nodes never exceeds 2^32 - 2.
 */
OM_API int om_bdd_space_new(om_bdd_space **out, om_context *ctx, size_t most);
OM_API void om_bdd_space_free(om_bdd_space *s);

/* Returns OM_OK, or the first failure: OM_ENOMEM, OM_ELIMIT (too many nodes or cubes), the status
 * of om_context_stopped(), or OM_EINVAL (a level or a reference that does not exist). */
OM_API int om_bdd_space_status(const om_bdd_space *s);

/* Returns the number of nodes, the two constants included. */
OM_API size_t om_bdd_space_count(const om_bdd_space *s);

/*
 * Forgets all nodes made since the space had `count` nodes (0: all except the constants). Older
 * references remain valid; newer ones must not be used again. A failure remains recorded.
 */
OM_API void om_bdd_space_forget(om_bdd_space *s, size_t count);

/* ---- functions: all return OM_BDD_NONE if the space has failed or fails now ---- */

/* Returns the variable of a level, or its negation. */
OM_API om_bdd om_bdd_variable(om_bdd_space *s, uint32_t level, bool positive);
/* Returns the function that is g where f is true and h elsewhere. */
OM_API om_bdd om_bdd_ite(om_bdd_space *s, om_bdd f, om_bdd g, om_bdd h);
OM_API om_bdd om_bdd_not(om_bdd_space *s, om_bdd f);
OM_API om_bdd om_bdd_and(om_bdd_space *s, om_bdd f, om_bdd g);
OM_API om_bdd om_bdd_or(om_bdd_space *s, om_bdd f, om_bdd g);
OM_API om_bdd om_bdd_minus(om_bdd_space *s, om_bdd f, om_bdd g); /* f and not g */

/* ---- inspection ---- */

/* Returns the level of the root; OM_NONE, which is below all levels, for constants and
 * OM_BDD_NONE. */
OM_API uint32_t om_bdd_level(const om_bdd_space *s, om_bdd f);
/*
 * Returns f with the variable of that level set to `value`; OM_BDD_NONE for OM_BDD_NONE. Only the
 * root's variable can be set: a function whose root has another level is returned unchanged, which
 * is correct unless that root is above `level`.
 */
OM_API om_bdd om_bdd_cofactor(const om_bdd_space *s, om_bdd f, uint32_t level, bool value);

/* ---- cubes ---- */

/* A growing array. Initialise to zero; the caller frees `cubes` with om_free(). */
typedef struct om_cube_list {
    om_cube *cubes;
    size_t count, capacity;
} om_cube_list;

/*
 * Replaces the cubes in *out by an irredundant sum of products of f: their union is f, each cube is
 * prime, and none is redundant. Levels first .. first + 63 become bits 0 .. 63; OM_EINVAL if f
 * depends on another level, OM_ELIMIT if there are more than `most` cubes. Returns the status of
 * the space; on failure *out is empty but must still be freed.
 */
OM_API int om_bdd_cubes(om_bdd_space *s, om_bdd f, uint32_t first, size_t most, om_cube_list *out);

#endif
