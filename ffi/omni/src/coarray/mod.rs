//! Coarray Fortran as the Omni compiler translates it: every statement and intrinsic procedure with a coarray is a
//! call of one of these. Read `README.md` beside this file.

#[macro_use]
mod kinds;
mod allocate;
mod arrays;
mod assignment;
mod atomic;
mod cobounds;
mod collective;
mod control;
mod critical;
mod descriptor;
mod fast_path;
pub mod images;
mod inquiry;
mod lock;
mod objects;
mod procedure;
mod reference;
mod statics;
mod sync;
mod transfer;
mod xmpco;

use self::objects::{Method, Objects};
use descriptor::coarrays;
use std::cell::{RefCell, RefMut};
use std::ops::Range;
use xmp_core::Result;
use xmp_core::language::Language;
use xmp_ffi::global::executing::{Coarrays, note_coarrays};
use xmp_ffi::process::{self, FrontEnd, Instance, OfImage};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// The memory of coarrays; made at its first use.
static OBJECTS: OfImage<RefCell<Option<Objects>>> = OfImage::new(RefCell::new(None));

/// What this front end does at events of the job.
static FRONT_END: FrontEnd = FrontEnd { released, language: Language::Xmp, ..FrontEnd::IDLE };

/// The memory of coarrays.
fn objects(instance: &Instance) -> RefMut<'static, Objects> {
    let new = || {
        process::register(&FRONT_END).expect("it has nothing to start");
        note_coarrays(instance, &COARRAYS);
        let settings = &instance.image.settings().objects;
        let method = if settings.allocation { Method::Allocation } else { Method::Sharing };
        Objects::new(method, settings.threshold)
    };
    RefMut::map(OBJECTS.of(instance).borrow_mut(), |objects| objects.get_or_insert_with(new))
}

/// What this front end does at the ends of tasks.
static COARRAYS: Coarrays = Coarrays { leaving, left };

/// A task region is about to end: nothing that was allocated in it may be left. (XcalableMP 1.3, section 4.2.1)
///
/// # Errors
/// When something is, by name.
fn leaving(instance: &Instance) -> Outcome {
    let left = objects(instance).allocated_in_executing_set(&instance.image);
    let coarrays = coarrays(instance);
    let names: Vec<String> = left.iter().map(|chunk| coarrays.name_of(chunk)).collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(DirectiveError::because(format!(
        "{} allocated in the task {} still allocated at its end",
        names.join(", "),
        if names.len() == 1 { "is" } else { "are" }
    )))
}

/// A task was left, in which nothing is allocated: coarrays that were registered in it are gone.
fn left(instance: &Instance) {
    if let Some(objects) = &mut *OBJECTS.of(instance).borrow_mut() {
        objects.released(&instance.image, &[]);
    }
}

/// A set was left, and with it these blocks of the segment were freed: coarrays in them are gone.
fn released(instance: &Instance, blocks: &[Range<u64>]) -> Result<()> {
    objects(instance).released(&instance.image, blocks);
    Ok(())
}
