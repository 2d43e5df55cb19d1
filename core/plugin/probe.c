/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-probe-plugin PATH...: opens shared objects for the library, which starts it with a socket
 * for standard input, and says there how far it has come with each (trial.c). What they do to a
 * process when they are opened is done to this one.
 */
#include <omen/plugin.h>

#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc > 1)
        om_registry_probe_for(STDIN_FILENO, argv + 1, (size_t) argc - 1);
    _exit(0);
}
