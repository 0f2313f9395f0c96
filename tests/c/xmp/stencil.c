/* A stencil in two dimensions, distributed in one and in both, with shadows of several widths, against a serial one. */
#include "check.h"
#include <string.h>

#define ROWS 29
#define COLUMNS 31
#define AT(j, i) w[j][i]

#pragma xmp nodes p[*][1]
#pragma xmp template t[ROWS][COLUMNS]
#pragma xmp distribute t[block][block] onto p

static double u[ROWS][COLUMNS], w[ROWS][COLUMNS];
#pragma xmp align u[j][i] with t[j][i]
#pragma xmp align w[j][i] with t[j][i]
#pragma xmp shadow w[1:2][1]

#pragma xmp nodes q(*)
#pragma xmp template s(0:COLUMNS-1, 0:ROWS-1)
#pragma xmp distribute s(*, block) onto q
float v[ROWS][COLUMNS];
#pragma xmp align v[j][i] with s(i, j)
#pragma xmp shadow v[1][0]

static double serial_u[ROWS][COLUMNS], serial_w[ROWS][COLUMNS];

static double start(int j, int i)
{
    return 1.0 / (1 + 3 * j + i) + j % 5;
}

static void serial(int steps)
{
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            serial_u[j][i] = start(j, i);
    for (int step = 0; step < steps; step++) {
        memcpy(serial_w, serial_u, sizeof serial_w);
        for (int j = 1; j < ROWS - 2; j++)
            for (int i = 1; i < COLUMNS - 1; i++)
                serial_u[j][i] = (serial_w[j - 1][i] + serial_w[j + 2][i] + serial_w[j][i - 1] + serial_w[j][i + 1]) / 4;
    }
}

static void in_parallel(int steps)
{
    int i, j;
#pragma xmp loop (j, i) on t[j][i]
    for (j = 0; j < ROWS; j++)
        for (i = 0; i < COLUMNS; i++)
            u[j][i] = start(j, i);
    for (int step = 0; step < steps; step++) {
#pragma xmp loop on t[j][i]
        for (j = 0; j <= ROWS - 1; ++j)
            for (i = COLUMNS - 1; i >= 0; i--)
                AT(j, i) = u[j][i];
#pragma xmp reflect (w)
#pragma xmp loop (j, i) on t[j][i]
        for (j = 1; j < ROWS - 2; j++) {
            for (i = 1; COLUMNS - 1 > i; i += 1)
                u[j][i] = (AT(j - 1, i) + AT(j + 2, i) + w[j][i - 1] + w[j][i + 1]) / 4;
        }
    }
}

int main(void)
{
    double sum = 100, largest = -1;
    int count = 0;
    serial(10);
    in_parallel(10);
#pragma xmp loop (j, i) on t[j][i] reduction(+: sum, count) reduction(max: largest)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            REQUIRE(u[j][i] == serial_u[j][i]);
            sum += u[j][i];
            largest = u[j][i] > largest ? u[j][i] : largest;
            count++;
        }
    REQUIRE(count == ROWS * COLUMNS);
    double all = 100, most = -1;
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            all += serial_u[j][i];
            most = serial_u[j][i] > most ? serial_u[j][i] : most;
        }
    REQUIRE(sum - all < 1e-9 && all - sum < 1e-9 && largest == most);

    /* Rows around: what is after the last row is the first one. */
#pragma xmp loop on s(*, j)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            v[j][i] = 100 * j + i;
#pragma xmp reflect (v) width(/periodic/1, 0)
#pragma xmp loop on s(*, j)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            REQUIRE(v[j - 1][i] == 100 * ((j + ROWS - 1) % ROWS) + i);
            REQUIRE(v[j + 1][i] == 100 * ((j + 1) % ROWS) + i);
        }
    /* Each node computes what its neighbours need. */
#pragma xmp loop on s(*, j) expand(0, 1)
    for (int j = 1; j < ROWS - 1; j++)
        v[j][0] = -j;
#pragma xmp loop on s(*, j)
    for (int j = 2; j < ROWS - 2; j++)
        REQUIRE(v[j - 1][0] == 1 - j && v[j + 1][0] == -1 - j);
    return 0;
}
