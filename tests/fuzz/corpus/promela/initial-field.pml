/* structures whose fields have initial values, in arrays and in structures */
byte g = 4;
typedef In { byte x = 3; short y[2] = 7; bit z };
typedef Out { In i; byte n = 9; In more[2]; int q[2] = { 40, 50 } };
In a;
Out b[2];
byte got;
proctype P(byte k)
{
    Out o;
    In p[2];
    o.more[k].y[1] = o.n + p[k].x + o.q[k];
    got = got + o.more[k].y[1] + o.more[1 - k].y[0];
    p[1].x++;
    got = got + p[0].x + p[1].x + o.i.z
}
init { run P(0); run P(1); b[1].more[0].y[1] = b[0].q[1] + a.y[0] + g; got = b[1].more[0].y[1] }
