//! The executing nodes: the descriptor of the executing set, and the entry and exit of tasks.

use super::error::{DirectiveError, Outcome};
use super::nodes::NodeSet;
use super::objects::{Descriptor, Object};
use crate::process::{Instance, OfImage, current};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use xmp_core::global::{Kind, Nodes, Order};
use xmp_core::image_set::{ImageSet, Stack};

/// The descriptors of the sets that were entered.
static ENTRIES: OfImage<Entries> =
    OfImage::new(Entries { all: RefCell::new(Vec::new()), depth: Cell::new(0) });

/// Entries of sets, innermost last, and after them the entries of the tasks that were left last: a loop around a task
/// enters the same set again and again, and only differences are written then.
#[derive(Debug)]
struct Entries {
    all: RefCell<Vec<Entry>>,
    /// Number of entries of sets that were not left.
    depth: Cell<usize>,
}

#[derive(Debug)]
struct Entry {
    /// Of the frame of the image's stack.
    serial: Cell<u64>,
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

/// The reference by which a task was entered. It means the same nodes as long as it is kept.
#[derive(Debug)]
pub struct Reference {
    /// The object referred to: the address of its descriptor, or its handle.
    pub of: u64,
    /// The subscripts, as the program writes them.
    pub subscripts: Box<[i64]>,
    /// The object, if it is known by its address, so that no other gets that.
    pub _kept: Option<Rc<Object<NodeSet>>>,
}

/// The handlers, at the ends of tasks, of a front end with coarrays of its own.
#[derive(Debug)]
pub struct Coarrays {
    /// A task is about to end: whether nothing that was allocated in it is left.
    pub leaving: fn(&Instance) -> Outcome,
    /// A task was left.
    pub left: fn(&Instance),
}

/// The front end whose coarrays the program has.
static COARRAYS: OfImage<Cell<Option<&'static Coarrays>>> = OfImage::new(Cell::new(None));

/// The program has coarrays of a front end from now on.
pub fn note_coarrays(instance: &Instance, coarrays: &'static Coarrays) {
    COARRAYS.of(instance).set(Some(coarrays));
}

impl Entries {
    /// The result of `of` for the innermost set that was entered and not left.
    #[inline(always)]
    fn innermost<T>(&self, of: impl FnOnce(&Entry) -> T) -> Option<T> {
        self.all.borrow()[..self.depth.get()].last().map(of)
    }

    /// Whether the innermost set belongs to a task, and is the executing one.
    #[inline(always)]
    fn is_in_task(&self, stack: &Stack) -> bool {
        let is_it = |entry: &Entry| entry.task.is_some() && entry.serial.get() == stack.entry();
        self.innermost(is_it).unwrap_or(false)
    }

    fn push(&self, entry: Entry) {
        let mut all = self.all.borrow_mut();
        all.truncate(self.depth.get());
        all.push(entry);
        self.depth.set(all.len());
    }

    /// Drops entries of sets that were left since, through another front end.
    fn forget_left(&self, stack: &Stack) {
        let frames = stack.frames();
        let is_there =
            |entry: &Entry| frames.iter().rev().any(|it| it.serial() == entry.serial.get());
        while self.innermost(is_there) == Some(false) {
            self.depth.set(self.depth.get() - 1);
        }
        self.all.borrow_mut().truncate(self.depth.get());
    }
}

/// The descriptor of the executing nodes.
pub fn nodes(instance: &Instance) -> Rc<Object<NodeSet>> {
    let image = &instance.image;
    let top = image.stack().top();
    let entries = ENTRIES.of(instance);
    let known = |entry: &Entry| (entry.serial.get() == top.serial()).then(|| entry.nodes.clone());
    if let Some(nodes) = entries.innermost(known).flatten() {
        return nodes;
    }
    entries.forget_left(image.stack());
    // Entered through another front end.
    let kind = if top.serial() == 0 { Kind::Entire } else { Kind::Executing };
    let row = Nodes::row(top.set().members(), Order::Fortran, kind);
    let nodes = Object::new(NodeSet::new(image, row));
    entries.push(Entry { serial: top.serial().into(), nodes: nodes.clone(), task: None });
    nodes
}

/// The descriptor of the executing nodes, outside of the image's lock, if it is known and no other thread has ever
/// entered; [`nodes`] finds it otherwise.
#[inline(always)]
pub fn known_nodes() -> Option<Descriptor> {
    let instance = current()?;
    let image = &instance.image;
    let _alone = image.threads().enter_alone()?;
    let is_it = |entry: &Entry| entry.serial.get() == image.stack().entry();
    ENTRIES.of(instance).innermost(|entry| is_it(entry).then(|| entry.nodes.address())).flatten()
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
    let entries = ENTRIES.of(instance);
    // Each entry is of a frame of its own.
    if entries.depth.get() > image.stack().depth() {
        entries.forget_left(image.stack());
    }
    let within = image.stack().entry();
    let serial = image.enter_task(&set).into();
    entries.push(Entry { serial, nodes, task: Some(Task { set, within, reference }) });
    Ok(true)
}

/// Start of a task on the nodes that a reference means, outside of the image's lock, if it is the task that was left last
/// from the executing nodes and no other thread has ever entered. Whether it is; otherwise nothing has happened, and
/// [`enter`] does it.
///
/// # Safety
/// `subscripts` is null where the reference has none, and else has as many numbers as a reference to the object.
#[inline(always)]
pub unsafe fn enter_again(of: u64, subscripts: *const i64) -> bool {
    let Some(instance) = current() else { return false };
    let image = &instance.image;
    let Some(_alone) = image.threads().enter_alone() else { return false };
    let entries = ENTRIES.of(instance);
    let all = entries.all.borrow();
    let depth = entries.depth.get();
    let Some(entry) = all.get(depth) else { return false };
    let Some(task) = &entry.task else { return false };
    let Some(known) = &task.reference else { return false };
    if known.of != of
        || task.within != image.stack().entry()
        || known.subscripts.is_empty() != subscripts.is_null()
    {
        return false;
    }
    for (place, number) in known.subscripts.iter().enumerate() {
        // SAFETY: the reference is one to the same object, and has as many subscripts.
        if *number != unsafe { *subscripts.add(place) } {
            return false;
        }
    }
    let Some(serial) = image.enter_task_again(&task.set) else { return false };
    entry.serial.set(serial);
    entries.depth.set(depth + 1);
    true
}

/// End of a task, outside of the image's lock, if no symmetric heap has changed in it, the program has no coarrays, and
/// no other thread has ever entered. Whether it is; otherwise nothing has happened, and [`leave`] does it. Communicates
/// nothing.
#[inline(always)]
pub fn leave_unchanged() -> bool {
    let Some(instance) = current() else { return false };
    let image = &instance.image;
    let Some(_alone) = image.threads().enter_alone() else { return false };
    let entries = ENTRIES.of(instance);
    let left = entries.is_in_task(image.stack())
        && COARRAYS.of(instance).get().is_none()
        && image.leave_unchanged_task();
    if left {
        entries.depth.set(entries.depth.get() - 1);
    }
    left
}

/// End of a task. Communicates nothing.
///
/// # Errors
/// When the innermost set that was entered is no task, and when a coarray was left allocated.
pub fn leave(instance: &Instance) -> Outcome {
    let image = &instance.image;
    image.threads().only_one()?;
    let entries = ENTRIES.of(instance);
    entries.forget_left(image.stack());
    if !entries.is_in_task(image.stack()) {
        return Err(DirectiveError::because(
            "no task was entered, or another set was entered in it",
        ));
    }
    let coarrays = COARRAYS.of(instance).get();
    coarrays.map_or(Ok(()), |coarrays| (coarrays.leaving)(instance))?;
    if image.memory().has_allocated() {
        let why = "memory that images share was allocated in the task and not freed";
        return Err(DirectiveError::because(why));
    }
    entries.depth.set(entries.depth.get() - 1);
    image.leave();
    coarrays.into_iter().for_each(|coarrays| (coarrays.left)(instance));
    Ok(())
}
