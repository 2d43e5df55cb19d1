/* SPDX-License-Identifier: Apache-2.0 */
/* omen.h: everything a host may touch. */
#ifndef OMEN_OMEN_H
#define OMEN_OMEN_H

#include <omen/automaton.h>
#include <omen/barrier.h>
#include <omen/base.h>
#include <omen/bdd.h>
#include <omen/bfs.h>
#include <omen/check.h>
#include <omen/control.h>
#include <omen/device.h>
#include <omen/dfs.h>
#include <omen/explore.h>
#include <omen/frontend.h>
#include <omen/label.h>
#include <omen/lasso.h>
#include <omen/live_stack.h>
#include <omen/ltl.h>
#include <omen/load.h>
#include <omen/model.h>
#include <omen/plan.h>
#include <omen/plugin.h>
#include <omen/product.h>
#include <omen/registry.h>
#include <omen/scc_sets.h>
#include <omen/task.h>
#include <omen/translate.h>
#include <omen/unionfind.h>

/* "0.1.0" */
OM_API const char *om_version(void);

#endif
