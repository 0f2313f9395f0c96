//! The module `prif`, generated from the table of procedures: `ffi/prif/prif.F90` consists of interfaces only, through
//! which gfortran and flang call this library; `ffi/prif/prif_lfortran.F90` has procedures.

mod fortran;
mod interfaces;
mod lfortran;
mod own;
mod passing;

use super::table::Row;
use super::{
    atomics, collectives, contiguous, events, images, inquiry, locks, startup, storage, strided,
    sync, teams,
};
use std::path::Path;
use std::{env, fs};

/// All procedures, by their subjects.
const SUBJECTS: [(&str, &[Row]); 13] = [
    ("Start and end of a program", startup::PROCEDURES),
    ("Images", images::PROCEDURES),
    ("Allocation", storage::PROCEDURES),
    ("Inquiries about coarrays", inquiry::PROCEDURES),
    ("Contiguous access", contiguous::PROCEDURES),
    ("Strided access", strided::PROCEDURES),
    ("Synchronisation", sync::PROCEDURES),
    ("Locks and critical constructs", locks::PROCEDURES),
    ("Events and notifications", events::PROCEDURES),
    ("Teams", teams::PROCEDURES),
    ("Collective subroutines", collectives::PROCEDURES),
    ("Atomic operations", atomics::operations::PROCEDURES),
    ("Atomic accesses", atomics::accesses::PROCEDURES),
];

/// All procedures.
fn procedures() -> impl Iterator<Item = &'static Row> {
    SUBJECTS.iter().flat_map(|(_, rows)| *rows)
}

/// The file in the sources is the one that the table gives. With `XMP_RENEW=1` it becomes that.
fn compare(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("prif").join(file);
    if env::var_os("XMP_RENEW").is_some() {
        fs::write(&path, text).expect("the file can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(text.lines()).position(|(found, wanted)| found != wanted);
    assert!(
        found == text,
        "{} differs from the table of procedures from line {} on: XMP_RENEW=1 cargo test -p xmp-ffi prif",
        path.display(),
        differs.map_or(0, |line| line + 1)
    );
}

#[test]
fn the_module_is_that_of_the_table() {
    compare("prif.F90", &interfaces::module());
}

#[test]
fn the_module_for_lfortran_is_that_of_the_table() {
    compare("prif_lfortran.F90", &lfortran::module());
}

#[test]
fn there_are_109_procedures() {
    let mut names: Vec<&str> = procedures().map(|row| row.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 109);
}
