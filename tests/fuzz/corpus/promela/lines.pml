/* SPDX-License-Identifier: Apache-2.0 */
byte x
byte y
active proctype P()
{
  x = 1
  y = 2
  if
  :: x == 1 ->
     y = 3
  :: else
  fi
  do
  :: y > 0 -> y--
  :: y == 0 -> break
  od
  assert(x == 1)
}
