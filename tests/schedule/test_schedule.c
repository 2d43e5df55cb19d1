/* SPDX-License-Identifier: Apache-2.0 */
/* Single decisions. test_streams.c and test_traces.c test streams of jobs. */
#include "scene.h"

int main(void)
{
    int failed = test_room();
    failed += test_order();
    failed += test_devices();
    failed += test_numbers();
    return failed != 0;
}
