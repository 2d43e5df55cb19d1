/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-build-opencl: compiles kernels for the library, which starts it with a socket for standard
 * input. A driver's compiler takes more memory than many a search, and keeps it; it cannot be
 * interrupted, and may crash: here that affects only this process. Exits without a shutdown of the
 * drivers, whose threads may still run.
 */
#include <omen/host/devices.h>

#include "process/parent_watch.h"

#include <signal.h>
#include <unistd.h>

int main(void)
{
    /* Exceeding the file size limit must be an error, not a signal. LLVM does not leave the signal
     * ignored, so it is blocked. */
    sigset_t large;
    (void) sigemptyset(&large);
    (void) sigaddset(&large, SIGXFSZ);
    (void) sigprocmask(SIG_BLOCK, &large, NULL);
    _exit(om_watch_parent(STDIN_FILENO) && om_devices_build_for(STDIN_FILENO) ? 0 : 1);
}
