/*
 * The largest eigenvalue of the Hilbert matrix, a(i, j) = 1 / (i + j + 1), by power iteration on a square grid of
 * images: 1, 4, 9, 16.
 *
 *     xmpcc -O3 power_iteration.c -o power_iteration && xmprun -n 4 ./power_iteration
 *
 * Image (row, col) has one block of the matrix and part `col` of the vector. A product is a local product, a sum over
 * the team of the grid row, and a broadcast from the diagonal in the team of the grid column: collectives on two teams,
 * none of which is ever changed to.
 */
#include <stdio.h>
#include <xmprt.h>

enum { ORDER = 720, STEPS = 40 };

/* Ends all images with the library's message when a call fails. */
static void must(int code)
{
    if (code != XMPRT_OK) {
        fprintf(stderr, "%s\n", xmprt_message());
        xmprt_error_stop(1);
    }
}

/* y = A x for rows first_row.. and columns first_col.., `size` of each. */
static void multiply(int first_row, int first_col, int size, const double *x, double *y)
{
    for (int i = 0; i < size; i++) {
        y[i] = 0;
        for (int j = 0; j < size; j++)
            y[i] += x[j] / (first_row + i + first_col + j + 1);
    }
}

/* The greatest element; all are positive. */
static double greatest(const double *x, int size)
{
    double found = 0;
    for (int i = 0; i < size; i++)
        if (x[i] > found)
            found = x[i];
    return found;
}

/* The same by one image. */
static double alone(void)
{
    static double x[ORDER], y[ORDER];
    double norm = 1;
    for (int i = 0; i < ORDER; i++)
        x[i] = 1;
    for (int step = 0; step < STEPS; step++) {
        multiply(0, 0, ORDER, x, y);
        norm = greatest(y, ORDER);
        for (int i = 0; i < ORDER; i++)
            x[i] = y[i] / norm;
    }
    return norm;
}

int main(void)
{
    int me = xmprt_this_image(XMPRT_CURRENT), images = xmprt_num_images(XMPRT_CURRENT), side = 1;
    while (side * side < images)
        side++;
    if (side * side != images || ORDER % side != 0) {
        if (me == 1)
            fprintf(stderr, "power_iteration: %d images are no square grid that divides %d\n", images, ORDER);
        /* The first image that ends with an error ends the others: not before the line is written. */
        must(xmprt_sync(XMPRT_CURRENT));
        return 2;
    }
    int row = (me - 1) / side, col = (me - 1) % side, size = ORDER / side;
    xmprt_team row_team, col_team;
    must(xmprt_form_team(row + 1, 0, &row_team));
    must(xmprt_form_team(col + 1, 0, &col_team));

    static double x[ORDER], y[ORDER];
    double norm = 1;
    for (int i = 0; i < size; i++)
        x[i] = 1;
    for (int step = 0; step < STEPS; step++) {
        multiply(row * size, col * size, size, x, y);
        must(xmprt_co_sum(row_team, y, size, XMPRT_DOUBLE, XMPRT_ALL));
        /* Part `row` of the product is here; part `col` is on the diagonal, image col + 1 of the grid column. */
        must(xmprt_co_broadcast(col_team, y, size * sizeof *y, col + 1));
        norm = greatest(y, size);
        must(xmprt_co_max(row_team, &norm, 1, XMPRT_DOUBLE, XMPRT_ALL));
        for (int i = 0; i < size; i++)
            x[i] = y[i] / norm;
    }

    double expected = alone();
    if (me == 1)
        printf("grid %d x %d, largest eigenvalue %.12f, by one image %.12f\n", side, side, norm, expected);
    double error = norm > expected ? norm - expected : expected - norm;
    if (!(error <= 1e-12 * expected))
        xmprt_error_stop(1);
    must(xmprt_sync(XMPRT_CURRENT));
    if (me == 1)
        puts("PASS");
    return 0;
}
