//! The names that a program needs, in one line: `use xmp_coarray::prelude::*;`.

pub use crate::{
    AtomicCoarray, Background, Coarray, Error, ErrorKind, Event, Exchanges, Handle, Image, Lock,
    LockGuard, Op, Parts, Pod, Regions, Result, Scans, Section, Selection, Sibling, Statements,
    Team, Zeroable, run, run_on_threads,
};
