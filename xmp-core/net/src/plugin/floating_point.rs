//! The floating-point environment of the program (ISO C 7.6), which MPI must not change: MPI libraries divide by zero
//! while they start, and STOP would report exceptions that are not the program's (Fortran 2018, 17.3).

use std::ffi::c_int;
use std::mem::MaybeUninit;

/// Room for an `fenv_t`: 32 bytes on x86-64, fewer on Arm.
#[repr(C, align(16))]
struct Environment([u8; 64]);

#[link(name = "m")]
unsafe extern "C" {
    /// Saves the environment, lowers all flags, and lets no exception trap.
    fn feholdexcept(environment: *mut Environment) -> c_int;
    /// Restores an environment.
    fn fesetenv(environment: *const Environment) -> c_int;
}

/// The environment that this thread had, which it gets back when this is dropped. Until then no exception traps.
pub struct SavedEnvironment(Option<MaybeUninit<Environment>>);

impl SavedEnvironment {
    /// Holds that of this thread.
    pub fn new() -> SavedEnvironment {
        let mut environment = MaybeUninit::uninit();
        // SAFETY: room for any `fenv_t`.
        let failed = unsafe { feholdexcept(environment.as_mut_ptr()) } != 0;
        SavedEnvironment((!failed).then_some(environment))
    }
}

impl Drop for SavedEnvironment {
    fn drop(&mut self) {
        if let Some(environment) = &self.0 {
            // SAFETY: `feholdexcept` has filled it.
            unsafe { fesetenv(environment.as_ptr()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    unsafe extern "C" {
        fn fetestexcept(exceptions: c_int) -> c_int;
    }

    /// All exceptions of both architectures, but for the inexact one.
    const EXCEPTIONS: c_int = 0xf;

    fn raised() -> c_int {
        // SAFETY: only reads the flags.
        unsafe { fetestexcept(EXCEPTIONS) }
    }

    #[test]
    fn exceptions_meanwhile_are_forgotten() {
        let before = raised();
        let saved = SavedEnvironment::new();
        assert!(black_box(black_box(1.0_f64) / black_box(0.0)).is_infinite());
        assert_ne!(raised(), 0);
        drop(saved);
        assert_eq!(raised(), before);
    }
}
