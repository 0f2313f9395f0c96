extern int second;
static void coarrays(void) { second++; }
