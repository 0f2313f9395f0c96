//! Himeno: a program that measures and checks itself. A row's size is its number of points.

use crate::interleave::OwnProgram;
use crate::peers::{Kind, Language, Program};
use crate::protocol::RowKey;

/// The group of the rows.
pub const GROUP: &str = "himeno";
/// Points of size XS.
pub const XS: u64 = 64 * 32 * 32;
/// Of size S.
pub const S: u64 = 128 * 64 * 64;

/// The program.
pub const HIMENO: Program = Program {
    name: "himeno",
    sources: &["examples/fortran/himeno.f90"],
    language: Language::Fortran,
    options: &["-O3"],
};

/// What runs a row. There are fewer sweeps than the benchmark's, so that sides that send halos element by element
/// come to an end.
pub fn program(row: &RowKey, _: Kind) -> OwnProgram {
    let arguments = match row.size {
        XS => vec!["XS", "auto", "10"],
        _ => vec!["S", "auto", "10"],
    };
    OwnProgram { name: HIMENO.name, arguments, time }
}

/// Microseconds of a line `sweeps N in X s`.
fn time(line: &str) -> Option<f64> {
    let (_, rest) = line.trim().strip_prefix("sweeps ")?.split_once(" in ")?;
    let seconds: f64 = rest.strip_suffix(" s")?.trim().parse().ok()?;
    (seconds > 0.0).then_some(1e6 * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_read() {
        assert_eq!(time("sweeps 100 in 0.250 s"), Some(250_000.0));
        assert_eq!(time("sweeps 40 in .125 s"), Some(125_000.0));
        assert_eq!(time("MFLOPS 100.0"), None);
    }
}
