/* The part of gfortran's interface that accessors need, as of version 16. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *token_t, *team_t;
typedef struct { ptrdiff_t stride, lower, upper; } dim_t;
typedef struct { size_t elem_len; int version; signed char rank, type; short attribute; } dtype_t;
/* A scalar or a vector with one codimension, and the token after. */
typedef struct { void *base; size_t offset; dtype_t dtype; ptrdiff_t span; dim_t dim[2]; token_t token; } desc_t;
/* An allocatable component: a vector without codimensions. */
typedef struct { void *base; size_t offset; dtype_t dtype; ptrdiff_t span; dim_t dim[1]; token_t token; } component_t;
/* type :: item; integer :: n; integer, allocatable :: v(:); end type */
typedef struct { int n; component_t v; } item_t;

enum { STATIC = 0, ALLOC = 1, REGISTER_ONLY = 7, ALLOCATE_ONLY = 8 };
enum { INTEGER = 1, COMPLEX = 4, DERIVED = 5, CHARACTER = 6 };
enum { FAILED_IMAGE = 6001, OTHER_STAT = 7000 };

void _gfortran_caf_init(int *, char ***);
void _gfortran_caf_finalize(void);
void _gfortran_caf_form_team(int, team_t *, int *new_index, int *stat, char *errmsg, size_t);
void _gfortran_caf_change_team(team_t, int *stat, char *errmsg, size_t);
void _gfortran_caf_end_team(int *stat, char *errmsg, size_t);
team_t _gfortran_caf_get_team(int32_t *level);
int _gfortran_caf_this_image(team_t);
int _gfortran_caf_num_images(team_t, int32_t *team_number);
void _gfortran_caf_register(size_t, int, token_t *, void *, int *stat, char *errmsg, size_t);
void _gfortran_caf_deregister(token_t *, int, int *stat, char *errmsg, size_t);
void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t);
void _gfortran_caf_sync_team(team_t, int *stat, char *errmsg, size_t);
void _gfortran_caf_error_stop(int, bool quiet);
void _gfortran_caf_register_accessor(int, void (*)());
void _gfortran_caf_register_accessors_finish(void);
int _gfortran_caf_get_remote_function_index(int);
void _gfortran_caf_get_from_remote(token_t, void *src, const size_t *src_len, int image, size_t dst_size, void **dst_data,
                                   size_t *dst_len, void *dst, bool may_reallocate, int accessor, void *add, size_t add_size,
                                   int *stat, team_t *, int *team_number);
void _gfortran_caf_send_to_remote(token_t, void *dst, const size_t *dst_len, int image, size_t src_size, const void *src_data,
                                  const size_t *src_len, const void *src, int accessor, void *add, size_t add_size, int *stat,
                                  team_t *, int *team_number);
void _gfortran_caf_transfer_between_remotes(token_t, void *dst, const size_t *dst_len, int dst_image, int dst_accessor,
                                            void *dst_add, size_t dst_add_size, token_t, void *src, const size_t *src_len,
                                            int src_image, int src_accessor, void *src_add, size_t src_add_size,
                                            size_t src_size, bool scalar, int *dst_stat, int *src_stat, team_t *dst_team,
                                            int *dst_team_number, team_t *src_team, int *src_team_number);
int32_t _gfortran_caf_is_present_on_remote(token_t, int image, int accessor, void *add, size_t add_size);

/* Ends the job when something is not so. */
void require_(bool ok, const char *what, const char *file, int line);
#define require(ok) require_(ok, #ok, __FILE__, __LINE__)
