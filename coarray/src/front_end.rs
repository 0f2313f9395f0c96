//! The interface for front ends of compilers. It is no part of the crate's public interface: any version may change it.
//!
//! Blocks of a segment with a registry, their collective allocation, transfers that are planned from any two array sections
//! with conversion of types, image control statements on image sets, and atomic, lock and event variables at a
//! [`Location`].

pub use crate::block::{Block, Location};
pub use crate::sync::{
    sync_all, sync_all_active, sync_image, sync_images, sync_images_all, sync_memory, sync_stores,
};

/// Declares modules with what modules of this crate have.
macro_rules! modules {
    ($($(#[$about:meta])* $name:ident)*) => {$(
        $(#[$about])*
        pub mod $name {
            pub use crate::$name::*;
        }
    )*};
}

modules! {
    /// Memory that images make or free together.
    allocation
    /// Atomic operations on words of coarrays.
    atomic
    /// Conversion of types.
    convert
    /// Event variables.
    event
    /// Lock variables.
    lock
    /// Plans of transfers.
    plan
    /// Posts with tags.
    post
    /// The entries of accesses in the detector of races.
    races
    /// Blocks by address.
    registry
    /// The comparison of statements.
    same_statement
    /// Signals, and waits for values.
    signal
    /// Coarrays that are not allocatable.
    static_coarrays
    /// Transfers.
    transfer
}
