//! Calls that keep the registers of the program. The plug-in of gcc (`plugin.cc`) has the compiler know that an access changes `rax` and
//! `rdx` alone, so that it leaves its values in registers.
//!
//! The called function, and the C library for it, may also change the integer registers and the SSE registers, which
//! are kept here. In objects for AVX the plug-in marks the vector registers as changed. No function here uses the x87
//! registers.

/// Defines a function that the program jumps to with an address in `rdi`, and two more arguments in `rax` and `rdx`. It
/// calls a function with these three; the fourth argument is the return address in the program, and the last ones are
/// the values of `rsi` and `rcx`.
macro_rules! keeping_registers {
    ($name:ident: $function:path) => {
        #[unsafe(naked)]
        extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push rbp",
                ".cfi_adjust_cfa_offset 8",
                ".cfi_offset rbp, -16",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "sub rsp, 312",
                "and rsp, -16",
                "movaps [rsp], xmm0",
                "movaps [rsp + 16], xmm1",
                "movaps [rsp + 32], xmm2",
                "movaps [rsp + 48], xmm3",
                "movaps [rsp + 64], xmm4",
                "movaps [rsp + 80], xmm5",
                "movaps [rsp + 96], xmm6",
                "movaps [rsp + 112], xmm7",
                "movaps [rsp + 128], xmm8",
                "movaps [rsp + 144], xmm9",
                "movaps [rsp + 160], xmm10",
                "movaps [rsp + 176], xmm11",
                "movaps [rsp + 192], xmm12",
                "movaps [rsp + 208], xmm13",
                "movaps [rsp + 224], xmm14",
                "movaps [rsp + 240], xmm15",
                "mov [rsp + 256], rcx",
                "mov [rsp + 264], rsi",
                "mov [rsp + 272], rdi",
                "mov [rsp + 280], r8",
                "mov [rsp + 288], r9",
                "mov [rsp + 296], r10",
                "mov [rsp + 304], r11",
                "mov r8, rsi",
                "mov r9, rcx",
                "mov rsi, rax",
                "mov rcx, [rbp + 8]",
                "call {function}",
                "movaps xmm0, [rsp]",
                "movaps xmm1, [rsp + 16]",
                "movaps xmm2, [rsp + 32]",
                "movaps xmm3, [rsp + 48]",
                "movaps xmm4, [rsp + 64]",
                "movaps xmm5, [rsp + 80]",
                "movaps xmm6, [rsp + 96]",
                "movaps xmm7, [rsp + 112]",
                "movaps xmm8, [rsp + 128]",
                "movaps xmm9, [rsp + 144]",
                "movaps xmm10, [rsp + 160]",
                "movaps xmm11, [rsp + 176]",
                "movaps xmm12, [rsp + 192]",
                "movaps xmm13, [rsp + 208]",
                "movaps xmm14, [rsp + 224]",
                "movaps xmm15, [rsp + 240]",
                "mov rcx, [rsp + 256]",
                "mov rsi, [rsp + 264]",
                "mov rdi, [rsp + 272]",
                "mov r8, [rsp + 280]",
                "mov r9, [rsp + 288]",
                "mov r10, [rsp + 296]",
                "mov r11, [rsp + 304]",
                "leave",
                ".cfi_def_cfa rsp, 8",
                "ret",
                ".cfi_endproc",
                function = sym $function,
            )
        }
    };
}

pub(crate) use keeping_registers;

#[cfg(test)]
mod tests {
    use std::arch::asm;

    /// Changes registers as a function may.
    extern "C" fn change(
        address: usize,
        second: usize,
        third: usize,
        place: usize,
        rsi: usize,
        rcx: usize,
    ) {
        assert_eq!((address, second, third, rsi, rcx), (1, 2, 3, 12, 11));
        assert_ne!(place, 0);
        // SAFETY: changes registers that it says it changes.
        unsafe {
            asm!(
                "xor ecx, ecx",
                "xor esi, esi",
                "xor edi, edi",
                "xor r8d, r8d",
                "xor r9d, r9d",
                "xor r10d, r10d",
                "xor r11d, r11d",
                "xorps xmm0, xmm0",
                "xorps xmm7, xmm7",
                "xorps xmm8, xmm8",
                "xorps xmm15, xmm15",
                clobber_abi("C"),
            );
        }
    }

    keeping_registers!(keeping_change: change);

    #[test]
    fn registers_are_kept() {
        let (mut integers, mut vectors) = ([11_u64, 12, 13, 14, 15, 16], [1.5_f64, 2.5, 3.5, 4.5]);
        let [rcx, rsi, r8, r9, r10, r11] = &mut integers;
        let [xmm0, xmm7, xmm8, xmm15] = &mut vectors;
        let mut address = 1_u64;
        // SAFETY: the function changes `rax` and `rdx` alone. The stack is aligned where it aligns it.
        unsafe {
            asm!(
                "call {}", sym keeping_change,
                inout("rdi") address, inout("rax") 2_u64 => _, inout("rdx") 3_u64 => _,
                inout("rcx") *rcx, inout("rsi") *rsi, inout("r8") *r8, inout("r9") *r9, inout("r10") *r10, inout("r11") *r11,
                inout("xmm0") *xmm0, inout("xmm7") *xmm7, inout("xmm8") *xmm8, inout("xmm15") *xmm15,
            );
        }
        assert_eq!((address, integers), (1, [11, 12, 13, 14, 15, 16]));
        assert_eq!(vectors, [1.5, 2.5, 3.5, 4.5]);
    }
}
