//! Fast paths: coindexed accesses on one host, counted in instructions.
//!
//! Each entry here looks at its arguments for the common case, executes it by loads and stores, and otherwise calls its
//! slow path with the arguments as they are. A fast path allocates nothing, takes no lock and searches for nothing.
//!
//! | file | compiler | entries | fast for | slow path |
//! |---|---|---|---|---|
//! | [`transfer`] | gfortran 12 to 14 | `send`, `get`, `sendget` | scalars, contiguous arrays of one type and shape, on the same host | [`crate::gnu::transfer`] |
//! | [`accessor`] | gfortran 15 and later | `send_to_remote`, `get_from_remote` | all without characters and team, on the same host | [`crate::gnu::accessor`] |
//! | [`assignment`] | gfortran 15 and later | `transfer_between_remotes` | scalars without characters and team, on the same host | [`crate::gnu::accessor`] |
//!
//! Locks, events and atomic subroutines have theirs beside their slow paths. All begin with
//! [`local_coindexed`](super::token::local_coindexed) or [`local_word`](super::token::local_word).
//!
//! `./x bench` counts the instructions of puts and gets of 8 bytes (`caf_word`).

pub mod accessor;
mod assignment;
mod transfer;
