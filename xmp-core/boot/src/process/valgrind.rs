//! Requests to valgrind, if this process runs under it: a sequence of instructions that does nothing elsewhere.

/// `RUNNING_ON_VALGRIND` of valgrind's `valgrind.h`.
const RUNNING: u64 = 0x1001;
/// `VALGRIND_MAKE_MEM_DEFINED` of valgrind's `memcheck.h`: the letters M and C, and the third request.
const MAKE_MEM_DEFINED: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16 | 2;

/// Whether this process runs under valgrind.
pub fn is_running() -> bool {
    request([RUNNING, 0, 0, 0, 0, 0]) != 0
}

/// Has memcheck take bytes for defined.
pub(super) fn make_defined(start: *mut u8, len: usize) {
    request([MAKE_MEM_DEFINED, start.expose_provenance() as u64, len as u64, 0, 0, 0]);
}

/// The answer to a request; 0 elsewhere.
fn request(request: [u64; 6]) -> u64 {
    let mut answer = 0;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the sequence of valgrind's `valgrind.h` for x86-64: the rotations restore the register, and the exchange
    // is one of a register with itself. Valgrind reads the six words of the request, and writes the answer to `rdx`.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") &raw const request,
            inout("rdx") answer,
            out("rdi") _,
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the sequence for AArch64, which does the same; the answer is in `x3`.
    unsafe {
        std::arch::asm!(
            "ror x12, x12, #3",
            "ror x12, x12, #13",
            "ror x12, x12, #51",
            "ror x12, x12, #61",
            "orr x10, x10, x10",
            in("x4") &raw const request,
            inout("x3") answer,
            out("x12") _,
        );
    }
    answer
}
