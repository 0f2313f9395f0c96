//! Parallel I/O (XcalableMP 1.4, appendix) as C programs call it; `crate::global::io` has the files.
//!
//! ```text
//! range.rs  sections that C programs describe
//! c.rs      the functions of C
//! ```

mod c;
mod range;
