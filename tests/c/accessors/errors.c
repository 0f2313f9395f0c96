#include "subjects.h"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

void errors(void)
{
    int n = num_images(), stat = -1, subscripts[3] = {1, 2, 3}, stats[2] = {-1, -1};
    get_of(x_token, NULL, ELEMENT, n + 1, &stat, NULL, NULL);
    require(stat >= OTHER_STAT);
    stat = -1;
    put_value(x_token, NULL, PUT_VECTOR, 0, 5, subscripts, &stat, NULL, NULL);
    require(stat >= OTHER_STAT);
    stat = -1;
    get_of(NULL, NULL, ELEMENT, 1, &stat, NULL, NULL);
    require(stat >= OTHER_STAT);
    _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, n + 1, index_of(PUT_VECTOR), subscripts, 12, x_token, NULL, NULL,
                                           1, index_of(NEGATIVE), NULL, 0, 4, true, &stats[0], &stats[1], NULL, NULL, NULL,
                                           NULL);
    require(stats[0] >= OTHER_STAT && stats[1] == 0);
    _gfortran_caf_transfer_between_remotes(x_token, NULL, NULL, 1, index_of(PUT_VECTOR), subscripts, 12, x_token, NULL, NULL, -1,
                                           index_of(NEGATIVE), NULL, 0, 4, true, NULL, &stats[1], NULL, NULL, NULL, NULL);
    require(stats[1] >= OTHER_STAT);
    /* Five elements for two places. */
    int two[2] = {7, 7};
    desc_t to = temporary(two, 2, 3);
    void *place = two;
    stat = -1;
    _gfortran_caf_get_from_remote(x_token, NULL, NULL, 1, 8, &place, NULL, &to, false, index_of(SECTION), NULL, 0, &stat, NULL,
                                  NULL);
    require(stat >= OTHER_STAT && two[0] == 7 && two[1] == 7);
    sync_all();
}

/* Image 2 fails; the others learn it from every access. */
void lose_an_image(void)
{
    int stat = 0, subscripts[3] = {1, 2, 3};
    sync_all();
    if (this_image() == 2) raise(SIGKILL);
    while (stat == 0) {
        usleep(1000);
        get_of(x_token, NULL, ELEMENT, 2, &stat, NULL, NULL);
    }
    require(stat == FAILED_IMAGE);
    put_value(x_token, NULL, PUT_VECTOR, 2, 5, subscripts, &stat, NULL, NULL);
    require(stat == FAILED_IMAGE);
    get_of(x_token, NULL, ELEMENT, 1, &stat, NULL, NULL);
    require(stat == 0);
    printf("reported: %d\n", this_image());
    fflush(stdout);
    /* No image ends while another one accesses it. */
    _gfortran_caf_sync_all(&stat, NULL, 0);
}
