/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor.h: validates the descriptor of a shared object. Reads and copies it, and calls nothing
 * in it. */
#ifndef OM_PLUGIN_DESCRIPTOR_H
#define OM_PLUGIN_DESCRIPTOR_H

#include <omen/plugin/check.h>
#include <omen/plugin/frontend.h>
#include <omen/plugin/guide.h>
#include <omen/plugin/plugin.h>
#include <omen/plugin/translate.h>

/* A descriptor of any kind: a copy, zero-filled after the end of the plug-in's descriptor. */
typedef union om_descriptor {
    om_plugin head;
    om_frontend frontend;
    om_translator translator;
    om_checker checker;
    om_guide guide;
} om_descriptor;

/*
 * Copies the descriptor that an open shared object exports. Returns false, with the reason in *why,
 * if the descriptor is invalid; the copy is then undefined. All data of a descriptor that is ever
 * read is read here. A descriptor with wild pointers terminates the process, so a child process
 * does this first (trial.h).
 */
bool om_descriptor__read(void *handle, om_descriptor *copy, om_text *why);

#endif
