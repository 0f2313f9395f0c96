extern int first;
static void coarrays(void) { first++; }
