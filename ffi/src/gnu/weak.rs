//! Weak references to symbols that a program may lack.

/// The address of a symbol, which is null if the program has none of this name.
///
/// The reference is weak and made by the linkers. Nothing is looked up by name at run time, because a program that is
/// linked statically has no names then. (Neither does a weak reference pull a member out of an archive.)
macro_rules! weak {
    ($name:literal) => {{
        let address: *const std::ffi::c_void;
        // SAFETY: reads what the linkers have put into the global offset table: an address, or 0 for a weak
        // symbol that is nowhere defined. Nothing else changes.
        unsafe {
            std::arch::asm!(
                // Here and not in a `global_asm!`: it is to be in the object that has the reference.
                concat!(".weak ", $name),
                concat!("mov {}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                out(reg) address,
                options(pure, readonly, nostack, preserves_flags)
            );
        }
        address
    }};
}

pub(super) use weak;
