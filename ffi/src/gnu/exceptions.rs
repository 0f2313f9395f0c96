//! The warning that STOP and ERROR STOP give when floating-point exceptions are signalling (Fortran 2018, 11.4).
//!
//! libgfortran writes it where it exports a function for it. Older versions do not, and this module writes the same
//! words. Only libgfortran knows the value of `-ffpe-summary=`; this module assumes its default: all exceptions but the
//! inexact one.

use super::weak::weak_functions;
use crate::arch::{EXCEPTIONS, signalling_exceptions};
use std::io::Write;

/// The words of libgfortran for the exceptions of [`EXCEPTIONS`], in its order.
const NAMES: [&str; 5] = [
    "IEEE_INVALID_FLAG",
    "IEEE_DIVIDE_BY_ZERO",
    "IEEE_OVERFLOW_FLAG",
    "IEEE_UNDERFLOW_FLAG",
    "IEEE_DENORMAL",
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
    if let Some(note) = note(signalling_exceptions()) {
        // An error of standard error cannot be reported anywhere.
        let _ = std::io::stderr().write_all(note.as_bytes());
    }
}

/// The line about these status bits, if any of them is reported.
fn note(bits: u32) -> Option<String> {
    let named = EXCEPTIONS.into_iter().zip(NAMES);
    let names: Vec<_> = named.filter(|(bit, _)| bits & bit != 0).map(|(_, name)| name).collect();
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
    use super::note;
    use crate::arch::{EXCEPTIONS, signalling_exceptions};
    use std::hint::black_box;

    #[test]
    fn nothing_is_told_of_others() {
        assert_eq!(note(0), None);
        assert_eq!(note(!EXCEPTIONS.iter().sum::<u32>()), None);
    }

    #[test]
    fn all_are_named_in_one_line() {
        let line = note(u32::MAX).expect("five are reported");
        assert_eq!(
            line,
            "Note: The following floating-point exceptions are signalling: IEEE_INVALID_FLAG IEEE_DIVIDE_BY_ZERO \
             IEEE_OVERFLOW_FLAG IEEE_UNDERFLOW_FLAG IEEE_DENORMAL\n"
        );
    }

    #[test]
    fn a_division_by_zero_signals() {
        assert!(black_box(black_box(1.0_f64) / black_box(0.0)).is_infinite());
        assert_ne!(signalling_exceptions() & EXCEPTIONS[1], 0);
    }
}
