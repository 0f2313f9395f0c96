//! The names that a program needs, in one line: `use xmp_coarray::prelude::*;`.

pub use crate::program::{run, run_on_threads};
pub use crate::typed::{
    AtomicCoarray, Background, Coarray, Event, Exchanges, Lock, LockGuard, Regions, Scans, Section,
    Sibling, Statements,
};
pub use bytemuck::{Pod, Zeroable};
pub use xmp_collectives::nonblocking::Handle;
pub use xmp_collectives::{Op, Parts};
pub use xmp_core::{Error, Image, Result};
pub use xmp_teams::{Selection, Team};
