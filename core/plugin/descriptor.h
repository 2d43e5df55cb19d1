/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor.h: what a shared object says that it is. Looked at and copied, never called. */
#ifndef OM_PLUGIN_DESCRIPTOR_H
#define OM_PLUGIN_DESCRIPTOR_H

#include <omen/plugin/check.h>
#include <omen/plugin/frontend.h>
#include <omen/plugin/plugin.h>
#include <omen/plugin/translate.h>

/* A descriptor of any kind, copied and zero-filled behind what the plug-in gave. */
typedef union om_descriptor {
    om_plugin head;
    om_frontend frontend;
    om_translator translator;
    om_checker checker;
} om_descriptor;

/*
 * Copies the descriptor that an open shared object exports. Where anything is off, false, with the
 * reason in *why; the copy is then of no use. Whatever anybody will read of a descriptor is read
 * here: one with pointers to nowhere ends the process, which is why this is done in a child first
 * (trial.h).
 */
bool om_descriptor__read(void *handle, om_descriptor *copy, om_text *why);

#endif
