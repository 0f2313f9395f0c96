/* What the compiler makes of the program's coarrays and references (made.c). */
#include "abi.h"

/* The values for a vector subscript of any length. */
typedef struct { ptrdiff_t other; component_t index; } subscripts_t;

/* The numbers of the accessors. */
enum { ELEMENT = 1000, SECTION, NEGATIVE, VECTOR, PUT_VECTOR, PUT_STRIDED, ALLOCATED, PUT_ALLOCATED, ALLOCATED_ELEMENT,
       PUT_ALLOCATED_ELEMENT, CHARACTERS, PUT_CHARACTERS, COMPONENT, PUT_COMPONENT, NUMBER, PRESENT, PRESENT_IN_ARRAY,
       PRESENT_ARRAY, POINTED, POINTED_SECTION, CHOSEN, PUT_CHOSEN, SECOND, WHOLE, POINTED_ARRAY, AT_OWN,
       AT_THREE_OWN, PUT_AT_OWN, PUT_AT_TWO_OWN, TWICE };

/* The initial value of item%n. */
enum { INITIAL = 41 };

/* integer :: x(10)[*]; character(5) :: s[*]; type(item) :: item[*], items(2)[*]; integer, allocatable :: a(:)[:] */
extern token_t x_token, s_token, item_token, items_token;
extern int *x;
extern char *s;
extern item_t *item, *items;
extern desc_t a;

/* What the library calls the accessor with this number. */
int index_of(int number);
