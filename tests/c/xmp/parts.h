/* What both files of a program know. */
#define SIZE 40

double fill(int factor);
