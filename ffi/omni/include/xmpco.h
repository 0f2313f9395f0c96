/* The object interface of coarrays, for layers that are written on top of it. ("Coarray Object Interface", wiki of the Omni
   compiler) */
#ifndef XMPCO_H
#define XMPCO_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A coarray on this image, and what one instance of a procedure has allocated: opaque. */
typedef struct CoarrayInfo CoarrayInfo_t;
typedef struct ResourceSet ResourceSet_t;

/* Static coarrays: counted, then the pool is made, then each gets its memory. Addresses are those on this image. */
void XMPCO_count_size(int count, size_t element);
void XMPCO_malloc_pool(void);
CoarrayInfo_t *XMPCO_malloc_staticCoarray(char **addr, int count, size_t element, int namelen, const char *name);
CoarrayInfo_t *XMPCO_regmem_staticCoarray(void *var, int count, size_t element, int namelen, const char *name);

/* What a procedure allocates with its set is deallocated by its epilog, at the latest. */
void XMPCO_prolog(ResourceSet_t **rset, int namelen, const char *name);
void XMPCO_epilog(ResourceSet_t **rset);
CoarrayInfo_t *XMPCO_malloc_coarray(char **addr, int count, size_t element, ResourceSet_t *rset);
CoarrayInfo_t *XMPCO_regmem_coarray(void *var, int count, size_t element, ResourceSet_t *rset);
void XMPCO_free_coarray(CoarrayInfo_t *cinfo);
void XMPCO_deregmem_coarray(CoarrayInfo_t *cinfo);

/* Transfers. base is the corresponding address on this image; skip says how many bytes it is from one element to the next
   in each dimension, count how many elements there are. synchronous: 0 as usual; 1 or 2 complete on return, and atomic if it
   is a scalar of 4 bytes. */
void XMPCO_PUT_scalarStmt(CoarrayInfo_t *cinfo, char *base, int element, int coindex, const char *rhs, int synchronous);
void XMPCO_PUT_arrayStmt(CoarrayInfo_t *cinfo, char *base, int element, int coindex, const char *rhs, int rank,
                         const int skip[], const int skip_rhs[], const int count[], int synchronous);
void XMPCO_PUT_spread(CoarrayInfo_t *cinfo, char *base, int element, int coindex, const char *rhs, int rank,
                      const int skip[], const int count[], int synchronous);
void XMPCO_GET_scalarExpr(CoarrayInfo_t *cinfo, char *base, int element, int coindex, char *result);
void XMPCO_GET_arrayExpr(CoarrayInfo_t *cinfo, char *base, int element, int coindex, char *result, int rank,
                         const int skip[], const int count[]);
void XMPCO_GET_arrayStmt(CoarrayInfo_t *cinfo, char *base, int element, int coindex, char *local, int rank,
                         const int skip[], const int skip_local[], const int count[]);

/* Synchronisation. (XMPCO_sync_all_withComm takes an MPI_Comm; declare it where mpi.h is included.) */
void XMPCO_sync_all(void);
void XMPCO_sync_all_auto(void);

/* The coarray that has an address; NULL if none has. */
CoarrayInfo_t *XMPCO_find_descptr(char *addr, int namelen, const char *name);

/* Cosubscripts of this image. */
void XMPCO_this_image_coarray(CoarrayInfo_t *cinfo, int corank, int image[]);
int XMPCO_this_image_coarray_dim(CoarrayInfo_t *cinfo, int corank, int dim);

/* Attributes; dim counts from 0, and the last dimension needs no upper bound or size. */
void _XMPCO_set_corank(CoarrayInfo_t *cinfo, int corank);
void _XMPCO_set_codim_withBounds(CoarrayInfo_t *cinfo, int dim, int lb, int ub);
void _XMPCO_set_codim_withSize(CoarrayInfo_t *cinfo, int dim, int lb, int size);
void _XMPCO_set_varname(CoarrayInfo_t *cinfo, int namelen, const char *name);
CoarrayInfo_t *_XMPCO_set_nodes(CoarrayInfo_t *cinfo, void *nodes);

/* Bytes of coarrays: all; deallocated but not freed yet; of bookkeeping. */
size_t xmp_coarray_allocated_bytes(void);
size_t xmp_coarray_garbage_bytes(void);
size_t xmp_coarray_malloc_bytes(void);

#ifdef __cplusplus
}
#endif

#endif
