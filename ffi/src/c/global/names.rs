//! The names that programs have for distributed arrays and coarrays, for reports of races. They are kept only where races are looked for.

use super::objects::{GlobalObject, ObjectHandle, object};
use crate::c::outcome::{functions, text};
use crate::process::{self, FrontEnd, Instance, OfImage, Selector, instance};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_char;
use xmp_core::global::Order;
use xmp_core::language::Language;
use xmp_core::{Rank, Result};

static NAMES: OfImage<RefCell<BTreeMap<ObjectHandle, String>>> =
    OfImage::new(RefCell::new(BTreeMap::new()));

/// The handlers of this front end for events of the job.
static FRONT_END: FrontEnd =
    FrontEnd { name_of, start_of, language: Language::Xmp, ..FrontEnd::IDLE };

/// Keeps the name of an object.
///
/// # Errors
/// Those of the start of the front end.
pub fn keep(handle: ObjectHandle, name: impl FnOnce() -> String) -> Result<()> {
    let instance = instance();
    if instance.image.races().is_some() {
        process::register(&FRONT_END)?;
        NAMES.of(instance).borrow_mut().insert(handle, name());
    }
    Ok(())
}

functions! {
    /// Keeps the name of an object.
    fn xmprt_object_name(handle: ObjectHandle, name: *const c_char) {
        keep(handle, || text(name))
    }
}

/// Calls `visit` with each object that has a name, until it has a value.
fn find<T>(
    instance: &Instance,
    mut visit: impl FnMut(&str, GlobalObject) -> Option<T>,
) -> Option<T> {
    let names = NAMES.of(instance).try_borrow().ok()?;
    names.iter().find_map(|(&handle, name)| visit(name, object(handle)?))
}

/// An element in the words of the program: `x[3][1] on image 2`, `a(4, 7)`.
#[cold]
fn name_of(instance: &Instance, of: Rank, offset: u64, selector: Selector) -> Option<String> {
    let image = &instance.image;
    find(instance, |name, object| {
        let subscripts = match object {
            GlobalObject::Coarray(coarray) => in_c(&coarray.index_at(offset)?),
            GlobalObject::Array(array) => {
                let index = array.index_at(image, of, offset)?;
                match array.order {
                    Order::C => in_c(&index),
                    Order::Fortran => {
                        let index: Vec<String> = index.iter().map(i64::to_string).collect();
                        format!("({})", index.join(", "))
                    }
                }
            }
            GlobalObject::Nodes(_) | GlobalObject::Template(_) => return None,
        };
        let image = match selector {
            Selector::Image => format!(" on {of}"),
            Selector::None => String::new(),
        };
        Some(format!("{name}{subscripts}{image}"))
    })
}

/// Subscripts in C.
fn in_c(index: &[i64]) -> String {
    index.iter().map(|index| format!("[{index}]")).collect()
}

#[cold]
fn start_of(instance: &Instance, offset: u64) -> Option<u64> {
    let image = &instance.image;
    find(instance, |_, object| match object {
        GlobalObject::Coarray(coarray) => coarray.index_at(offset).map(|_| coarray.block.offset),
        GlobalObject::Array(array) => image.job().ranks().find_map(|of| {
            array.index_at(image, of, offset).and_then(|_| array.start_on(image, of))
        }),
        GlobalObject::Nodes(_) | GlobalObject::Template(_) => None,
    })
}
