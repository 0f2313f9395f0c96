//! Loads and stores of the program itself, where races are looked for. A program compiled with `--check=races` has hooks for them
//! (`ffi/races`), which are found by name.

use super::end;
use super::front_end::{self, Selector};
use super::instance::{Instance, created};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use xmp_core::launch::report;
use xmp_core::race::Race;
use xmp_core::races::hooks::{Entry, Hooks, SYMBOL, VERSION};
use xmp_core::races::{Bytes, Kind, Site};
use xmp_core::{Error, Rank};
use xmp_source::{Modules, Statement};

/// The hooks of this program.
static HOOKS: OnceLock<&'static Hooks> = OnceLock::new();

/// Has the hooks enter accesses, if races are looked for. Says so once where there are no hooks.
pub(super) fn attach(instance: &'static Instance) {
    let Some(races) = instance.image.races() else { return };
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
    let bytes = Bytes { of, offset, len: len as u64 };
    let site = Site::from_number(site);
    if let Err(Error::Race(race)) = races.access(site, bytes, kind) {
        found(instance, &race, writes, races.callers(site));
    }
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

/// Ends the job: an access at this site is part of a race.
#[cold]
fn found(instance: &Instance, race: &Race, writes: bool, callers: Vec<usize>) -> ! {
    // What runs at the end of the process has hooks, too.
    if let Some(hooks) = HOOKS.get() {
        (hooks.end)();
    }
    end::announce_error();
    let statement = Modules::of_this_process().ok().and_then(|modules| {
        let (statement, _) = Statement::of_thread(&modules, &callers);
        statement
    });
    let name = |selector| front_end::name_of(instance, race.of, race.offset, selector);
    let object = name(Selector::Image);
    let is_own = race.of == instance.image.rank();
    let own = if is_own { name(Selector::None) } else { object.clone() };
    let own = own.unwrap_or_else(|| format!("memory of {}", race.of));
    let operation = format!("{} {own}", if writes { "write to" } else { "read of" });
    end::race_found(instance, statement, &operation, &Error::Race(Race { object, ..race.clone() }))
}
