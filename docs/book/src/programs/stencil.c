/* Heat conduction on a plate that is divided in two dimensions, by directives of XcalableMP. */
#include <stdio.h>

#define N 64
#define STEPS 100

#pragma xmp nodes p[*][2]
#pragma xmp template t[N + 2][N + 2]
#pragma xmp distribute t[block][block] onto p
double u[N + 2][N + 2], new[N + 2][N + 2], edge[N + 2];
#pragma xmp align u[i][j] with t[i][j]
#pragma xmp align new[i][j] with t[i][j]
#pragma xmp shadow u[1][1]

int main(void)
{
    int steps = 0;
    double total = 0, warmest = 0;

#pragma xmp task on p[0][0]
    steps = STEPS; /* it may have been read from a file */
#pragma xmp bcast(steps) from p[0][0]

#pragma xmp loop (i, j) on t[i][j]
    for (int i = 0; i < N + 2; i++)
        for (int j = 0; j < N + 2; j++)
            u[i][j] = i == 0;

    for (int step = 0; step < steps; step++) {
#pragma xmp reflect(u) /* the shadows get the neighbours' elements */
#pragma xmp loop (i, j) on t[i][j]
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++)
                new[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) / 4;
#pragma xmp loop (i, j) on t[i][j]
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++)
                u[i][j] = new[i][j];
    }

#pragma xmp loop (i, j) on t[i][j] reduction(+: total) reduction(max: warmest)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
            total += u[i][j];
            if (u[i][j] > warmest)
                warmest = u[i][j];
        }
#pragma xmp gmove
    edge[0:N + 2] = u[1][0:N + 2]; /* every node gets the whole row */
#pragma xmp task on p[0][0]
    printf("mean: %.6f, warmest: %.6f\nmiddle of the warm edge: %.6f\n", total / (N * N), warmest, edge[N / 2]);
    return 0;
}
