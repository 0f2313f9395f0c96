//! Parallel I/O (XcalableMP 1.4, appendix): files that the executing nodes share.
//!
//! ```text
//! connection.rs  a file that is connected to a set of images: its view and its pointers
//! shared.rs      the shared file pointer
//! memory.rs      memory of the program
//! bytes.rs       transfers of contiguous memory
//! sections.rs    transfers of sections of distributed arrays
//! unit.rs        a unit of Fortran, and the specifiers of OPEN
//! statement.rs   READ and WRITE
//! refused.rs     statements that are not executed
//! units.rs       the units of an image
//! ```

mod bytes;
mod connection;
mod memory;
mod refused;
mod sections;
mod shared;
mod statement;
mod unit;
mod units;

pub use connection::{Connection, Start, Whence};
pub use memory::Memory;
pub use unit::AccessMode;
pub use units::Units;
