//! Tasks: parts of a program that some nodes execute alone.

use super::{ObjectHandle, nodes_of};
use crate::c::outcome::{not_null, outcome};
use crate::process::instance;
use std::cell::RefCell;
use std::ffi::c_int;
use xmp_collectives::global;
use xmp_core::{Error, Result};

/// The sets that were entered by tasks of this front end, innermost last, by the serials of their frames.
pub type Tasks = RefCell<Vec<u64>>;

/// Enters a task.
///
/// # Safety
/// `executes` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_task_begin(nodes: ObjectHandle, executes: *mut c_int) -> c_int {
    let attempt = || -> Result<()> {
        let image = &instance().image;
        image.threads().only_one()?;
        let nodes = nodes_of(nodes)?;
        not_null(executes, "executes")?;
        let set = global::set_of(image, &nodes)?;
        // SAFETY: the caller's guarantee.
        unsafe { *executes = c_int::from(set.is_some()) };
        if let Some(set) = set {
            image.enter(set, None, None);
            instance().c.global.tasks.borrow_mut().push(image.stack().top().serial());
        }
        Ok(())
    };
    outcome("xmprt_task_begin", attempt)
}

/// Leaves a task.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_task_end() -> c_int {
    let attempt = || -> Result<()> {
        let image = &instance().image;
        image.threads().only_one()?;
        let mut tasks = instance().c.global.tasks.borrow_mut();
        if tasks.last() != Some(&image.stack().top().serial()) {
            let text = "no task was entered, or a team that was entered in it was not left";
            return Err(Error::Invalid(text.into()));
        }
        if image.memory().has_allocated() {
            let text = "memory that images share was allocated in the task and not freed";
            return Err(Error::Invalid(text.into()));
        }
        tasks.pop();
        image.leave();
        Ok(())
    };
    outcome("xmprt_task_end", attempt)
}
