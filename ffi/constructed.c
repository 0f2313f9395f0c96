/* xmpfc and xmpcc link this object last, into programs and shared libraries: its constructor is called after those by which
   gfortran registers coarrays and stores their initial values. It waits for the other images (ffi/src/process/begin.rs).
   Weak: a program that uses nothing else of the library does without it. */
__attribute__((weak)) void xmprt_constructed(void);

__attribute__((constructor)) static void xmprt_call_constructed(void)
{
    if (xmprt_constructed)
        xmprt_constructed();
}
