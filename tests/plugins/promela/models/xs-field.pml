/* SPDX-License-Identifier: Apache-2.0 */
/* A field of a structure. */
typedef T { chan c = [1] of { byte }; byte x };
T t;
active proctype A() { xs t.c; t.c!1 }
active proctype B() { t.c!1 }
active proctype C() { t.c?_ }
