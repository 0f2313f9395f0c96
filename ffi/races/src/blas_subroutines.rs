//! The subroutines of BLAS whose accesses are entered: for the library, which enters them, and for the assembler, which finds their calls.

/// Hands all subroutines to a macro: for each way to use arguments the names, with the bytes of a real number and how many of them are
/// one number.
macro_rules! for_subroutines_of_blas {
    ($use:ident) => {
        $use! {
            axpy: "saxpy_" 4 1, "daxpy_" 8 1, "caxpy_" 4 2, "zaxpy_" 8 2;
            copy: "scopy_" 4 1, "dcopy_" 8 1, "ccopy_" 4 2, "zcopy_" 8 2;
            swap: "sswap_" 4 1, "dswap_" 8 1, "cswap_" 4 2, "zswap_" 8 2;
            dot: "sdot_" 4 1, "ddot_" 8 1;
            scal: "sscal_" 4 1, "dscal_" 8 1, "cscal_" 4 2, "zscal_" 8 2;
            norm: "snrm2_" 4 1, "dnrm2_" 8 1, "scnrm2_" 4 2, "dznrm2_" 8 2;
            norm: "sasum_" 4 1, "dasum_" 8 1, "scasum_" 4 2, "dzasum_" 8 2;
            norm: "isamax_" 4 1, "idamax_" 8 1, "icamax_" 4 2, "izamax_" 8 2;
            gemv: "sgemv_" 4 1, "dgemv_" 8 1, "cgemv_" 4 2, "zgemv_" 8 2;
            ger: "sger_" 4 1, "dger_" 8 1;
            gemm: "sgemm_" 4 1, "dgemm_" 8 1, "cgemm_" 4 2, "zgemm_" 8 2;
        }
    };
}

pub(crate) use for_subroutines_of_blas;
