/* SPDX-License-Identifier: Apache-2.0 */
/* omen-full has all commands itself. */
#include "elsewhere.h"

void cli_go_elsewhere(int argc, char **argv)
{
    (void) argc;
    (void) argv;
}
