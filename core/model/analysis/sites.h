/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sites.h: overflow sites. A site is an assignment that has a source position and whose value is
 * not known to fit its slot. Sites are numbered in model order; executors check only them.
 */
#ifndef OM_MODEL_SITES_H
#define OM_MODEL_SITES_H

#include "form/form.h"

/* Sets the sites. Returns OM_OK, OM_ENOMEM or OM_EINPUT. */
int om_model__find_sites(om_model *m);

/* Returns the site of an assignment of a transition, or OM_NONE if its value always fits. */
uint32_t om_model__site(const om_model *m, uint32_t transition, uint32_t assign);

#endif
