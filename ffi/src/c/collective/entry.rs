//! The declaration of collectives: the macro `collectives!` makes two functions of one body.

use xmp_collectives::Reduction;
use xmp_collectives::nonblocking::{Combine, Handle};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// The collectives of the crate that return when they are complete, and how they take a reduction.
pub mod blocking {
    use super::{Image, ImageSet, Reduction, Result};
    pub use xmp_collectives::raw::*;

    /// The outcome.
    pub fn outcome(outcome: Result<()>) -> Result<()> {
        outcome
    }

    /// Calls a collective that waits: it needs no key of the team.
    #[inline(always)]
    pub fn of_team<R>(_: &Image, _: &ImageSet, call: impl FnOnce() -> R) -> R {
        call()
    }

    /// The reduction.
    pub fn combine<'a, 'b>(by: &'a Reduction<'b>) -> &'a Reduction<'b> {
        by
    }
}

/// The collectives of the crate that begin an operation, and how they take a reduction.
pub mod begun {
    use super::{Combine, Handle, Image, ImageSet, Reduction, Result};
    use crate::c::team_handle::named_key;
    use xmp_collectives::nonblocking;
    pub use xmp_collectives::nonblocking::raw::*;

    /// The result of a collective: some collectives can be refused.
    pub trait Outcome {
        /// The operation.
        fn begun(self) -> Result<Handle<'static, ()>>;
    }
    impl Outcome for Handle<'static, ()> {
        fn begun(self) -> Result<Handle<'static, ()>> {
            Ok(self)
        }
    }
    impl Outcome for Result<Handle<'static, ()>> {
        fn begun(self) -> Result<Handle<'static, ()>> {
            self
        }
    }

    /// The operation, if it has begun.
    pub fn outcome(outcome: impl Outcome) -> Result<Handle<'static, ()>> {
        outcome.begun()
    }

    /// Begins it as an operation of the team that the call has named.
    pub fn of_team<R>(image: &Image, set: &ImageSet, begin: impl FnOnce() -> R) -> R {
        nonblocking::of_team(image, named_key(set), begin)
    }

    /// The reduction.
    pub fn combine(by: &Reduction<'static>) -> Combine {
        Combine::By(*by)
    }
}

/// Calls a collective of `raw`, which is [`blocking`] or [`begun`].
macro_rules! call {
    ($collective:ident(&$set:ident $(, $argument:expr)*)) => {{
        let image = &instance().image;
        // SAFETY: the contract of entries: all memory is as long as the arguments say that the body has checked, and
        // stays so until a begun operation is complete.
        let call = || unsafe { raw::$collective(image, &$set $(, $argument)*) };
        raw::outcome(raw::of_team(image, &$set, call))
    }};
}

/// Declares collectives: a function that returns when the collective is complete, and a function that begins it. The
/// body checks the arguments; then it calls a collective by `call!`.
macro_rules! collectives {
    ($(
        $(#[$doc:meta])*
        fn $name:ident, $begin:ident($($argument:ident: $type:ty),* $(,)?) $body:block
    )*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) -> c_int {
            use $crate::c::collective::entry::blocking as raw;
            outcome(stringify!($name), || $body)
        }

        /// Begins the same. Its memory stays valid, and lengths and offsets do during the call.
        #[unsafe(no_mangle)]
        pub extern "C" fn $begin(
            $($argument: $type,)*
            request: Option<&Cell<RequestHandle>>,
        ) -> c_int {
            use $crate::c::collective::entry::begun as raw;
            begin(stringify!($begin), request, || $body)
        }
    )* };
}

pub(super) use {call, collectives};
