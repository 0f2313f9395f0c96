/* Preloaded into programs on MPICH 4.0 over UCX that are spread over several hosts: there MPI_Finalize often hangs,
 * because a rank waits for its connections to be taken down in agreement with ranks that have done so already and only
 * wait at the launcher's barrier. (MPICH repaired it in pull request 6596.) Here nothing is agreed on: destroying the
 * worker, a moment later, closes what is open. The program has to see to it with an MPI_Barrier before that nothing is
 * under way. */
#include <stddef.h>

void *ucp_disconnect_nb(void *endpoint)
{
    (void)endpoint;
    return NULL;
}
