/* SPDX-License-Identifier: Apache-2.0 */
byte x; init { x = 1; x = 2 }
