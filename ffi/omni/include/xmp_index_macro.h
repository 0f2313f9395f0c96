/* The formulas of distributions that translated code computes by itself. They are frozen: objects have them compiled in.
   xmp-core/map/src/global/README.md says the same in words. */
#ifndef _XMP_INDEX_MACRO
#define _XMP_INDEX_MACRO

/* From the local value l of a loop variable to the global one. N indices from m on, over P nodes of which this is number
   p; blocks of b; x is the first index of this node. */
#define _XMP_M_CEILi(a, b) (((a) + (b) - 1) / (b))
#define _XMP_M_LTOG_TEMPLATE_BLOCK(l, m, N, P, p) ((p) * _XMP_M_CEILi(N, P) + (l) + (m))
#define _XMP_M_LTOG_TEMPLATE_CYCLIC(l, m, P, p) ((l) * (P) + (p) + (m))
#define _XMP_M_LTOG_TEMPLATE_BLOCK_CYCLIC(l, b, m, P, p) \
    (((l) / (b)) * (b) * (P) + (b) * (p) + (l) % (b) + (m))
#define _XMP_M_LTOG_TEMPLATE_GBLOCK(l, x) ((l) + (x))

/* From a global index i of an array to the local one. x is what align and shadow have written. */
#define _XMP_M_CALC_INDEX_BLOCK(i, x) ((i) - (x))
#define _XMP_M_CALC_INDEX_CYCLIC(i, P) ((i) / (P))
#define _XMP_M_CALC_INDEX_BLOCK_CYCLIC(i, P, b) ((b) * ((i) / ((P) * (b))) + (i) % (b))
#define _XMP_M_CALC_INDEX_GBLOCK(i, x) ((i) - (x))

/* Addresses of elements with local indices: s are the strides of all dimensions but the last one. */
#define _XMP_M_GET_ADDR_0(a) (a)
#define _XMP_M_GET_ADDR_E_1(a, i1) ((a) + (i1))
#define _XMP_M_GET_ADDR_E_2(a, i1, i2, s1) ((a) + (i1) * (s1) + (i2))
#define _XMP_M_GET_ADDR_E_3(a, i1, i2, i3, s1, s2) ((a) + (i1) * (s1) + (i2) * (s2) + (i3))
#define _XMP_M_GET_ADDR_E_4(a, i1, i2, i3, i4, s1, s2, s3) \
    (_XMP_M_GET_ADDR_E_3(a, i1, i2, (i3) * (s3), s1, s2) + (i4))
#define _XMP_M_GET_ADDR_E_5(a, i1, i2, i3, i4, i5, s1, s2, s3, s4) \
    (_XMP_M_GET_ADDR_E_4(a, i1, i2, i3, (i4) * (s4), s1, s2, s3) + (i5))
#define _XMP_M_GET_ADDR_E_6(a, i1, i2, i3, i4, i5, i6, s1, s2, s3, s4, s5) \
    (_XMP_M_GET_ADDR_E_5(a, i1, i2, i3, i4, (i5) * (s5), s1, s2, s3, s4) + (i6))
#define _XMP_M_GET_ADDR_E_7(a, i1, i2, i3, i4, i5, i6, i7, s1, s2, s3, s4, s5, s6) \
    (_XMP_M_GET_ADDR_E_6(a, i1, i2, i3, i4, i5, (i6) * (s6), s1, s2, s3, s4, s5) + (i7))

/* The elements themselves. */
#define _XMP_M_GET_ELMT_1(a, i1) (*_XMP_M_GET_ADDR_E_1(a, i1))
#define _XMP_M_GET_ELMT_2(a, i1, i2, s1) (*_XMP_M_GET_ADDR_E_2(a, i1, i2, s1))
#define _XMP_M_GET_ELMT_3(a, i1, i2, i3, s1, s2) (*_XMP_M_GET_ADDR_E_3(a, i1, i2, i3, s1, s2))
#define _XMP_M_GET_ELMT_4(a, i1, i2, i3, i4, s1, s2, s3) \
    (*_XMP_M_GET_ADDR_E_4(a, i1, i2, i3, i4, s1, s2, s3))
#define _XMP_M_GET_ELMT_5(a, i1, i2, i3, i4, i5, s1, s2, s3, s4) \
    (*_XMP_M_GET_ADDR_E_5(a, i1, i2, i3, i4, i5, s1, s2, s3, s4))
#define _XMP_M_GET_ELMT_6(a, i1, i2, i3, i4, i5, i6, s1, s2, s3, s4, s5) \
    (*_XMP_M_GET_ADDR_E_6(a, i1, i2, i3, i4, i5, i6, s1, s2, s3, s4, s5))
#define _XMP_M_GET_ELMT_7(a, i1, i2, i3, i4, i5, i6, i7, s1, s2, s3, s4, s5, s6) \
    (*_XMP_M_GET_ADDR_E_7(a, i1, i2, i3, i4, i5, i6, i7, s1, s2, s3, s4, s5, s6))

#endif
