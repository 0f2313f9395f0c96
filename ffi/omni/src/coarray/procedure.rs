//! Procedures: their coarrays are deallocated when they end, and their dummy arguments get descriptors.

use super::descriptor::{Handle, coarrays};
use super::objects;
use crate::coarray::objects::ResourceSet;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_ffi::process::{Handles, Instance, OfImage, instance};
use xmp_ffi::xmp::entry::{Memory, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// The procedures that allocate coarrays and have not ended.
static PROCEDURES: OfImage<RefCell<Handles<Rc<ResourceSet>>>> =
    OfImage::new(RefCell::new(Handles::new()));

for_fortran! {
    /// Start of a procedure that allocates coarrays. The tag stands for this instance of it.
    "start of procedure" fn xmpf_coarray_prolog_(tag: &Cell<u64>, len: c_int, name: Memory) {
        tag.set(start(instance(), name.text(len)));
        Ok(())
    }

    /// End of it.
    "end of procedure" fn xmpf_coarray_epilog_(tag: &Cell<u64>) {
        end(instance(), tag)
    }

    /// A descriptor for a dummy argument that is a coarray; null for one that is not allocated.
    "dummy argument" fn xmpf_coarray_find_descptr_(handle: &Cell<Handle>, address: Memory, len: c_int, name: Memory) {
        let instance = instance();
        let found = objects(instance).find(address.start());
        handle.set(found.map_or(Handle::NULL, |chunk| {
            let mut coarrays = coarrays(instance);
            let coarray = coarrays.renew(handle);
            coarray.allocated(chunk);
            *coarray.name.borrow_mut() = name.text(len);
            Handle::of(coarray)
        }));
        Ok(())
    }
}

/// A procedure starts; its tag, which is not 0.
pub fn start(instance: &Instance, name: String) -> u64 {
    PROCEDURES.of(instance).borrow_mut().insert(ResourceSet::new(name))
}

/// A procedure ends. Nothing happens for the tag 0, which is what the tag becomes.
///
/// # Errors
/// For a tag that is none, and when a coarray of the procedure cannot be deallocated.
pub fn end(instance: &Instance, tag: &Cell<u64>) -> Outcome {
    let Some(set) = of_tag(instance, tag.get())? else { return Ok(()) };
    PROCEDURES.of(instance).borrow_mut().remove(tag.get());
    tag.set(0);
    let closed = objects(instance).close(&instance.image, &set);
    closed.map_err(|error| DirectiveError::because(format!("{}: {error}", set.name())))
}

/// The procedure of a tag; `None` for 0.
///
/// # Errors
/// For a tag that is none.
pub fn of_tag(instance: &Instance, tag: u64) -> Outcome<Option<Rc<ResourceSet>>> {
    if tag == 0 {
        return Ok(None);
    }
    match PROCEDURES.of(instance).borrow().get(tag) {
        Some(set) => Ok(Some(set.clone())),
        None => Err(DirectiveError::because(format!("{tag:#x} is not the tag of a procedure"))),
    }
}
