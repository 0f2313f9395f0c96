/*
 * The NAS benchmark CG in XcalableMP: the smallest eigenvalue of a sparse matrix, by conjugate gradients.
 *
 *     xmpcc -O3 cg.c -o cg -lm && xmprun -n 4 ./cg
 *
 * The class is S, or W or A with -DCLASS_W or -DCLASS_A. A C compiler that knows nothing of XcalableMP compiles the same file to a
 * serial program.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined CLASS_A
enum { N = 14000, NONZER = 11, STEPS = 15 };
static const double shift = 20, right_zeta = 17.130235054029;
#elif defined CLASS_W
enum { N = 7000, NONZER = 8, STEPS = 15 };
static const double shift = 12, right_zeta = 10.362595087124;
#else
enum { N = 1400, NONZER = 7, STEPS = 15 };
static const double shift = 10, right_zeta = 8.5971775078648;
#endif

/* Rows in blocks over the nodes; the vectors are divided in the same way. */
#pragma xmp nodes p[*]
#pragma xmp template rows[N]
#pragma xmp distribute rows[block] onto p

static double x[N], z[N], r[N], q[N], direction[N];
#pragma xmp align x[i] with rows[i]
#pragma xmp align z[i] with rows[i]
#pragma xmp align r[i] with rows[i]
#pragma xmp align q[i] with rows[i]
#pragma xmp align direction[i] with rows[i]
/* A full shadow: each node has room for the whole vector, because a row of the matrix refers to elements everywhere. */
#pragma xmp shadow direction[*]

/* The matrix: row j is elements start[j] to start[j + 1] - 1. Each node makes its rows only. */
static int start[N + 1], *column;
static double *value;

/* The generating vectors: vector i has length[i] elements. They are few, so each node makes all of them. */
static int length[N], place[N][NONZER + 1];
static double element[N][NONZER + 1];

/* The generator of the benchmark: s <- 5**13 s mod 2**46. */
static uint64_t state = 314159265;

static uint64_t next(void)
{
    return state = state * 1220703125 & ((UINT64_C(1) << 46) - 1);
}

static void generate(void)
{
    int bits = 0;
    while (1 << bits < N)
        bits++;
    next();
    for (int i = 0; i < N; i++) {
        int k = 0, own = -1;
        while (k < NONZER) {
            double random = ldexp((double)next(), -46);
            int at = (int)(next() >> (46 - bits)), known = at >= N;
            for (int other = 0; other < k; other++)
                known |= place[i][other] == at;
            if (known)
                continue;
            place[i][k] = at;
            element[i][k++] = random;
        }
        for (int other = 0; other < k; other++)
            if (place[i][other] == i)
                own = other;
        if (own < 0)
            own = k++;
        place[i][own] = i;
        element[i][own] = 0.5;
        length[i] = k;
    }
}

static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

/* One row of the sum of weight[i] v(i) v(i)^T, with the shifted diagonal. `sum` is zero before and after. */
static void make_row(int row, const int *users, int count, const double *weight, double *sum)
{
    int first = start[row], last = first;
    for (int u = 0; u < count; u++) {
        int i = users[u], own = 0;
        while (place[i][own] != row)
            own++;
        for (int k = 0; k < length[i]; k++) {
            int at = place[i][k];
            if (sum[at] == 0)
                column[last++] = at;
            sum[at] += element[i][own] * (weight[i] * element[i][k]);
            if (at == row && i == row)
                sum[at] += 0.1 - shift;
        }
    }
    qsort(column + first, (size_t)(last - first), sizeof *column, compare);
    for (int k = first; k < last; k++) {
        value[k] = sum[column[k]];
        sum[column[k]] = 0;
    }
    start[row + 1] = last;
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "no memory for %zu elements\n", count);
        exit(1);
    }
    return memory;
}

static void make_matrix(void)
{
    int *first = room(N + 1, sizeof(int)), *users = room((size_t)N * (NONZER + 1), sizeof(int));
    double *weight = room(N, sizeof(double)), *sum = room(N, sizeof(double));
    long most = 0;
    generate();
    for (int i = 0; i < N; i++) {
        weight[i] = i == 0 ? 1 : weight[i - 1] * pow(0.1, 1.0 / N);
        for (int k = 0; k < length[i]; k++)
            first[place[i][k] + 1]++;
    }
    for (int row = 0; row < N; row++)
        first[row + 1] += first[row];
    int *next_user = room(N, sizeof(int));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < length[i]; k++) {
            int row = place[i][k];
            users[first[row] + next_user[row]++] = i;
        }
    /* Indices are those of the whole matrix: a node executes the iterations of its rows. */
#pragma xmp loop (row) on rows[row]
    for (int row = 0; row < N; row++)
        most += (long)next_user[row] * (NONZER + 1);
    column = room((size_t)most + 1, sizeof *column);
    value = room((size_t)most + 1, sizeof *value);
#pragma xmp loop (row) on rows[row]
    for (int row = 0; row < N; row++)
        make_row(row, users + first[row], next_user[row], weight, sum);
    free(next_user);
    free(first);
    free(users);
    free(weight);
    free(sum);
}

/* q = A direction. `reflect` fills the full shadow: it gathers the vector on each node. */
static void multiply(void)
{
#pragma xmp reflect (direction)
#pragma xmp loop (j) on rows[j]
    for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int k = start[j]; k < start[j + 1]; k++)
            sum += value[k] * direction[column[k]];
        q[j] = sum;
    }
}

/* z ~ A**-1 x by 25 steps; returns the norm of x - A z. */
static double solve(void)
{
    double rho = 0, square = 0;
#pragma xmp loop (j) on rows[j] reduction(+: rho)
    for (int j = 0; j < N; j++) {
        z[j] = 0;
        r[j] = direction[j] = x[j];
        rho += r[j] * r[j];
    }
    for (int step = 0; step < 25; step++) {
        double product = 0, before = rho;
        multiply();
        /* The clause has each node's sum added up, and all nodes get the total. */
#pragma xmp loop (j) on rows[j] reduction(+: product)
        for (int j = 0; j < N; j++)
            product += direction[j] * q[j];
        double alpha = rho / product;
        rho = 0;
#pragma xmp loop (j) on rows[j] reduction(+: rho)
        for (int j = 0; j < N; j++) {
            z[j] += alpha * direction[j];
            r[j] -= alpha * q[j];
            rho += r[j] * r[j];
        }
#pragma xmp loop (j) on rows[j]
        for (int j = 0; j < N; j++)
            direction[j] = r[j] + rho / before * direction[j];
    }
#pragma xmp loop (j) on rows[j]
    for (int j = 0; j < N; j++)
        direction[j] = z[j];
    multiply();
#pragma xmp loop (j) on rows[j] reduction(+: square)
    for (int j = 0; j < N; j++)
        square += (x[j] - q[j]) * (x[j] - q[j]);
    return sqrt(square);
}

int main(void)
{
    double zeta = 0, residual = 0;
    make_matrix();
#pragma xmp loop (j) on rows[j]
    for (int j = 0; j < N; j++)
        x[j] = 1;
    for (int step = 0; step < STEPS; step++) {
        double product = 0, square = 0;
        residual = solve();
#pragma xmp loop (j) on rows[j] reduction(+: product, square)
        for (int j = 0; j < N; j++) {
            product += x[j] * z[j];
            square += z[j] * z[j];
        }
        zeta = shift + 1 / product;
#pragma xmp loop (j) on rows[j]
        for (int j = 0; j < N; j++)
            x[j] = z[j] / sqrt(square);
    }
    double error = fabs(zeta - right_zeta) / right_zeta;
#pragma xmp task on p[0]
    printf("order %d: zeta %.13f, residual %.1e, error %.1e: %s\n", N, zeta, residual, error, error < 1e-10 ? "PASS" : "FAIL");
    return error < 1e-10 ? 0 : 1;
}
