//! Declares the procedures. The declarations are also the table of which `./x install` makes the module `prif` (`ffi/prif`).

use super::arrays::{AllocatableText, Text};
use std::cell::Cell;
use std::ffi::c_int;

/// Declares procedures of PRIF, as functions that [the contract of entries](crate::entry#contract) holds for.
///
/// ```text
/// procedures! {
///     /// SYNC ALL.
///     entered fn sync_all() [outcome: statement] { .. }
/// }
/// ```
///
/// | in front of `fn` | meaning |
/// |---|---|
/// | `entered` | `xmp_prif_NAME` and `_QMprifPprif_NAME`; the body is executed inside the lock of the image |
/// | `fast` | the same, but the body enters the lock itself where it has to |
/// | `module` | `xmp_prif_NAME` only: flang passes the arguments in another way |
/// | `external` | `xmp_prif_NAME_`, as compilers call external procedures that are not interoperable, and `_QMprifPprif_NAME` |
/// | `plain` | `prif_NAME` only, which every compiler calls |
///
/// In parentheses after that may be the name of a function with the arguments of the procedure, which is tried first,
/// outside the lock: the usual case, if it is that. It says whether it has done everything.
///
/// In brackets is the name that the body has for the [`Outcome`](super::outcome::Outcome), or `_`, and which arguments
/// for it come last: `stat` alone, or `stat`, `errmsg` and `errmsg_alloc` of a `statement`. A body returns a
/// `Result<()>`. Without brackets an error ends the program.
macro_rules! procedures {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident $(($usual:ident))? fn $name:ident($($argument:ident: $type:ty),* $(,)?)
            $([$outcome:tt: $status:ident])? $body:block
    )+) => {
        $($crate::prif::table::procedure! {
            [$(#[doc = $doc])+] $kind [$($usual)?] $name [$($argument: $type),*] [$($outcome: $status)?] $body
        })+

        /// The rows of the table for these procedures.
        #[cfg(test)]
        pub(in crate::prif) const PROCEDURES: &[$crate::prif::table::Row] = &[$($crate::prif::table::Row {
            doc: &[$($doc),+],
            name: stringify!($name),
            dummies: &[$((stringify!($argument), <$type as $crate::prif::dummies::Dummy>::DECLARATION)),*],
            status: concat!($(stringify!($status))?),
        }),+];
    };
}

/// One procedure of [`procedures!`].
macro_rules! procedure {
    ([$($doc:tt)+] $kind:ident $usual:tt $name:ident [$($argument:ident: $type:ty),*] [] $body:block) => {
        $crate::prif::table::procedure! {
            @body [$($doc)+] $kind $usual $name [$($argument: $type),*] _ [] $body
        }
    };
    ([$($doc:tt)+] $kind:ident $usual:tt $name:ident [$($argument:ident: $type:ty),*] [$outcome:tt: stat] $body:block) => {
        $crate::prif::table::procedure! {
            @body [$($doc)+] $kind $usual $name [$($argument: $type),*] $outcome
            [stat: $crate::prif::table::Stat<'_>] $body
        }
    };
    ([$($doc:tt)+] $kind:ident $usual:tt $name:ident [$($argument:ident: $type:ty),*] [$outcome:tt: statement] $body:block) => {
        $crate::prif::table::procedure! {
            @body [$($doc)+] $kind $usual $name [$($argument: $type),*] $outcome
            [
                stat: $crate::prif::table::Stat<'_>,
                errmsg: $crate::prif::table::ErrMsg<'_>,
                errmsg_alloc: $crate::prif::table::ErrMsgAlloc<'_>
            ] $body
        }
    };

    (@body [$($doc:tt)+] $kind:ident $usual:tt $name:ident [$($argument:ident: $type:ty),*] $outcome:tt
        [$($status:ident: $status_type:ty),*] $body:block) => {
        $crate::prif::table::inlined! {
            $($doc)+
            #[allow(clippy::too_many_arguments, reason = "PRIF says which arguments there are")]
            $kind fn $name($outcome: &$crate::prif::outcome::Outcome<'_>, $($argument: $type),*) -> xmp_core::Result<()> $body
        }

        $crate::prif::table::exports! {
            $kind $usual $name [$($argument: $type),*] [$($status: $status_type),*]
        }
    };
}

/// The body of a procedure as a function, with what its kind does before it.
macro_rules! inlined {
    ($(#[$attribute:meta])* fast $($function:tt)+) => { $(#[$attribute])* #[inline(always)] $($function)+ };
    ($(#[$attribute:meta])* entered fn $name:ident($($parameters:tt)*) -> $result:ty $body:block) => {
        $(#[$attribute])*
        fn $name($($parameters)*) -> $result {
            let _entered = $crate::process::enter();
            $body
        }
    };
    ($(#[$attribute:meta])* plain $($function:tt)+) => { $crate::prif::table::inlined! { $(#[$attribute])* entered $($function)+ } };
    ($(#[$attribute:meta])* external $($function:tt)+) => { $(#[$attribute])* $($function)+ };
    ($(#[$attribute:meta])* module $($function:tt)+) => { $(#[$attribute])* $($function)+ };
}

/// The exported functions of a procedure.
macro_rules! exports {
    (plain $usual:tt $name:ident $($rest:tt)+) => {
        $crate::prif::table::exports! { @one module concat!("prif_", stringify!($name)); $usual $name $($rest)+ }
    };
    (module $usual:tt $name:ident $($rest:tt)+) => {
        $crate::prif::table::exports! { @one module concat!("xmp_prif_", stringify!($name)); $usual $name $($rest)+ }
    };
    (external $usual:tt $name:ident $($rest:tt)+) => {
        $crate::prif::table::exports! { @one module concat!("xmp_prif_", stringify!($name), "_"); $usual $name $($rest)+ }
        $crate::prif::table::exports! { @one flang concat!("_QMprifPprif_", stringify!($name)); $usual $name $($rest)+ }
    };
    ($kind:ident $usual:tt $name:ident $($rest:tt)+) => {
        $crate::prif::table::exports! { @one module concat!("xmp_prif_", stringify!($name)); $usual $name $($rest)+ }
        $crate::prif::table::exports! { @one flang concat!("_QMprifPprif_", stringify!($name)); $usual $name $($rest)+ }
    };
    (@one $caller:ident $symbol:expr; [] $($rest:tt)+) => {
        const _: () = {
            $crate::prif::table::exports! { @function [#[unsafe(export_name = $symbol)]] exported $caller $($rest)+ }
        };
    };
    // The rest is a function of its own with the same parameters: a jump, before which nothing is saved.
    (@one $caller:ident $symbol:expr; [$usual:ident] $name:ident
        [$($argument:ident: $type:ty),*] [$($status:ident: $status_type:ty),*]) => {
        const _: () = {
            #[unsafe(export_name = $symbol)]
            #[allow(clippy::too_many_arguments, reason = "PRIF says which arguments there are")]
            extern "C" fn exported($($argument: $type,)* $($status: $status_type),*) {
                if self::$usual($($crate::prif::table::argument!($caller $argument)),*) {
                    $crate::prif::table::succeed!($($status),*);
                } else {
                    any($($argument,)* $($status),*);
                }
            }

            $crate::prif::table::exports! {
                @function [#[inline(never)]] any $caller $name
                [$($argument: $type),*] [$($status: $status_type),*]
            }
        };
    };
    (@function [$($attribute:tt)*] $function:ident $caller:ident $name:ident
        [$($argument:ident: $type:ty),*] [$($status:ident: $status_type:ty),*]) => {
        $($attribute)*
        #[allow(clippy::too_many_arguments, reason = "PRIF says which arguments there are")]
        extern "C" fn $function($($argument: $type,)* $($status: $status_type),*) {
            let outcome = $crate::prif::outcome::Outcome::of(concat!("prif_", stringify!($name)))
                $(.$status($status))*;
            let result = self::$name(&outcome, $($crate::prif::table::argument!($caller $argument)),*);
            outcome.deliver(result);
        }
    };
}

/// Success of a call with these arguments for the outcome.
macro_rules! succeed {
    ($stat:ident $(, $message:ident)*) => {
        if let Some(stat) = $stat {
            stat.set($crate::prif::outcome::stat::OK);
        }
    };
}

/// An argument as its caller passes it.
macro_rules! argument {
    (module $argument:ident) => {
        $argument
    };
    (flang $argument:ident) => {
        $crate::prif::dummies::Dummy::of_flang($argument)
    };
}

pub(in crate::prif) use {argument, exports, inlined, procedure, procedures, succeed};

/// `stat`.
pub type Stat<'a> = Option<&'a Cell<c_int>>;
/// `errmsg`.
pub type ErrMsg<'a> = Option<&'a Text>;
/// `errmsg_alloc`.
pub type ErrMsgAlloc<'a> = Option<&'a AllocatableText>;

/// A row of the table.
#[cfg(test)]
#[derive(Debug)]
pub struct Row {
    /// The lines of its documentation.
    pub doc: &'static [&'static str],
    /// Its name, without `prif_`.
    pub name: &'static str,
    /// Its dummy arguments but those for the outcome.
    pub dummies: &'static [(&'static str, super::dummies::Declaration)],
    /// Which arguments for the outcome it has: none, `stat` or `statement`.
    pub status: &'static str,
}
