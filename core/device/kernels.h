/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.h: the texts of kernels/, generated at build time. */
#ifndef OM_DEVICE_KERNELS_H
#define OM_DEVICE_KERNELS_H

extern const char om_kernel__steps[], om_kernel__prelude[], om_kernel__record[], om_kernel__store[],
    om_kernel__quotient[], om_kernel__expand[], om_kernel__fixpoint[], om_kernel__owner[],
    om_kernel__share[], om_kernel__host[], om_kernel__access[];

#endif
