/* Parallel I/O of XMP/C (XcalableMP 1.4, appendix): files that the executing nodes share. Functions whose names end with
   _all are collective. After an error errno has its cause. Positions
   count from SEEK_SET, SEEK_CUR and SEEK_END of stdio.h. */
#ifndef _XMP_IO
#define _XMP_IO

#include "xmp.h"
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file that is connected to the executing nodes. */
typedef struct xmp_file xmp_file_t;

/* A section of an array: lower bound, number of elements and stride for each dimension, counted from 1. */
typedef struct xmp_range xmp_range_t;

xmp_range_t *xmp_allocate_range(int n_dim);
void xmp_set_range(xmp_range_t *rp, int i_dim, int lb, int length, int step);
void xmp_free_range(xmp_range_t *rp);

xmp_file_t *xmp_fopen_all(const char *fname, const char *amode);
int xmp_fclose_all(xmp_file_t *fh);
int xmp_fseek(xmp_file_t *fh, long long offset, int whence);
int xmp_fseek_shared(xmp_file_t *fh, long long offset, int whence);
int xmp_fseek_shared_all(xmp_file_t *fh, long long offset, int whence);
long long xmp_ftell(xmp_file_t *fh);
long long xmp_ftell_shared(xmp_file_t *fh);
int xmp_file_sync_all(xmp_file_t *fh);

int xmp_file_set_view_all(xmp_file_t *fh, long long disp, xmp_desc_t desc, xmp_range_t *rp);
int xmp_file_clear_view_all(xmp_file_t *fh, long long disp);
ssize_t xmp_fread_all(xmp_file_t *fh, void *buffer, size_t size, size_t count);
ssize_t xmp_fwrite_all(xmp_file_t *fh, const void *buffer, size_t size, size_t count);
ssize_t xmp_fread_darray_all(xmp_file_t *fh, xmp_desc_t desc, xmp_range_t *rp);
ssize_t xmp_fwrite_darray_all(xmp_file_t *fh, xmp_desc_t desc, xmp_range_t *rp);

ssize_t xmp_fread_shared(xmp_file_t *fh, void *buffer, size_t size, size_t count);
ssize_t xmp_fwrite_shared(xmp_file_t *fh, const void *buffer, size_t size, size_t count);

ssize_t xmp_fread(xmp_file_t *fh, void *buffer, size_t size, size_t count);
ssize_t xmp_fwrite(xmp_file_t *fh, const void *buffer, size_t size, size_t count);

#ifdef __cplusplus
}
#endif

#endif
