/* SPDX-License-Identifier: Apache-2.0 */
chan c = [2] of { byte }; byte n; active proctype P() { do :: nfull(c) -> c!1 :: full(c) -> n = len(c) od } active proctype Q() { do :: nempty(c) -> c?_ :: empty(c) -> n = len(c) + 4 od }
