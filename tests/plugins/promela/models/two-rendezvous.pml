/* SPDX-License-Identifier: Apache-2.0 */
chan c = [0] of { byte }; chan d = [0] of { byte }; byte x; active proctype P() { do :: c!1 -> x = 1 :: d?_ -> x = 2 od } active proctype Q() { do :: d!1 :: c?_ od } active proctype R() { do :: c?_ -> x = 3 od }
