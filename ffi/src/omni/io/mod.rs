//! Parallel I/O (XcalableMP 1.4, appendix): files that the executing nodes share.
//!
//! ```text
//! connection.rs  a file that is connected to a set of images: its view and its pointers
//! shared.rs      the shared file pointer
//! bytes.rs       transfers of contiguous memory
//! sections.rs    transfers of sections of distributed arrays
//! range.rs       sections that C programs describe
//! c.rs           the functions of C
//! unit.rs        a unit of Fortran, and the specifiers of OPEN
//! statement.rs   READ and WRITE
//! refused.rs     statements that are not executed
//! units.rs       the units of an image
//! fortran.rs     what `master_io` and `global_io` become
//! ```

mod bytes;
mod c;
mod connection;
mod fortran;
mod range;
mod refused;
mod sections;
mod shared;
mod statement;
mod unit;
mod units;
