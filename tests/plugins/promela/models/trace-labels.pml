/* SPDX-License-Identifier: Apache-2.0 */
/* Labels in a trace that are about cycles say nothing. */
chan c = [1] of { byte }; byte x;
active proctype P() { do :: x < 3 -> c!x; x++ :: x == 3 -> break od }
active proctype Q() { byte k; do :: c?k :: timeout -> break od }
trace { accept: do :: c!0; progress: c?0 :: c!1; accept1: c?1; goto end1 od; end1: do :: c!2 :: c?2 od }
