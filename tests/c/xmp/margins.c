/* Margins of loops around and inside of each part, loops that are peeled, and pointers to arrays of which every dimension is
   distributed. Each iteration counts in an array; what the counts are is known. */
#include "check.h"

#define ROWS 24
#define COLUMNS 26

#pragma xmp nodes p[*][1]
#pragma xmp template t[ROWS][COLUMNS]
#pragma xmp distribute t[block][block] onto p
int count[ROWS][COLUMNS], value[ROWS][COLUMNS];
#pragma xmp align count[j][i] with t[j][i]
#pragma xmp align value[j][i] with t[j][i]
#pragma xmp shadow count[2][2]
#pragma xmp shadow value[1][1]

#pragma xmp nodes q[*]
#pragma xmp template s[ROWS][COLUMNS]
#pragma xmp distribute s[*][cyclic(3)] onto q
int striped[ROWS][COLUMNS];
#pragma xmp align striped[j][i] with s[j][i]

int (*moved)[COLUMNS], (*dealt)[COLUMNS];
#pragma xmp align moved[j][i] with t[j][i]
#pragma xmp shadow moved[1][1:2]
#pragma xmp align dealt[j][i] with s[j][i]

/* Sets all counts. */
static void reset(void)
{
#pragma xmp loop on t[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            count[j][i] = 0;
}

/* How many elements beside those of each node diagonally have no value of a neighbour after a reflect. */
static int unset_corners(int orthogonal)
{
    int unset = 0;
#pragma xmp loop (j, i) on t[j][i] expand(/unbound/1, /unbound/1)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            value[j][i] = 7;
#pragma xmp loop (j, i) on t[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            value[j][i] = 1;
    if (orthogonal) {
#pragma xmp reflect (value) width(/periodic/1, /periodic/1) orthogonal async(3)
#pragma xmp wait_async (3)
    } else {
#pragma xmp reflect (value) width(/periodic/1, /periodic/1)
    }
#pragma xmp loop (j, i) on t[j][i] reduction(+: unset)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            REQUIRE(value[j - 1][i] == 1 && value[j + 1][i] == 1 && value[j][i - 1] == 1 && value[j][i + 1] == 1);
            unset += (value[j - 1][i - 1] == 7) + (value[j - 1][i + 1] == 7) + (value[j + 1][i - 1] == 7) +
                     (value[j + 1][i + 1] == 7);
        }
    return unset;
}

/* What is inside by one and the margin of one are all iterations, each once. */
static void inside_and_margin(void)
{
    int inner = 0, all = 0, wrong = 0;
    reset();
#pragma xmp loop (j, i) on t[j][i] expand(-1, -1) reduction(+:inner)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            count[j][i]++;
            inner++;
        }
#pragma xmp loop (j, i) on t[j][i] margin(-1, -1) reduction(+:all)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            count[j][i]++;
            all++;
        }
#pragma xmp loop on t[j][i] reduction(+:wrong)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            wrong += count[j][i] != 1;
    REQUIRE(wrong == 0);
    REQUIRE(inner + all == ROWS * COLUMNS);
}

/* One side only, and widths of which those of both sides meet. */
static void one_side(void)
{
    int below = 0, meeting = 0, nodes = xmp_num_nodes(), rows = (ROWS + nodes - 1) / nodes;
#pragma xmp loop (j, i) on t[j][i] margin(-1:0, 0) reduction(+:below)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            below++;
    REQUIRE(below == (ROWS + rows - 1) / rows * COLUMNS);
#pragma xmp loop (j, i) on t[j][i] margin(-20, -20) reduction(+:meeting)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            meeting++;
    REQUIRE(meeting == ROWS * COLUMNS);
}

/* The margin around each part, beyond the bounds of the loop, too. */
static void around(void)
{
    int beside = 0, inside = 0, expected = 0, nodes = xmp_num_nodes();
    /* As many nodes as have rows. */
    int rows = (ROWS + nodes - 1) / nodes, owners = (ROWS + rows - 1) / rows;
    reset();
#pragma xmp loop (j, i) on t[j][i] margin(/unbound/1:2, /unbound/1) reduction(+:beside)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            beside++;
#pragma xmp loop (j, i) on t[j][i] margin(1:2, 1) reduction(+:inside)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            inside++;
    /* Each has three rows more, of two columns more, and two columns beside its own rows. */
    REQUIRE(beside == owners * 3 * (COLUMNS + 2) + ROWS * 2);
    /* Within the loop there are no columns beside, and what is beyond the first and the last row is not there. */
    for (int owner = 0; owner < owners; owner++) {
        int from = owner * rows, to = from + rows < ROWS ? from + rows : ROWS;
        expected += ((from > 0) + (to < ROWS) + (to + 1 < ROWS)) * COLUMNS;
    }
    REQUIRE(inside == expected);
}

/* What is inside is executed before the shadow is there, the rest after it. */
static void peeled(void)
{
    int wrong = 0;
#pragma xmp loop on t[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            value[j][i] = 100 * j + i;
            count[j][i] = -1;
        }
#pragma xmp reflect (value) width(/periodic/1, /periodic/1) async(7)
#pragma xmp loop (j, i) on t[j][i] peel_and_wait(7, -1, -1)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            count[j][i] = value[j - 1][i] + value[j + 1][i] + value[j][i - 1] + value[j][i + 1];
#pragma xmp loop on t[j][i] reduction(+:wrong)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            int up = (j + ROWS - 1) % ROWS, down = (j + 1) % ROWS, left = (i + COLUMNS - 1) % COLUMNS,
                right = (i + 1) % COLUMNS;
            wrong += count[j][i] != 100 * (up + down + 2 * j) + left + right + 2 * i;
        }
    REQUIRE(wrong == 0);
}

/* A margin of rows beside columns that are dealt out. */
static void beside_stripes(void)
{
    int wrong = 0;
#pragma xmp loop on s[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            striped[j][i] = 0;
#pragma xmp loop (j, i) on s[j][i] margin(-2:-1, 0)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            striped[j][i]++;
#pragma xmp loop on s[j][i] reduction(+:wrong)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            wrong += striped[j][i] != (j < 2 || j == ROWS - 1);
    REQUIRE(wrong == 0);
}

/* Pointers get their memory when the program runs. */
static void pointers(void)
{
    int wrong = 0;
    moved = (int (*)[COLUMNS])xmp_malloc(xmp_desc_of(moved), ROWS, COLUMNS);
    dealt = xmp_malloc(xmp_desc_of(dealt), ROWS, COLUMNS);
#pragma xmp loop on t[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            moved[j][i] = 100 * j + i;
#pragma xmp reflect (moved)
#pragma xmp loop (j, i) on t[j][i] reduction(+:wrong)
    for (int j = 1; j < ROWS - 1; j++)
        for (int i = 1; i < COLUMNS - 2; i++)
            wrong += moved[j - 1][i] + moved[j + 1][i + 1] + moved[j][i - 1] + moved[j][i + 2] != 400 * j + 4 * i + 2;
    REQUIRE(wrong == 0);
#pragma xmp gmove
    dealt[:][:] = moved[:][:];
#pragma xmp loop on s[j][i] reduction(+:wrong)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            wrong += dealt[j][i] != 100 * j + i;
    REQUIRE(wrong == 0);
    free(moved);
    free(dealt);
}

/* An array argument has the sizes that it is declared with. */
static void sum_of_all(int n, int numbers[2][n])
{
#pragma xmp reduction(+:numbers)
}

int main(void)
{
    int numbers[2][3] = {{1, 2, 3}, {4, 5, 6}}, nodes = xmp_num_nodes();
    const int block = (ROWS + nodes - 1) / nodes, parts = (ROWS + block - 1) / block;
    REQUIRE(unset_corners(0) == 0 && unset_corners(1) == 4 * parts);
    inside_and_margin();
    one_side();
    around();
    peeled();
    beside_stripes();
    pointers();
    sum_of_all(3, numbers);
    for (int i = 0; i < 6; i++)
        REQUIRE(numbers[i / 3][i % 3] == (i + 1) * nodes);
    return 0;
}
