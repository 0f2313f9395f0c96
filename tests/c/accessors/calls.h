/* Statements with coindexed objects, as calls (calls.c). */
#include "made.h"

int this_image(void);
int num_images(void);
void sync_all(void);
/* The integer that an accessor gets from a coarray; of x. */
int get_of(token_t token, void *desc, int number, int image, int *stat, team_t *team, int *team_number);
int get(int number, int image);
/* A temporary variable of the compiler, with lower bounds of 0. */
desc_t temporary(int *base, ptrdiff_t elements, ptrdiff_t stride);
/* Puts of an array and of an integer. */
void put_array(token_t token, void *desc, int number, int image, const desc_t *array, int *stat);
void put_value(token_t token, void *desc, int number, int image, int value, void *add, int *stat, team_t *team,
               int *team_number);
/* ALLOCATE (z(10)[*]) */
int *allocate(desc_t *z);
