/* SPDX-License-Identifier: Apache-2.0 */
/* Used without expat: there is no `omen mcc`. */
#include "cli.h"

int cli_run_mcc(cli *c)
{
    return cli_failed(c, om_fail(c->ctx, OM_EUNSUPPORTED, NULL,
                             "'mcc' needs expat, which this omen was built without"));
}
