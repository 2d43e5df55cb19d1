/* SPDX-License-Identifier: Apache-2.0 */
/* dijkstra.h: the search, for the plug-ins that are made of it. As om_checker's functions. */
#ifndef OMEN_CHECK_DIJKSTRA_H
#define OMEN_CHECK_DIJKSTRA_H

#include <omen/check.h>

typedef struct dijkstra dijkstra;

int dijkstra_create(dijkstra **out, om_task *task);
int dijkstra_work(dijkstra *d, unsigned worker);
void dijkstra_destroy(dijkstra *d);

#endif
