/* SPDX-License-Identifier: Apache-2.0 */
/* Used without libcurl: there is no --server. */
#include "cli.h"

int cli_run_check_there(cli *c)
{
    return cli_failed(c, om_fail(c->ctx, OM_EUNSUPPORTED, NULL,
                             "--server needs libcurl, which this omen was built without"));
}
