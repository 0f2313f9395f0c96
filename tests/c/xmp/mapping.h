/* A header with directives: what several sources share. */
#ifndef MAPPING_H
#define MAPPING_H

#define N1 12
#define N2 20
#define WIDTH 2

#pragma xmp nodes p[*][1]
#pragma xmp template t[N1][N2]
#pragma xmp distribute t[block][cyclic] onto p

#endif
