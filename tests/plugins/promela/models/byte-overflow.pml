/* SPDX-License-Identifier: Apache-2.0 */
byte b = 254; active [2] proctype P() { b++; b++; b-- }
