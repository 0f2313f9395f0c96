//! The module `prif`, through which gfortran and flang call this library. `ffi/prif` reads the sources here and makes it of them: the
//! interfaces are those of the table, as the compiler understands it.

use super::dummies::Declaration;
use super::outcome::stat;
use super::table::Row;
use super::teams::level;
use super::{
    atomics, collectives, contiguous, events, images, inquiry, locks, startup, storage, strided,
    sync, teams,
};
use xmp_prif::{Dummy, Interfaces};

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

#[test]
fn the_interfaces_are_those_of_the_table() {
    let interfaces = Interfaces::of_library();
    let subjects: Vec<&str> = interfaces.subjects.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(subjects, SUBJECTS.map(|(name, _)| name));
    for ((_, rows), (_, procedures)) in SUBJECTS.iter().zip(&interfaces.subjects) {
        let name = |row: &Row| row.name.to_owned();
        let names: Vec<String> = procedures.iter().map(|it| it.name.clone()).collect();
        assert_eq!(names, rows.iter().map(name).collect::<Vec<_>>());
        for (row, procedure) in rows.iter().zip(procedures) {
            assert_eq!(procedure.doc, row.doc);
            let dummy = |&(name, Declaration { before, after }): &(&str, Declaration)| Dummy {
                name: name.into(),
                before: before.into(),
                after: after.into(),
            };
            let dummies: Vec<Dummy> = row.dummies.iter().map(dummy).collect();
            assert_eq!(procedure.operands(), dummies, "prif_{}", row.name);
            let of_outcome = match row.status {
                "" => 0,
                "stat" => 1,
                _ => 3,
            };
            assert_eq!(procedure.outcome(), of_outcome, "prif_{}", row.name);
        }
    }
}

#[test]
fn the_constants_are_those_of_the_library() {
    let constants = CONSTANTS.map(|(name, value)| (name.to_owned(), value));
    assert_eq!(Interfaces::of_library().constants, constants);
}
