//! The global view of the C front end: what `include/xmprt_global.h` declares. The mappings are those of
//! `xmp_core::global`, the operations those of `xmp_collectives::global`; here are handles and checks.

mod array;
mod asynchronous;
mod moves;
mod nodes;
mod on;
mod onesided;
mod range;
mod schedule;
mod task;
mod template;

use super::argument::place;
use super::outcome::functions;
use crate::process::{Handles, instance};
use array::Distributed;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Nodes, Template};
use xmp_core::{Error, Result};

/// `xmprt_nodes`, `xmprt_template`, `xmprt_array`.
type ObjectHandle = i64;

/// Most dimensions of anything (`XMPRT_MAX_DIMENSIONS`): those of arrays in Fortran.
const MAX_DIMENSIONS: usize = 15;

/// What this front end remembers of the global view.
#[derive(Debug, Default)]
pub struct State {
    objects: RefCell<Handles<Object>>,
    tasks: task::Tasks,
    pending: asynchronous::Pending,
}

/// What handles stand for. One table for all, so that one kind is not taken for another.
#[derive(Clone, Debug)]
enum Object {
    Nodes(Rc<Nodes>),
    Template(Rc<RefCell<Template>>),
    Array(Rc<Distributed>),
}

/// Keeps an object and gives its handle to the program, whose place for it messages call `name`.
fn give(
    handle: Option<&Cell<ObjectHandle>>,
    name: &str,
    make: impl FnOnce() -> Result<Object>,
) -> Result<()> {
    let handle = place(handle, name)?;
    // Made before the table is borrowed: that looks objects up.
    let made = make()?;
    handle.set(instance().c.global.objects.borrow_mut().insert(made) as ObjectHandle);
    Ok(())
}

fn object(handle: ObjectHandle) -> Option<Object> {
    instance().c.global.objects.borrow().get(handle as u64).cloned()
}

fn unknown(handle: ObjectHandle, what: &str) -> Error {
    Error::Invalid(format!("{handle:#x} is not {what}, or it was freed"))
}

fn nodes_of(handle: ObjectHandle) -> Result<Rc<Nodes>> {
    match object(handle) {
        Some(Object::Nodes(nodes)) => Ok(nodes),
        _ => Err(unknown(handle, "an xmprt_nodes")),
    }
}

fn template_of(handle: ObjectHandle) -> Result<Rc<RefCell<Template>>> {
    match object(handle) {
        Some(Object::Template(template)) => Ok(template),
        _ => Err(unknown(handle, "an xmprt_template")),
    }
}

fn array_of(handle: ObjectHandle) -> Result<Rc<Distributed>> {
    match object(handle) {
        Some(Object::Array(array)) => Ok(array),
        _ => Err(unknown(handle, "an xmprt_array")),
    }
}

/// Number of dimensions, as a program gives it.
fn dimensions(ndims: c_int) -> Result<usize> {
    let count = usize::try_from(ndims).ok().filter(|count| (1..=MAX_DIMENSIONS).contains(count));
    count.ok_or_else(|| Error::Invalid(format!("{ndims} dimensions, not 1 to {MAX_DIMENSIONS}")))
}

/// A dimension of `count`, as a program gives it, from 0.
fn dimension(dim: c_int, count: usize) -> Result<usize> {
    let known = usize::try_from(dim).ok().filter(|&dim| dim < count);
    known.ok_or_else(|| Error::Invalid(format!("dimension {dim} of {count}, counted from 0")))
}

functions! {
    /// Gives an object up.
    fn xmprt_global_free(handle: ObjectHandle) {
        let removed = instance().c.global.objects.borrow_mut().remove(handle as u64);
        removed.map(drop).ok_or_else(|| unknown(handle, "an object of the global view"))
    }
}
