//! The module `prif` (`ffi/prif/prif.F90`), through which gfortran and flang call this library: its interfaces are those of
//! the table of procedures.

use super::dummies::Declaration;
use super::outcome::stat;
use super::table::Row;
use super::teams::level;
use super::{
    atomics, collectives, contiguous, events, images, inquiry, locks, startup, storage, strided,
    sync, teams,
};
use xmp_prif::{Dummy, Interfaces, Procedure};

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

/// The constants, with the values that flang has in its ISO_FORTRAN_ENV.
const CONSTANTS: [(&str, i32); 11] = [
    ("PRIF_CURRENT_TEAM", level::CURRENT),
    ("PRIF_INITIAL_TEAM", level::INITIAL),
    ("PRIF_PARENT_TEAM", level::PARENT),
    ("PRIF_STAT_FAILED_IMAGE", stat::FAILED_IMAGE),
    ("PRIF_STAT_LOCKED", stat::LOCKED),
    ("PRIF_STAT_LOCKED_OTHER_IMAGE", stat::LOCKED_OTHER_IMAGE),
    ("PRIF_STAT_STOPPED_IMAGE", stat::STOPPED_IMAGE),
    ("PRIF_STAT_UNLOCKED", stat::UNLOCKED),
    ("PRIF_STAT_UNLOCKED_FAILED_IMAGE", stat::UNLOCKED_FAILED_IMAGE),
    ("PRIF_STAT_OUT_OF_MEMORY", stat::OUT_OF_MEMORY),
    ("PRIF_STAT_ALREADY_INIT", stat::ALREADY_INIT),
];

/// The dummy arguments for the outcome, by the name for them in the table.
const OUTCOME: [(&str, &str); 3] = [
    ("stat", "integer(c_int), intent(out), optional"),
    ("errmsg", "character(kind=c_char, len=*), intent(inout), optional"),
    ("errmsg_alloc", "character(kind=c_char, len=:), intent(inout), allocatable, optional"),
];

/// The interface of a procedure of the table.
fn procedure(row: &Row) -> Procedure {
    let name = row.name;
    let dummy = |name: &str, declaration: Declaration| Dummy {
        name: name.into(),
        before: declaration.before.into(),
        after: declaration.after.into(),
    };
    let outcome = match row.status {
        "" => &OUTCOME[..0],
        "stat" => &OUTCOME[..1],
        _ => &OUTCOME,
    };
    let operands = row.dummies.iter().map(|&(name, declaration)| dummy(name, declaration));
    let outcome =
        outcome.iter().map(|&(name, before)| dummy(name, Declaration { before, after: "" }));
    Procedure {
        doc: row.doc.iter().map(|&line| line.into()).collect(),
        name: name.into(),
        // IMAGE_STATUS is elemental.
        prefix: if name == "image_status" { "impure elemental ".into() } else { String::new() },
        symbol: match row.kind {
            "plain" => format!("prif_{name}"),
            "external" => format!("xmp_prif_{name}_"),
            _ => format!("xmp_prif_{name}"),
        },
        dummies: operands.chain(outcome).collect(),
    }
}

#[test]
fn the_interfaces_are_those_of_the_table() {
    let interfaces = Interfaces::of_prif();
    let subjects: Vec<&str> = interfaces.subjects.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(subjects, SUBJECTS.map(|(name, _)| name));
    for ((subject, rows), (_, procedures)) in SUBJECTS.iter().zip(&interfaces.subjects) {
        for row in *rows {
            let found = procedures.iter().find(|procedure| procedure.name == row.name);
            assert_eq!(found, Some(&procedure(row)), "prif.F90, {subject}: prif_{}", row.name);
        }
        assert_eq!(procedures.len(), rows.len(), "prif.F90, {subject}");
    }
}

#[test]
fn the_constants_are_those_of_the_library() {
    let constants = CONSTANTS.map(|(name, value)| (name.to_owned(), value));
    assert_eq!(Interfaces::of_prif().constants, constants);
}
