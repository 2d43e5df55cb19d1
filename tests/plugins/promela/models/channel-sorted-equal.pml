/* SPDX-License-Identifier: Apache-2.0 */
chan c = [4] of { byte }; byte x; active [2] proctype P() { c!!2; c!!1; c!!2 } active proctype Q() { do :: c?x od }
