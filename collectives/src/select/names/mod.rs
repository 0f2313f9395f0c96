//! The names of the algorithms, as `XMP_COLL` uses them.

mod host;
mod leaders;

pub use host::*;
pub use leaders::*;

/// The algorithms of one kind of operation.
pub trait Named: Copy + 'static {
    /// Each algorithm with its name.
    const ALL: &'static [(&'static str, Self)];

    /// The algorithm with this name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, algorithm)| algorithm)
    }

    /// The name of the algorithm.
    fn name(self) -> &'static str
    where
        Self: PartialEq,
    {
        Self::ALL.iter().find(|(_, known)| *known == self).expect("every algorithm has a name").0
    }
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
