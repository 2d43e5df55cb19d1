/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { skip; true; 1; x = 1; (1) -> x = 2 }
