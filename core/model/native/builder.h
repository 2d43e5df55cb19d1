/* SPDX-License-Identifier: Apache-2.0 */
/* builder.h: the two halves of omen-build-native. */
#ifndef OMEN_CORE_MODEL_BUILDER_H
#define OMEN_CORE_MODEL_BUILDER_H

/* Opens a compiled library and asks it for the successors of the initial state, which may terminate
 * or block this process. Returns 0 if it is usable; otherwise prints the reason. */
int om_builder__try(const char *path);

/* main() of "omen-build-native keep" (builder_keep.c). */
int om_builder__keep(int argc, char **argv);

#endif
