#include <stdio.h>

#define N 100

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p

int square[N];
#pragma xmp align square[i] with t[i]

int main(void)
{
    int sum = 0;

#pragma xmp loop on t[i] reduction(+: sum)
    for (int i = 0; i < N; i++) {
        square[i] = i * i;
        sum += square[i];
    }

#pragma xmp task on p[0]
    printf("sum of the squares: %d\n", sum);
    return 0;
}
