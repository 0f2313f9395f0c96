//! Weak references to symbols that a program may lack: a C program need not have libgfortran, and a version of it need
//! not have every function. (Where libgfortran is an archive, `xmpfc` asks for the members.)
//!
//! A reference is weak and made by the linkers. Nothing is looked up by name at run time, because a program that is
//! linked statically has no names then. (Neither does a weak reference pull a member out of an archive.)

/// The address of a symbol, which is null if the program has none of this name.
macro_rules! weak {
    ($name:literal) => {{
        let address: *const std::ffi::c_void;
        // SAFETY: reads what the linkers have put into the global offset table: an address, or 0 for a weak
        // symbol that is nowhere defined. Nothing else changes.
        unsafe {
            std::arch::asm!(
                // Here and not in a `global_asm!`: it is to be in the object that has the reference.
                concat!(".weak ", $name),
                $crate::arch::load_from_got!($name),
                out(reg) address,
                options(pure, readonly, nostack, preserves_flags)
            );
        }
        address
    }};
}

/// Declares functions that return a function of the program or its libraries, or `None` if there is none of this name.
/// The type is that of the function of this name in all its versions.
macro_rules! weak_functions {
    ($($(#[$doc:meta])* fn $name:ident() = $symbol:literal: $type:ty;)+) => {$(
        $(#[$doc])*
        pub fn $name() -> Option<$type> {
            let address = $crate::gnu::weak::weak!($symbol);
            // SAFETY: null is `None`; the symbol is a function of this type, as the declaration says.
            unsafe { std::mem::transmute::<*const std::ffi::c_void, Option<$type>>(address) }
        }
    )+};
}

pub(super) use {weak, weak_functions};
