//! Tasks: parts of a program that some nodes execute alone.

use super::objects::{ObjectHandle, nodes_of};
use crate::c::argument::place;
use crate::c::outcome::functions;
use crate::process::{OfImage, instance};
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use xmp_collectives::global;
use xmp_core::Error;

/// The sets that were entered by tasks of this front end, innermost last, by the serials of their frames.
static TASKS: OfImage<RefCell<Vec<u64>>> = OfImage::new(RefCell::new(Vec::new()));

functions! {
    /// Enters a task.
    fn xmprt_task_begin(nodes: ObjectHandle, executes: Option<&Cell<c_int>>) {
        let image = &instance().image;
        image.threads().only_one()?;
        let nodes = nodes_of(nodes)?;
        let executes = place(executes, "executes")?;
        let set = global::set_of(image, &nodes)?;
        executes.set(set.is_some().into());
        if let Some(set) = set {
            image.enter_task(&set);
            TASKS.of(instance()).borrow_mut().push(image.stack().top().serial());
        }
        Ok(())
    }

    /// Leaves a task.
    fn xmprt_task_end() {
        let image = &instance().image;
        image.threads().only_one()?;
        let mut tasks = TASKS.of(instance()).borrow_mut();
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
    }
}
