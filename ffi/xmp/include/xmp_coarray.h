! For `include 'xmp_coarray.h'` in programs with coarrays that were written for Omni: all that it declared there is in Fortran now.
