/* SPDX-License-Identifier: Apache-2.0 */
chan c = [1] of { byte }; active proctype P() { xs c; c!1; c!2 } active proctype Q() { xr c; c?_; c?_ }
