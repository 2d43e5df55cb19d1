/* SPDX-License-Identifier: Apache-2.0 */
byte a, n; active proctype P() { a = _pid; n++ } init { a = _pid + 10; n++ } active [2] proctype Q() { a = _pid + 20; n++ }
