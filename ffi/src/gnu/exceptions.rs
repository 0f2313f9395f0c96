//! The warning that STOP and ERROR STOP give when floating-point exceptions are signalling (Fortran 2018, 11.4).
//!
//! libgfortran writes it where it exports a function for it. Older versions do not, and this module writes the same
//! words. Only libgfortran knows the value of `-ffpe-summary=`; this module assumes its default: all exceptions but the
//! inexact one.

use super::weak::weak_functions;
use std::arch::asm;
use std::io::Write;

/// Status bits of both units, with the words of libgfortran in its order.
const NAMED: [(u32, &str); 5] = [
    (1 << 0, "IEEE_INVALID_FLAG"),
    (1 << 2, "IEEE_DIVIDE_BY_ZERO"),
    (1 << 3, "IEEE_OVERFLOW_FLAG"),
    (1 << 4, "IEEE_UNDERFLOW_FLAG"),
    (1 << 1, "IEEE_DENORMAL"),
];

weak_functions! {
    /// What writes the warning in newer versions of libgfortran.
    fn report_exception() = "_gfortran_report_exception": unsafe extern "C" fn();
}

/// Writes the warning to standard error if an exception is signalling on this image.
pub fn report() {
    if let Some(report_exception) = report_exception() {
        // SAFETY: the function only writes the warning.
        unsafe { report_exception() };
        return;
    }
    if let Some(note) = note(signalling()) {
        // An error of standard error cannot be reported anywhere.
        let _ = std::io::stderr().write_all(note.as_bytes());
    }
}

/// The status bits of the SSE unit and of the x87 unit, which has `real(10)`, together.
fn signalling() -> u32 {
    let mut sse = 0_u32;
    let x87: u16;
    // SAFETY: both only read status; `sse` has the four bytes that are written.
    unsafe {
        asm!("stmxcsr [{}]", in(reg) &raw mut sse, options(nostack, preserves_flags));
        asm!("fnstsw ax", out("ax") x87, options(nomem, nostack, preserves_flags));
    }
    sse | u32::from(x87)
}

/// The line about these status bits, if any of them is reported.
fn note(bits: u32) -> Option<String> {
    let names: Vec<_> =
        NAMED.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| *name).collect();
    let any = !names.is_empty();
    any.then(|| {
        format!(
            "Note: The following floating-point exceptions are signalling: {}\n",
            names.join(" ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{note, signalling};
    use std::hint::black_box;

    #[test]
    fn nothing_is_told_of_the_inexact_one_alone() {
        assert_eq!(note(0), None);
        assert_eq!(note(1 << 5), None);
    }

    #[test]
    fn all_are_named_in_one_line() {
        let line = note(0x3f).expect("five of them are reported");
        assert_eq!(
            line,
            "Note: The following floating-point exceptions are signalling: IEEE_INVALID_FLAG IEEE_DIVIDE_BY_ZERO \
             IEEE_OVERFLOW_FLAG IEEE_UNDERFLOW_FLAG IEEE_DENORMAL\n"
        );
    }

    #[test]
    fn a_division_by_zero_signals() {
        assert!(black_box(black_box(1.0_f64) / black_box(0.0)).is_infinite());
        assert_ne!(signalling() & 1 << 2, 0);
    }
}
