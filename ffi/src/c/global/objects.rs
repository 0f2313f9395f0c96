//! The table of node arrays, templates, distributed arrays and coarrays, by the handles that programs have. A handle of another kind of
//! object, or of none, is an error.

use crate::c::argument::place;
use crate::c::outcome::functions;
use crate::global::{ArrayObject, CoarrayObject, Described, NodeSet, Object, TemplateObject};
use crate::process::{Handles, OfImage, instance};
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use xmp_core::counted::counted;
use xmp_core::{Error, Result};

/// `xmprt_nodes`, `xmprt_template`, `xmprt_array`, `xmprt_object`: structures of one number, which are passed as it.
pub type ObjectHandle = i64;

/// The handle of no object.
pub const NONE: ObjectHandle = 0;

/// The most dimensions of any object (`XMPRT_MAX_DIMENSIONS`), which is the limit of arrays in Fortran.
pub const MAX_DIMENSIONS: usize = 15;

/// The objects of handles. There is one table, so that the handle of one kind is not taken for another.
#[derive(Clone, Debug)]
pub enum GlobalObject {
    Nodes(Rc<Object<NodeSet>>),
    Template(Rc<Object<TemplateObject>>),
    Array(Rc<Object<ArrayObject>>),
    Coarray(Rc<Object<CoarrayObject>>),
}

static OBJECTS: OfImage<RefCell<Handles<GlobalObject>>> =
    OfImage::new(RefCell::new(Handles::new()));

/// Keeps an object and gives its handle to the program. Messages call the place for the handle `name`.
///
/// # Errors
/// When there is no place; the errors of `make`.
pub fn give(
    handle: Option<&Cell<ObjectHandle>>,
    name: &str,
    make: impl FnOnce() -> Result<GlobalObject>,
) -> Result<()> {
    let handle = place(handle, name)?;
    // Made before the table is borrowed: that looks objects up.
    let made = make()?;
    handle.set(OBJECTS.of(instance()).borrow_mut().insert(made) as ObjectHandle);
    Ok(())
}

/// The object with a handle.
pub fn object(handle: ObjectHandle) -> Option<GlobalObject> {
    OBJECTS.of(instance()).borrow().get(handle as u64).cloned()
}

/// The error of a handle that is not a handle of `what`.
#[cold]
pub fn unknown(handle: ObjectHandle, what: &str) -> Error {
    Error::Invalid(format!("{handle:#x} is not {what}, or it was freed"))
}

/// The nodes with a handle.
pub fn nodes_of(handle: ObjectHandle) -> Result<Rc<Object<NodeSet>>> {
    match object(handle) {
        Some(GlobalObject::Nodes(nodes)) => Ok(nodes),
        _ => Err(unknown(handle, "an xmprt_nodes")),
    }
}

/// The template with a handle.
pub fn template_of(handle: ObjectHandle) -> Result<Rc<Object<TemplateObject>>> {
    match object(handle) {
        Some(GlobalObject::Template(template)) => Ok(template),
        _ => Err(unknown(handle, "an xmprt_template")),
    }
}

/// The array with a handle.
pub fn array_of(handle: ObjectHandle) -> Result<Rc<Object<ArrayObject>>> {
    match object(handle) {
        Some(GlobalObject::Array(array)) => Ok(array),
        _ => Err(unknown(handle, "an xmprt_array")),
    }
}

/// The coarray with a handle.
pub fn coarray_of(handle: ObjectHandle) -> Result<Rc<Object<CoarrayObject>>> {
    match object(handle) {
        Some(GlobalObject::Coarray(coarray)) => Ok(coarray),
        _ => Err(unknown(handle, "an xmprt_coarray")),
    }
}

/// The number of dimensions of a reference to an object.
pub fn dimensions_of(handle: ObjectHandle) -> usize {
    match object(handle) {
        Some(GlobalObject::Nodes(nodes)) => nodes.dimensions(),
        Some(GlobalObject::Template(template)) => template.dimensions(),
        _ => 0,
    }
}

/// A number of dimensions, as a program gives it.
///
/// # Errors
/// When it is not 1 to [`MAX_DIMENSIONS`].
pub fn dimensions(ndims: c_int) -> Result<usize> {
    let count = usize::try_from(ndims).ok().filter(|count| (1..=MAX_DIMENSIONS).contains(count));
    count.ok_or_else(|| {
        let given = counted(ndims, "dimension");
        Error::Invalid(format!("{given}, not 1 to {MAX_DIMENSIONS}"))
    })
}

/// A dimension of `count`, as a program gives it, counted from 0.
///
/// # Errors
/// When it is not less than `count`.
pub fn dimension(dim: c_int, count: usize) -> Result<usize> {
    let known = usize::try_from(dim).ok().filter(|&dim| dim < count);
    known.ok_or_else(|| Error::Invalid(format!("dimension {dim} of {count}, counted from 0")))
}

/// Gives an object up.
///
/// # Errors
/// When there is none with this handle.
pub fn free(handle: ObjectHandle) -> Result<()> {
    let removed = OBJECTS.of(instance()).borrow_mut().remove(handle as u64);
    removed.map(drop).ok_or_else(|| unknown(handle, "an object of the global view"))
}

functions! {
    /// Gives an object up.
    fn xmprt_global_free(handle: ObjectHandle) {
        free(handle)
    }
}

/// The descriptor by which the library of the language knows an object; null for none. It is good as long as the object.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_descriptor(handle: ObjectHandle) -> *mut c_void {
    let _entered = crate::process::enter();
    match object(handle) {
        Some(GlobalObject::Nodes(nodes)) => nodes.address().start(),
        Some(GlobalObject::Template(template)) => template.address().start(),
        Some(GlobalObject::Array(array)) => array.address().start(),
        Some(GlobalObject::Coarray(_)) | None => ptr::null_mut(),
    }
}
