/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.h: what a plug-in exports.
 *
 * A plug-in is a shared object that exports one constant, `omen_plugin`: an om_frontend, an
 * om_translator or an om_checker, each of which starts with an om_plugin. The registry looks at the
 * constant before it calls anything in it, copies it into a zeroed struct (so entries that an older
 * plug-in never heard of read as NULL), and refuses it with a reason where anything is off.
 *
 * What a plug-in was built for once works for as long as OM_ABI_MAJOR stays the same; each
 * OM_ABI_MINOR adds to it. So what crosses between a plug-in and the library is one of these:
 *
 *  - opaque: a type of which there are pointers alone (om_task, om_cursor, om_side, ...);
 *
 *  - sized: it begins with its size, which whoever makes it fills in (om_evidence, om_bfs_spec,
 *    om_engine_spec, om_executor; of descriptors the head has it). It grows at its end: what an
 *    older plug-in does not have is zero, and what the library does not know must be;
 *
 *  - frozen: all others. Their layout is part of OM_ABI_MAJOR and does not change. These are what
 *    comes in arrays or in registers in the innermost loops (om_step, om_dfs_edge, om_edge,
 *    om_cube, om_successors), where a size that is read at run time would be a load and a
 *    multiplication for each element, and no compiler could unroll; and small things that mean one
 *    thing (om_place, om_option, om_rank, om_assign, ...). What is to be known beside them comes by
 *    functions of its own, as om_model_set_location();
 *
 *  - a head: om_plugin, at the beginning of each descriptor, is frozen with room kept.
 *
 * Names that are exported are those of the headers; those for plug-ins have the version OMEN_1.
 * tests/abi/ has all of it on record, and a test that fails where a layout, a function or an
 * enumeration is another.
 */
#ifndef OMEN_PLUGIN_H
#define OMEN_PLUGIN_H

#include <omen/plugin/base.h>

#define OM_PLUGIN_MAGIC 0x6f6d656eu
#define OM_ABI_MAJOR 1u
#define OM_ABI_MINOR 0u
/* What both sides must have been compiled with. */
#define OM_BUILD "c11;ptr8;id8;marks8"

typedef enum om_plugin_kind {
    OM_PLUGIN_FRONTEND = 1,
    OM_PLUGIN_TRANSLATOR = 2,
    OM_PLUGIN_CHECKER = 3
} om_plugin_kind;

/* The head of every descriptor. All strings are the plug-in's, for as long as it is loaded; they
 * are lines of UTF-8 without control characters, of less than 4,096 bytes. */
typedef struct om_plugin {
    uint32_t magic;
    uint16_t abi_major, abi_minor;
    uint32_t size; /* of the whole descriptor, this head included */
    uint32_t kind; /* om_plugin_kind */
    const char *build;
    const char *name; /* [a-z0-9-]+, unique within its kind */
    const char *summary;
    const char *citation;         /* paper and section, or NULL */
    const om_option *options;     /* at most 64, or NULL */
    const om_option_names *names; /* of values of options; or NULL */
    const void *reserved[4];      /* NULL */
} om_plugin;
_Static_assert(sizeof(void *) != 8 || sizeof(om_plugin) == 96, "frozen: it heads all descriptors");

/* The first line of every descriptor: `.head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, ...)`.
 */
#define OM_PLUGIN_HEAD(TYPE, KIND, NAME, SUMMARY, CITATION, OPTIONS) \
    OM_PLUGIN_HEAD_NAMED(TYPE, KIND, NAME, SUMMARY, CITATION, OPTIONS, NULL)
/* Where values of options have names. */
#define OM_PLUGIN_HEAD_NAMED(TYPE, KIND, NAME, SUMMARY, CITATION, OPTIONS, NAMES)                 \
    {                                                                                             \
        OM_PLUGIN_MAGIC, OM_ABI_MAJOR, OM_ABI_MINOR, sizeof(TYPE), KIND, OM_BUILD, NAME, SUMMARY, \
            CITATION, OPTIONS, NAMES,                                                             \
        {                                                                                         \
            NULL                                                                                  \
        }                                                                                         \
    }

/* Where several can do the same, the one of highest rank is the default. */
enum { OM_HIGHEST_RANK = 1000 };

#endif
