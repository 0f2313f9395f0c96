//! Races, where they are looked for (`XMP_CHECK=races`): loads and stores of the program itself, reports, and their number at the
//! end. A program compiled with `--check=races` has hooks for its loads and stores (`ffi/races`), which are found by name.
//!
//! | module | subject |
//! |---|---|
//! | `gathered` | accesses of functions that the library calls for a statement |
//! | `hooks` | the hooks of the program |

mod gathered;
mod hooks;

pub use gathered::{gather, gather_for_others, has_hooks};

use super::instance::{Instance, created};
use super::{end, front_end};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use xmp_core::Rank;
use xmp_core::launch::report;
use xmp_core::race_hooks::{Entry, Hooks};
use xmp_core::race_reports::{self, Program};
use xmp_core::races::{Bytes, Kind, Site};
use xmp_source::{compiled_without, compiled_without_plugin, functions_unknown};

/// The facts about the program that reports of races need.
static PROGRAM: Program = Program {
    member: || created().map(|instance| (&instance.image, &instance.exit)),
    start_of: |offset| front_end::start_of(created()?, offset),
    name_of: |of, offset, selector| front_end::name_of(created()?, of, offset, selector),
    leave: hooks::leave,
    end_with: end::end_with,
};

/// Has the hooks enter accesses, if races are looked for. Reports once that a program has no hooks.
pub(super) fn attach(instance: &'static Instance) {
    match race_reports::attach(&instance.image, &PROGRAM) {
        Ok(true) => {}
        Ok(false) => return,
        Err((setting, why)) => super::die(setting, why),
    }
    let Some(hooks) = hooks::find() else {
        if instance.image.rank() == Rank::new(0) {
            report(format_args!(
                "warning: XMP_CHECK=races sees coindexed accesses only: compile with `xmpfc --check=races` or \
                 `xmpcc --check=races` to have local ones (x = 1) checked, too"
            ));
        }
        return;
    };
    let Some(races) = instance.image.races() else { return };
    races.set_flush(|| {
        if let Some(hooks) = hooks::get() {
            (hooks.flush)();
        }
    });
    (hooks.attach)(Entry { enter, enter_atomic, site });
    watch(instance, hooks);
    if instance.image.rank() == Rank::new(0) {
        name_unseen();
    }
}

/// Reports the parts of the program that have no hooks.
#[cold]
fn name_unseen() {
    const OPTION: &str = "-fsanitize=thread";
    let without = in_words(&functions_unknown())
        .map(|names| format!("objects without debugging information, which have {names}"));
    let unseen: Vec<String> =
        [in_words(&compiled_without(OPTION)), without].into_iter().flatten().collect();
    if !unseen.is_empty() {
        let unseen = unseen.join(", and of ");
        report(format_args!(
            "warning: XMP_CHECK=races does not see loads and stores of {unseen}: compile with `xmpfc --check=races` or \
             `xmpcc --check=races` to have them checked, too"
        ));
    }
    if let Some(unseen) = in_words(&compiled_without_plugin(OPTION, "/races/plugin-")) {
        report(format_args!(
            "warning: XMP_CHECK=races does not see all assignments of whole arrays and characters in {unseen}: XMP-RT has no \
             plug-in for the compiler: install its headers for plug-ins (Debian: gcc-12-plugin-dev), then XMP-RT again"
        ));
    }
}

/// Some names; `None` if there are none.
fn in_words(names: &BTreeSet<String>) -> Option<String> {
    /// Further names are counted only.
    const NAMED: usize = 8;
    let named: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let others = match names.len() - named.len() {
        0 => String::new(),
        number => format!(" and {number} others"),
    };
    (!named.is_empty()).then(|| format!("{}{others}", named.join(", ")))
}

/// From now on accesses to the memory that the images of this host share are of interest.
fn watch(instance: &Instance, hooks: &Hooks) {
    let region = instance.image.job().region();
    // Relaxed, here and below: hooks of this thread see it, those of other threads soon.
    hooks.filter.start.store(region.start().addr(), Ordering::Relaxed);
    hooks.filter.len.store(region.len(), Ordering::Relaxed);
}

/// Executes calls of functions of the program that the library makes on memory of any image, such as the operation of CO_REDUCE. The
/// accesses of these functions are no accesses of the program. Such calls may nest.
pub fn while_library_calls_program<T>(execute: impl FnOnce() -> T) -> T {
    let Some(hooks) = hooks::get() else { return execute() };
    // Relaxed, here and below: only this thread reads it.
    if hooks.filter.len.load(Ordering::Relaxed) == 0 {
        return execute();
    }
    // Places of the program look at their runs before the filter: without open runs they add nothing.
    (hooks.flush)();
    let _closed = ClosedFilter { hooks, len: hooks.filter.len.swap(0, Ordering::Relaxed) };
    execute()
}

/// No memory is of interest as long as this value exists, also where the program unwinds.
struct ClosedFilter {
    hooks: &'static Hooks,
    /// The number of bytes that are of interest afterwards.
    len: usize,
}

impl Drop for ClosedFilter {
    fn drop(&mut self) {
        self.hooks.filter.len.store(self.len, Ordering::Relaxed);
    }
}

/// The statement that this image executes has defined these bytes of the program, which the library has stored to after an error.
#[cold]
pub fn defined(start: *const u8, len: usize) {
    if let Some(Instance { image, .. }) = created()
        && let (Some((of, offset)), Some(races)) = (image.locate(start), image.races())
    {
        races.access(races.this_site(), Bytes { of, offset, len: len as u64 }, Kind::Write);
    }
}

extern "C" fn enter(address: usize, len: usize, writes: bool, site: u16) {
    enter_kind(address, len, if writes { Kind::Write } else { Kind::Read }, site);
}

extern "C" fn enter_atomic(address: usize, len: usize, writes: bool, site: u16) {
    enter_kind(address, len, if writes { Kind::AtomicWrite } else { Kind::AtomicRead }, site);
}

fn enter_kind(address: usize, len: usize, kind: Kind, site: u16) {
    let Some(instance) = created() else { return };
    let image = &instance.image;
    if let Some((of, offset)) = image.locate(std::ptr::without_provenance(address))
        && let Some(races) = image.races()
    {
        races.access(Site::from_number(site), Bytes { of, offset, len: len as u64 }, kind);
    }
}

extern "C" fn site(return_address: usize) -> u16 {
    let races = created().and_then(|instance| instance.image.races());
    // The call of the hook, which belongs to the statement, is before the address that it returns to.
    races.map_or(Site::UNKNOWN, |races| races.site(&[return_address.wrapping_sub(1)])).number()
}
