/* SPDX-License-Identifier: Apache-2.0 */
typedef T { byte a; bool b }; T u[3]; active [2] proctype P() { byte i; do :: i < 3 -> u[i].a = i; u[i].b = !u[i].b; i++ :: else -> break od }
