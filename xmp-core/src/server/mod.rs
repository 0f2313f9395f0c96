//! The communication server of a host and its asking side. Read `README.md` beside this file first.

pub mod carrier;
pub mod in_process;
pub mod wire;

pub use carrier::{Carrier, Op, Tag, Window};
