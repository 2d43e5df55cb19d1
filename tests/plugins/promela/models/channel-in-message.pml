/* SPDX-License-Identifier: Apache-2.0 */
chan c = [1] of { chan }; chan d = [1] of { byte }; chan e = [1] of { byte }; byte r; active proctype P() { if :: c!d :: c!e fi; byte v; if :: d?v :: e?v fi; r = v } active proctype Q() { chan k; c?k; k!5 }
