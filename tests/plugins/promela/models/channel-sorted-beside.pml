/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted beside plain sends: the message goes before the first that is larger, wherever that is. */
chan c = [4] of { byte }; byte seen;
active proctype P() { c!3; c!1; c!!2; c!!3; byte v; c?v; seen = v; c?v; seen = seen * 4 + v; c?v; seen = seen * 4 + v }
active proctype Q() { c!!1 }
