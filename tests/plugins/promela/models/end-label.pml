/* SPDX-License-Identifier: Apache-2.0 */
chan c = [0] of { byte }; active proctype P() { c!1 } active proctype Q() { end: do :: c?_ od }
