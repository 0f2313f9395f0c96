//! The names of the algorithms, as `XMP_COLL` uses them.

mod host;
mod leaders;

pub use host::*;
pub use leaders::*;

/// The algorithms of one kind of operation.
pub trait Named: Copy + 'static {
    /// Each algorithm with its name.
    const ALL: &'static [(&'static str, Self)];
}

macro_rules! algorithms {
    ($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)*
        }

        impl Named for $type {
            const ALL: &'static [(&'static str, Self)] = &[$(($name, $type::$variant),)*];
        }
    };
}

use algorithms;
