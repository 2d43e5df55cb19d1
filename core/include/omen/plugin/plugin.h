/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.h: the descriptor that a plug-in exports.
 *
 * A plug-in is a shared object that exports one constant, `omen_plugin`: an om_frontend, an
 * om_translator, an om_checker or an om_guide, each of which starts with an om_plugin. The registry
 * validates the constant before it calls any function in it, copies it into a zeroed struct
 * (entries that an older plug-in does not have read as NULL), and refuses an invalid one with a
 * reason.
 *
 * A plug-in keeps working as long as OM_ABI_MAJOR stays the same; each OM_ABI_MINOR adds to the
 * interface. Every type that crosses the border between a plug-in and the library is therefore one
 * of these:
 *
 *  - opaque: only pointers to it exist (om_task, om_cursor, om_side, ...);
 *
 *  - sized: it begins with its size, set by the side that creates it (om_evidence, om_bfs_spec,
 *    om_engine_spec, om_executor; descriptors have it in their head). It grows at its end: members
 *    that an older plug-in does not have read as zero, and members that the library does not know
 *    must be zero;
 *
 *  - frozen: all others. Their layout is part of OM_ABI_MAJOR and does not change. These are the
 *    types of array elements and of values in registers in the innermost loops (om_step,
 *    om_dfs_edge, om_edge, om_cube, om_successors), where a size read at run time would cost a load
 *    and a multiplication per element and prevent unrolling; and small types with one meaning
 *    (om_place, om_option, om_rank, om_assign, ...). Additional data for them gets functions of its
 *    own, such as om_model_set_location();
 *
 *  - a head: om_plugin, at the beginning of each descriptor, is frozen, with reserved members.
 *
 * The exported names are those of the headers; those for plug-ins have the version OMEN_1.
 * tests/abi/ records all layouts, functions and enumerations, and a test fails if one changes.
 */
#ifndef OMEN_PLUGIN_H
#define OMEN_PLUGIN_H

#include <omen/plugin/base.h>

#define OM_PLUGIN_MAGIC 0x6f6d656eu
#define OM_ABI_MAJOR 1u
#define OM_ABI_MINOR 2u
/* Build properties; the plug-in and the library must have the same. */
#define OM_BUILD "c11;ptr8;id8;marks8"

typedef enum om_plugin_kind {
    OM_PLUGIN_FRONTEND = 1,
    OM_PLUGIN_TRANSLATOR = 2,
    OM_PLUGIN_CHECKER = 3,
    OM_PLUGIN_GUIDE = 4
} om_plugin_kind;

/* The head of every descriptor. The plug-in owns all strings, which live as long as it is loaded.
 * Each is a line of UTF-8 without control characters, shorter than 4,096 bytes. */
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
    const om_option_names *names; /* names of option values, or NULL */
    const void *reserved[4];      /* NULL */
} om_plugin;
_Static_assert(sizeof(void *) != 8 || sizeof(om_plugin) == 96, "frozen: it heads all descriptors");

/* Initialises the head, the first member of every descriptor: `.head = OM_PLUGIN_HEAD(om_checker,
 * OM_PLUGIN_CHECKER, ...)`. */
#define OM_PLUGIN_HEAD(TYPE, KIND, NAME, SUMMARY, CITATION, OPTIONS) \
    OM_PLUGIN_HEAD_NAMED(TYPE, KIND, NAME, SUMMARY, CITATION, OPTIONS, NULL)
/* The same, with names for values of options. */
#define OM_PLUGIN_HEAD_NAMED(TYPE, KIND, NAME, SUMMARY, CITATION, OPTIONS, NAMES)                 \
    {                                                                                             \
        OM_PLUGIN_MAGIC, OM_ABI_MAJOR, OM_ABI_MINOR, sizeof(TYPE), KIND, OM_BUILD, NAME, SUMMARY, \
            CITATION, OPTIONS, NAMES,                                                             \
        {                                                                                         \
            NULL                                                                                  \
        }                                                                                         \
    }

/* The highest rank. If several plug-ins can do the same work, the one of highest rank is the
 * default. */
enum { OM_HIGHEST_RANK = 1000 };

#endif
