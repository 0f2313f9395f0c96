//! Tasks: parts of a program that some nodes execute alone.

use super::objects::{NONE, ObjectHandle, dimensions_of};
use super::on::nodes_on;
use super::range::Range;
use crate::c::argument::{List, place};
use crate::c::outcome::{OK, outcome};
use crate::global::executing::{self, Reference};
use crate::process::instance;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::{Error, Result};

/// Enters a task.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_task_begin(
    on: ObjectHandle,
    at: List<i64>,
    executes: Option<&Cell<c_int>>,
) -> c_int {
    // SAFETY: the contract of entries: a range of each dimension, of three numbers, or null.
    let again = || unsafe { executing::enter_again(on as u64, at.start()) };
    if let Some(executes) = executes
        && again()
    {
        executes.set(1);
        return OK;
    }
    begin(on, at.cast(), executes)
}

#[inline(never)]
fn begin(on: ObjectHandle, at: List<Range>, executes: Option<&Cell<c_int>>) -> c_int {
    outcome("xmprt_task_begin", || {
        let instance = instance();
        instance.image.threads().only_one()?;
        let executes = place(executes, "executes")?;
        if on == NONE {
            return Err(Error::Invalid("a task is on nodes or on a template".into()));
        }
        executes.set(0);
        let Some(nodes) = nodes_on(instance, on, at)? else { return Ok(()) };
        nodes.subset(&instance.image)?;
        let ranges = if at.is_null() { &[][..] } else { at.of("at", dimensions_of(on))? };
        let subscripts = ranges.iter().flat_map(|range| range.numbers()).collect();
        let reference = Reference { of: on as u64, subscripts, _kept: None };
        executes.set(executing::enter(instance, nodes, Some(reference))?.into());
        Ok(())
    })
}

/// Leaves a task.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_task_end() -> c_int {
    if executing::leave_unchanged() { OK } else { end() }
}

#[inline(never)]
fn end() -> c_int {
    outcome("xmprt_task_end", || -> Result<()> { Ok(executing::leave(instance())?) })
}
