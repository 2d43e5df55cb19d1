/* SPDX-License-Identifier: Apache-2.0 */
byte x; chan c = [1] of { byte }; active proctype P() { _ = 5; c!1; c?_; x = 1 }
