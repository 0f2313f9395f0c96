/* The traverse functions of a Fortran program, whose driver generates others: nothing to do (libxmpf_traverse.a). */

void xmpc_traverse_init(void);
void xmpc_traverse_finalize(void);

void xmpc_traverse_init(void)
{
}

void xmpc_traverse_finalize(void)
{
}
