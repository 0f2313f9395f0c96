/* Goes on after a failure, as gfortran 16 compiles it: image 2 fails, the others form teams of those that are left
   with FORM TEAM (..., STAT=), and work in them. For 4 images and more; linked with xmp_gfortran_abi=16. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef void *team_t;
typedef struct { void *base; size_t offset; struct { size_t elem_len; int version; signed char rank, type; short attribute; } dtype;
                 ptrdiff_t span; } desc_t;

enum { STAT_FAILED_IMAGE = 6001 };

void _gfortran_caf_init(int *, char ***);
void _gfortran_caf_form_team(int, team_t *, int *new_index, int *stat, char *errmsg, size_t);
void _gfortran_caf_change_team(team_t, int *stat, char *errmsg, size_t);
void _gfortran_caf_sync_team(team_t, int *stat, char *errmsg, size_t);
void _gfortran_caf_end_team(int *stat, char *errmsg, size_t);
int _gfortran_caf_this_image(team_t);
int _gfortran_caf_num_images(team_t, int32_t *team_number);
void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t);
void _gfortran_caf_co_sum(desc_t *, int result_image, int *stat, char *errmsg, size_t);
void _gfortran_caf_error_stop(int, bool quiet);
void _gfortran_caf_stop_numeric(int, bool quiet);

#define require(ok) do if (!(ok)) { fprintf(stderr, "survivors16.c:%d: image %d: not %s\n", __LINE__, me, #ok); \
                                    _gfortran_caf_error_stop(1, true); } while (0)

int main(int argc, char **argv)
{
    _gfortran_caf_init(&argc, &argv);
    int me = _gfortran_caf_this_image(NULL), n = _gfortran_caf_num_images(NULL, NULL), stat = -1;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    if (me == 2) raise(SIGKILL);

    team_t left, part;
    _gfortran_caf_form_team(1, &left, NULL, &stat, NULL, 0);
    require(stat == STAT_FAILED_IMAGE);
    _gfortran_caf_change_team(left, &stat, NULL, 0);
    require(stat == 0 && _gfortran_caf_num_images(NULL, NULL) == n - 1);
    int here = _gfortran_caf_this_image(NULL), sum = here;
    require(here == (me == 1 ? 1 : me - 1));
    desc_t x = {.base = &sum, .dtype = {.elem_len = 4, .type = 1}, .span = 4};
    _gfortran_caf_co_sum(&x, 0, &stat, NULL, 0);
    require(stat == 0 && sum == n * (n - 1) / 2);
    /* Teams of the team, as if nothing had happened. */
    _gfortran_caf_form_team(1 + here % 2, &part, NULL, &stat, NULL, 0);
    require(stat == 0);
    _gfortran_caf_change_team(part, &stat, NULL, 0);
    require(stat == 0 && _gfortran_caf_num_images(NULL, NULL) == (n - 1 + here % 2) / 2);
    _gfortran_caf_end_team(&stat, NULL, 0);
    require(stat == 0);
    _gfortran_caf_end_team(&stat, NULL, 0);
    require(stat == 0);
    printf("went on: %d\n", me);
    fflush(stdout);
    /* No image ends while another one is at an earlier statement. */
    _gfortran_caf_sync_team(left, &stat, NULL, 0);
    _gfortran_caf_stop_numeric(0, true);
    return 1;
}
