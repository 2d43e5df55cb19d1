/* SPDX-License-Identifier: Apache-2.0 */
/* movers.h: the old names of fair_processes.h, for plug-ins that use them. */
#ifndef OMEN_MOVERS_H
#define OMEN_MOVERS_H

#include <omen/plugin/fair_processes.h>

#define om_movers om_fair_processes
#define om_movers_words om_fair_processes_words
#define om_movers_all om_fair_processes_all
#define om_movers_add om_fair_processes_add_step
#define om_movers_able om_fair_processes_enabled
#define om_movers_come om_fair_processes_add_state
#define om_movers_fair om_fair_processes_satisfied

/* The old name of om_product_fair_processes(). */
OM_API const om_fair_processes *om_product_movers(const om_product *p);

#endif
