//! The hooks that a program compiled with `--check=races` has for its loads and stores.

use std::sync::OnceLock;
use xmp_core::race_hooks::{Hooks, SYMBOL, VERSION};

/// The hooks of this program.
static HOOKS: OnceLock<&'static Hooks> = OnceLock::new();

/// Those that were found.
pub(super) fn get() -> Option<&'static Hooks> {
    HOOKS.get().copied()
}

/// The hooks of the program, if it has some of this version.
pub(super) fn find() -> Option<&'static Hooks> {
    // SAFETY: looks up a name, a NUL-terminated literal.
    let hooks = unsafe { libc::dlsym(libc::RTLD_DEFAULT, SYMBOL.as_ptr()) }.cast::<Hooks>();
    // SAFETY: null, or the variable of this name in the library of hooks, which is not unloaded. Its first word is its version.
    let hooks = unsafe { hooks.as_ref() }.filter(|hooks| hooks.version == VERSION)?;
    Some(HOOKS.get_or_init(|| hooks))
}

/// Has these hooks serve as those of the program.
#[cfg(test)]
pub(super) fn use_these(hooks: &'static Hooks) {
    HOOKS.get_or_init(|| hooks);
}

/// This process ends: from now on nothing is entered. What runs at its end has hooks, too.
pub(super) fn leave() {
    if let Some(hooks) = get() {
        (hooks.end)();
    }
}
