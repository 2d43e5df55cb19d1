/* SPDX-License-Identifier: Apache-2.0 */
/* Only while core/device is not there. */
#include <omen/device.h>
int om_devices_open(om_devices **out, om_context *ctx, const char **why)
{
    (void) out;
    (void) ctx;
    *why = "not built";
    return OM_EUNSUPPORTED;
}
void om_devices_close(om_devices *d)
{
    (void) d;
}
size_t om_devices_count(const om_devices *d)
{
    (void) d;
    return 0;
}
const om_device_info *om_devices_info(const om_devices *d, size_t i)
{
    (void) d;
    (void) i;
    return NULL;
}
int om_devices_pick(om_devices *d, const char *which, om_device **out)
{
    (void) d;
    (void) which;
    (void) out;
    return OM_EUNSUPPORTED;
}
const om_device_info *om_device_info_of(const om_device *d)
{
    (void) d;
    return NULL;
}
int om_engine_open(om_engine **out, om_context *ctx, const om_engine_spec *spec)
{
    (void) out;
    (void) ctx;
    (void) spec;
    return OM_EUNSUPPORTED;
}
void om_engine_close(om_engine *e)
{
    (void) e;
}
int om_engine_explore(om_engine *e, const uint8_t *stop_at, om_id *hit, om_exploration *out)
{
    (void) e;
    (void) stop_at;
    (void) hit;
    (void) out;
    return OM_EUNSUPPORTED;
}
