//! Races, where they are looked for (`XMP_CHECK=races`): loads and stores of the program itself, reports, and their number at the
//! end. A program compiled with `--check=races` has hooks for its loads and stores (`ffi/races`), which are found by name.
//!
//! | module | subject |
//! |---|---|
//! | `found` | the report of a race |
//! | `cure` | which statements an image control statement is missing between |
//! | `ignore` | races that the user does not want to see |
//! | `sarif` | the file for editors |
//! | `summary` | the end of the job |

mod cure;
mod found;
mod ignore;
mod sarif;
mod summary;

use super::end::is_running_image;
use super::instance::{Instance, created};
use ignore::Ignored;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use xmp_core::launch::report;
use xmp_core::races::hooks::{Entry, Hooks, SYMBOL, VERSION};
use xmp_core::races::{Bytes, Kind, Site};
use xmp_core::{Image, Rank};

/// The hooks of this program.
static HOOKS: OnceLock<&'static Hooks> = OnceLock::new();

/// Has the hooks enter accesses, if races are looked for. Says so once where there are no hooks.
pub(super) fn attach(instance: &'static Instance) {
    let Some(races) = instance.image.races() else { return };
    races.set_report(found::found);
    if let Err(error) = Ignored::of_settings(instance.image.settings()) {
        super::die("XMP_RACES_IGNORE", error);
    }
    let Some(hooks) = find() else {
        if instance.image.rank() == Rank::new(0) {
            report(format_args!(
                "warning: XMP_CHECK=races sees coindexed accesses only: compile with `xmpfc --check=races` to have local \
                 ones (x = 1) checked, too"
            ));
        }
        return;
    };
    races.set_flush(|| {
        if let Some(hooks) = HOOKS.get() {
            (hooks.flush)();
        }
    });
    (hooks.attach)(Entry { enter, site, is_this_image });
    watch(instance, hooks);
}

/// The hooks of the program, if it has some of this version.
fn find() -> Option<&'static Hooks> {
    // SAFETY: looks up a name, a NUL-terminated literal.
    let hooks = unsafe { libc::dlsym(libc::RTLD_DEFAULT, SYMBOL.as_ptr()) }.cast::<Hooks>();
    // SAFETY: null, or the variable of this name in the library of hooks, which is not unloaded. Its first word is its version.
    let hooks = unsafe { hooks.as_ref() }.filter(|hooks| hooks.version == VERSION)?;
    Some(HOOKS.get_or_init(|| hooks))
}

/// From now on accesses to the memory that the images of this host share are of interest.
fn watch(instance: &Instance, hooks: &Hooks) {
    let region = instance.image.job().region();
    // Relaxed, here and below: hooks of this thread see it, those of other threads soon.
    hooks.filter.start.store(region.start().addr(), Ordering::Relaxed);
    hooks.filter.len.store(region.len(), Ordering::Relaxed);
}

/// Executes what calls functions of the program on the library's own account, on memory of any image: the operation of CO_REDUCE.
/// Their accesses are no accesses of the program.
pub fn while_library_calls_program<T>(execute: impl FnOnce() -> T) -> T {
    let Some(hooks) = HOOKS.get() else { return execute() };
    let len = hooks.filter.len.swap(0, Ordering::Relaxed);
    let outcome = execute();
    hooks.filter.len.store(len, Ordering::Relaxed);
    outcome
}

extern "C" fn enter(address: usize, len: usize, writes: bool, site: u16) {
    let Some(instance) = created() else { return };
    let Some(races) = instance.image.races() else { return };
    let Some((of, offset)) = instance.image.locate(std::ptr::without_provenance(address)) else {
        return;
    };
    let kind = if writes { Kind::Write } else { Kind::Read };
    races.access(Site::from_number(site), Bytes { of, offset, len: len as u64 }, kind);
}

extern "C" fn site(return_address: usize) -> u16 {
    let races = created().and_then(|instance| instance.image.races());
    // The call of the hook, which belongs to the statement, is before the address that it returns to.
    races.map_or(Site::UNKNOWN, |races| races.site(&[return_address.wrapping_sub(1)])).number()
}

extern "C" fn is_this_image(index: i32) -> bool {
    created().is_some_and(|instance| {
        let position = usize::try_from(index - 1).ok();
        let set = instance.image.executing();
        position.and_then(|position| set.rank_at(position)) == Some(instance.image.rank())
    })
}

/// This process ends: from now on nothing is entered. What runs at its end has hooks, too.
fn leave() {
    if let Some(hooks) = HOOKS.get() {
        (hooks.end)();
    }
}

/// The end of the program on this image: enters what is held back. The last image says how many races there are.
pub(super) fn end(instance: &Instance) {
    let Some(races) = instance.image.races().filter(|_| is_running_image(&instance.image)) else {
        return;
    };
    races.flush();
    summary::end(instance, races);
}

/// Enters what is held back.
pub(super) fn flush(image: &Image) {
    if let Some(races) = image.races() {
        races.flush();
    }
}
