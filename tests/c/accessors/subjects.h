/* What is tried; `next` and `previous` are images. */
#include "calls.h"

/* Coarrays of intrinsic types (coarrays.c). */
void static_coarrays(int next, int previous);
void allocated_coarrays(int next, int previous);
void characters(int next, int previous);
/* Allocatable components, and objects with these as a whole (components.c). */
void components(int next, int previous);
void whole_objects(int other);
/* Subscripts with a function that reads the same coarray of this image (functions.c). */
void functions(int next, int previous);
/* Pointers to variables that only the process of another image has (pointers.c). */
void pointers(int next);
void put_to_pointed(void);
void put_to_nowhere(void *address);
/* Image selectors with teams (teams.c). */
void teams(void);
/* Accesses that are races unless they are ordered (races.c). */
void races(const char *kind, bool ordered);
/* Errors that stat reports, and that leave everything as it was; an image that fails (errors.c). */
void errors(void);
void lose_an_image(void);
