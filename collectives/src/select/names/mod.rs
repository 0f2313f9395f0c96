//! The algorithms by their names.

mod host;
mod leaders;

pub use host::*;
pub use leaders::*;

/// An algorithm that a setting can name.
pub trait Named: Copy + 'static {
    /// All algorithms with their names.
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
