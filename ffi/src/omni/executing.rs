//! The executing nodes: the descriptor that stands for the executing set, and the entry and exit of tasks.

use super::coarray;
use super::error::{Outcome, Wrong};
use super::objects::{NodeSet, Object};
use crate::process::{Instance, OfImage};
use std::cell::RefCell;
use std::rc::Rc;
use xmp_core::global::{Kind, Nodes, Order};

/// The descriptors of the sets that were entered, innermost last.
static ENTRIES: OfImage<RefCell<Vec<Entry>>> = OfImage::new(RefCell::new(Vec::new()));

#[derive(Debug)]
struct Entry {
    /// Of the frame of the image's stack.
    serial: u64,
    /// Entered by this front end: to be left by it.
    task: bool,
    nodes: Rc<Object<NodeSet>>,
}

/// The descriptor of the executing nodes.
pub fn nodes(instance: &Instance) -> Rc<Object<NodeSet>> {
    let image = &instance.image;
    let top = image.stack().top();
    let mut entries = ENTRIES.of(instance).borrow_mut();
    forget_left(instance, &mut entries);
    match entries.last() {
        Some(entry) if entry.serial == top.serial() => entry.nodes.clone(),
        _ => {
            // Entered through another front end.
            let kind = if top.serial() == 0 { Kind::Entire } else { Kind::Executing };
            let row = Nodes::row(top.set().members(), Order::Fortran, kind);
            let nodes = Object::new(NodeSet::new(image, row));
            entries.push(Entry { serial: top.serial(), task: false, nodes: nodes.clone() });
            nodes
        }
    }
}

/// Drops entries of sets that were left since, through another front end.
fn forget_left(instance: &Instance, entries: &mut Vec<Entry>) {
    let frames = instance.image.stack().frames();
    let is_there = |entry: &Entry| frames.iter().rev().any(|frame| frame.serial() == entry.serial);
    while entries.last().is_some_and(|entry| !is_there(entry)) {
        entries.pop();
    }
}

/// Start of a task: makes the nodes the executing ones, if this image is one of them. Communicates nothing.
///
/// # Errors
/// When a node is not in the executing set.
#[inline]
pub fn enter(instance: &Instance, nodes: Rc<Object<NodeSet>>) -> Outcome<bool> {
    let image = &instance.image;
    image.threads().only_one()?;
    let Some(set) = nodes.set(image)? else { return Ok(false) };
    let mut entries = ENTRIES.of(instance).borrow_mut();
    // Each entry is of a frame of its own.
    if entries.len() > image.stack().depth() {
        forget_left(instance, &mut entries);
    }
    let serial = image.enter_task(&set);
    entries.push(Entry { serial, task: true, nodes });
    Ok(true)
}

/// End of a task. Communicates nothing.
///
/// # Errors
/// When the innermost set that was entered is no task, and when a coarray was left allocated.
#[inline]
pub fn leave(instance: &Instance) -> Outcome {
    let image = &instance.image;
    image.threads().only_one()?;
    let mut entries = ENTRIES.of(instance).borrow_mut();
    let serial = image.stack().entry();
    if entries.last().is_some_and(|entry| entry.task && entry.serial == serial)
        && !coarray::is_used(instance)
        && image.leave_unchanged_task()
    {
        entries.pop();
        return Ok(());
    }
    leave_changed(instance, &mut entries)
}

/// The end of a task in which a symmetric heap has changed, or with coarrays.
#[inline(never)]
fn leave_changed(instance: &Instance, entries: &mut Vec<Entry>) -> Outcome {
    let image = &instance.image;
    forget_left(instance, entries);
    let serial = image.stack().entry();
    if !entries.last().is_some_and(|entry| entry.task && entry.serial == serial) {
        return Err(Wrong::because("no task was entered, or another set was entered in it"));
    }
    coarray::leaving(instance)?;
    if image.memory().has_allocated() {
        let why = "a coarray that was allocated in the task is still allocated at its end";
        return Err(Wrong::because(why));
    }
    entries.pop();
    image.leave();
    coarray::left(instance);
    Ok(())
}
