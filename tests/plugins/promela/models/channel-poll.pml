/* SPDX-License-Identifier: Apache-2.0 */
chan c = [2] of { byte, byte }; byte x; active proctype P() { do :: c!1, 2 :: c!2, 2 od } active proctype Q() { do :: c?[1, 2] -> x = 1; c?_, _ :: c??[2, 2] -> x = 2; c??2, _ :: !(c?[1, _]) -> x = 3 od }
