//! Exceptions: compilers that cannot compile a program, or get it wrong. They are in lines of its head such as
//!
//! ```text
//! ! Not with gfortran 15: the operand is the local variable.
//! ! Not with gfortran 15 and later: pointer components have another layout.
//! ! Not with gfortran 15 and later, on several hosts: components of other hosts cannot be reached.
//! ! Not with gfortran before 16: no GET_TEAM.
//! ! Not with gfortran before 15 on AArch64: a length that is not set.
//! ```

use crate::toolchain::toolchain;
use std::fs;
use std::ops::{Range, RangeBounds};
use std::path::Path;

/// The beginning of such a line.
const MARK: &str = "! Not with gfortran ";

/// The end of a line that is about several hosts only.
const HOSTS: &str = ", on several hosts";

/// The end of the versions where only one architecture is concerned.
const AARCH64: &str = " on AArch64";

/// A compiler with which a program does not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// Major versions of gfortran.
    versions: Range<u32>,
    /// Only on several hosts.
    pub several_hosts: bool,
    /// Why.
    pub reason: String,
}

impl Exception {
    /// Whether it is about this version.
    pub fn concerns(&self, version: u32) -> bool {
        self.versions.contains(&version)
    }
}

/// The exception in the head of this source for the compiler that the tests run with.
///
/// # Panics
/// When the source cannot be read, and as [`exceptions`].
pub fn exception_here(source: &Path) -> Option<Exception> {
    let text = fs::read_to_string(source)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", source.display()));
    let version = toolchain().gfortran_version()?;
    exceptions(&text).into_iter().find(|exception| exception.concerns(version))
}

/// Whether the compiler that the tests run with does not compile this source, or gets it wrong, as its head says. A
/// test that leaves it out then has said so.
///
/// # Panics
/// As [`exception_here`].
pub fn left_out(source: &Path) -> bool {
    let exception = exception_here(source).filter(|exception| !exception.several_hosts);
    if let Some(exception) = &exception {
        say(&source.display().to_string(), &exception.reason);
    }
    exception.is_some()
}

/// The same of something smaller than a source: a part of a test that these versions of gfortran get wrong.
pub fn left_out_with(versions: impl RangeBounds<u32>, what: &str, reason: &str) -> bool {
    let here = toolchain().gfortran_version().is_some_and(|version| versions.contains(&version));
    if here {
        say(what, reason);
    }
    here
}

fn say(what: &str, reason: &str) {
    xmp_hosts::left_out(format_args!("{what}, with {}: {reason}", toolchain().fortran()));
}

/// The exceptions of a program, from the comments that it begins with.
///
/// # Panics
/// When one of them is not as above.
pub fn exceptions(source: &str) -> Vec<Exception> {
    source
        .lines()
        .take_while(|line| line.starts_with('!'))
        .filter_map(|line| line.strip_prefix(MARK))
        .map(|line| exception(line).unwrap_or_else(|| panic!("not an exception: {MARK}{line}")))
        .collect()
}

fn exception(line: &str) -> Option<Exception> {
    let (condition, reason) = line.split_once(": ")?;
    let (versions, several_hosts) =
        condition.strip_suffix(HOSTS).map_or((condition, false), |versions| (versions, true));
    let (versions, is_here) = match versions.strip_suffix(AARCH64) {
        Some(versions) => (versions, cfg!(target_arch = "aarch64")),
        None => (versions, true),
    };
    let versions = if let Some(first) = versions.strip_suffix(" and later") {
        first.parse().ok()?..u32::MAX
    } else if let Some(end) = versions.strip_prefix("before ") {
        0..end.parse().ok()?
    } else {
        let only: u32 = versions.parse().ok()?;
        only..only + 1
    };
    let versions = if is_here { versions } else { 0..0 };
    Some(Exception { versions, several_hosts, reason: reason.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_exceptions() {
        let source = "!> A rule.\n! Not with gfortran 15: one.\n! Not with gfortran 14 and later, on several hosts: two.\n\
                      ! Not with gfortran before 16: three: it has a colon.\nprogram p\n! Not with gfortran 1: no
                      ! head.\n";
        let found = exceptions(source);
        assert_eq!(found.len(), 3);
        let versions = |which: usize| {
            (12..18).filter(|version| found[which].concerns(*version)).collect::<Vec<_>>()
        };
        assert_eq!(versions(0), [15]);
        assert_eq!(versions(1), [14, 15, 16, 17]);
        assert_eq!(versions(2), [12, 13, 14, 15]);
        assert_eq!(found.iter().map(|e| e.several_hosts).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(found[2].reason, "three: it has a colon.");
        let found = exceptions("! Not with gfortran before 15 on AArch64: one.\n");
        assert_eq!(found[0].concerns(12), cfg!(target_arch = "aarch64"));
    }

    #[test]
    #[should_panic(expected = "not an exception")]
    fn a_line_that_is_not_understood() {
        exceptions("! Not with gfortran fifteen: why.\n");
    }
}
