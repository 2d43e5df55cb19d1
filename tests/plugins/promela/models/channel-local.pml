/* SPDX-License-Identifier: Apache-2.0 */
byte r; active proctype P() { chan c = [2] of { byte }; byte v; c!1; c!2; c?v; r = v; c?v; r = r + v }
