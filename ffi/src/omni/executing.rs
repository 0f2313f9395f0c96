//! The executing nodes: the descriptor that stands for the executing set, and the entry and exit of tasks.

use super::coarray;
use super::entry::List;
use super::error::{Outcome, Wrong};
use super::objects::{Descriptor, NodeSet, Object};
use crate::process::{Instance, OfImage};
use std::cell::RefCell;
use std::rc::Rc;
use xmp_core::global::{Kind, Nodes, Order};
use xmp_core::image_set::ImageSet;

/// The descriptors of the sets that were entered.
static ENTRIES: OfImage<RefCell<Entries>> =
    OfImage::new(RefCell::new(Entries { all: Vec::new(), depth: 0 }));

/// Entries of sets, innermost last, and behind them those of the tasks that were left last: a loop around a task enters
/// the same set again and again, and only what differs is written then.
#[derive(Debug)]
struct Entries {
    all: Vec<Entry>,
    /// Number of entries of sets that were not left.
    depth: usize,
}

#[derive(Debug)]
struct Entry {
    /// Of the frame of the image's stack.
    serial: u64,
    nodes: Rc<Object<NodeSet>>,
    /// Entered by this front end: to be left by it.
    task: Option<Task>,
}

#[derive(Debug)]
struct Task {
    set: Rc<ImageSet>,
    /// Serial number of the frame that it was entered from.
    within: u64,
    reference: Option<Reference>,
}

/// A reference to nodes of one dimension, which means the nodes of a task.
#[derive(Debug)]
pub struct Reference {
    /// The nodes referred to. They are kept, so that no others have their address.
    of: Rc<Object<NodeSet>>,
    /// The subscript, as `c::reference` has it.
    subscript: [i64; 4],
}

impl Reference {
    /// The reference, if it has one dimension.
    ///
    /// # Errors
    /// When the descriptor is none of nodes, or there are no numbers.
    pub fn new(of: Descriptor, reference: &List<i64>) -> Outcome<Option<Reference>> {
        let of = of.shared::<NodeSet>()?;
        let subscript = reference.fixed(4 * of.nodes.shape().len())?.try_into();
        Ok(subscript.ok().map(|subscript| Reference { of, subscript }))
    }
}

impl Entries {
    fn last(&self) -> Option<&Entry> {
        self.all[..self.depth].last()
    }

    fn push(&mut self, entry: Entry) {
        self.all.truncate(self.depth);
        self.all.push(entry);
        self.depth += 1;
    }

    /// Drops entries of sets that were left since, through another front end.
    fn forget_left(&mut self, instance: &Instance) {
        let frames = instance.image.stack().frames();
        let is_there = |entry: &Entry| frames.iter().rev().any(|it| it.serial() == entry.serial);
        while self.last().is_some_and(|entry| !is_there(entry)) {
            self.depth -= 1;
        }
        self.all.truncate(self.depth);
    }
}

/// The descriptor of the executing nodes.
pub fn nodes(instance: &Instance) -> Rc<Object<NodeSet>> {
    let image = &instance.image;
    let top = image.stack().top();
    let mut entries = ENTRIES.of(instance).borrow_mut();
    match entries.last() {
        Some(entry) if entry.serial == top.serial() => entry.nodes.clone(),
        _ => {
            entries.forget_left(instance);
            // Entered through another front end.
            let kind = if top.serial() == 0 { Kind::Entire } else { Kind::Executing };
            let row = Nodes::row(top.set().members(), Order::Fortran, kind);
            let nodes = Object::new(NodeSet::new(image, row));
            entries.push(Entry { serial: top.serial(), nodes: nodes.clone(), task: None });
            nodes
        }
    }
}

/// Start of a task: makes the nodes the executing ones, if this image is one of them. Communicates nothing. With a
/// `reference` that means the nodes, [`enter_again`] enters the task again in few steps.
///
/// # Errors
/// When a node is not in the executing set.
pub fn enter(
    instance: &Instance,
    nodes: Rc<Object<NodeSet>>,
    reference: Option<Reference>,
) -> Outcome<bool> {
    let image = &instance.image;
    image.threads().only_one()?;
    let Some(set) = nodes.set(image)? else { return Ok(false) };
    let mut entries = ENTRIES.of(instance).borrow_mut();
    // Each entry is of a frame of its own.
    if entries.depth > image.stack().depth() {
        entries.forget_left(instance);
    }
    let within = image.stack().entry();
    let serial = image.enter_task(&set);
    entries.push(Entry { serial, nodes, task: Some(Task { set, within, reference }) });
    Ok(true)
}

/// Start of a task on the nodes that a reference means, if it is the task that was left last from the executing nodes.
/// Whether it is; otherwise nothing has happened, and [`enter`] does it.
#[inline(always)]
pub fn enter_again(instance: &Instance, of: Descriptor, reference: &List<i64>) -> bool {
    let image = &instance.image;
    let Entries { all, depth } = &mut *ENTRIES.of(instance).borrow_mut();
    let Some(entry) = all.get_mut(*depth) else { return false };
    let Some(task) = &entry.task else { return false };
    let Some(known) = &task.reference else { return false };
    if known.of.address() != of
        || task.within != image.stack().entry()
        || !reference.is(&known.subscript)
        || !image.threads().is_only_one()
    {
        return false;
    }
    let Some(serial) = image.enter_task_again(&task.set) else { return false };
    entry.serial = serial;
    *depth += 1;
    true
}

/// End of a task. Communicates nothing.
///
/// # Errors
/// When the innermost set that was entered is no task, and when a coarray was left allocated.
#[inline(always)]
pub fn leave(instance: &Instance) -> Outcome {
    let image = &instance.image;
    if image.threads().is_only_one() && !coarray::is_used(instance) {
        let mut entries = ENTRIES.of(instance).borrow_mut();
        let serial = image.stack().entry();
        if entries.last().is_some_and(|entry| entry.task.is_some() && entry.serial == serial)
            && image.leave_unchanged_task()
        {
            entries.depth -= 1;
            return Ok(());
        }
    }
    leave_changed(instance)
}

/// The end of a task in which a symmetric heap has changed, or with coarrays.
#[cold]
#[inline(never)]
fn leave_changed(instance: &Instance) -> Outcome {
    let image = &instance.image;
    image.threads().only_one()?;
    let mut entries = ENTRIES.of(instance).borrow_mut();
    entries.forget_left(instance);
    let serial = image.stack().entry();
    if !entries.last().is_some_and(|entry| entry.task.is_some() && entry.serial == serial) {
        return Err(Wrong::because("no task was entered, or another set was entered in it"));
    }
    coarray::leaving(instance)?;
    if image.memory().has_allocated() {
        let why = "a coarray that was allocated in the task is still allocated at its end";
        return Err(Wrong::because(why));
    }
    entries.depth -= 1;
    image.leave();
    coarray::left(instance);
    Ok(())
}
