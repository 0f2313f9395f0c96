/* Programs that were translated with --profile tlog log events with the library of that name, which comes with the compiler
   and is a part of its link line. It uses MPI: such programs need mpirun. No other program needs this file. */

void tlog_initialize(void);
void tlog_finalize(void);

void _XMP_tlog_init(void)
{
    tlog_initialize();
}

void _XMP_tlog_finalize(void)
{
    tlog_finalize();
}
