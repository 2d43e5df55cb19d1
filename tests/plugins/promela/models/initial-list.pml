/* lists of initial values: fewer than there are elements, in processes too */
byte a[3] = { 1, 2, 3 };
short w[4] = { 300, 5 };
byte many[2] = { 257, 1 };
byte sum;
proctype P(byte k)
{
    byte b[4] = { 5, 6 };
    int c[3] = { 7, 8, 9 };
    do
    :: k < 3 -> sum = sum + a[k] + b[k] + c[k] + w[k]; b[k] = sum; k++
    :: else -> break
    od
}
init { run P(0); run P(1); (_nr_pr == 1) -> sum = sum + many[0] + w[3] }
