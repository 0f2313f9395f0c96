//! Loops and assignments of arrays in tasks: the nodes of all iterations and elements have to execute (XcalableMP 1.4, 4.4.3 and 4.4.4).
//! Without this check the iterations of the other nodes would be left out. Iterations beyond the template are errors as well.

use super::objects::{GlobalObject, ObjectHandle, dimension, object, unknown};
use super::on::nodes_on;
use super::range::{Range, subscripts};
use crate::c::argument::List;
use crate::c::outcome::{functions, inquired, text};
use crate::global::{DirectiveError, NodeSet, Object, TemplateObject, all_execute};
use crate::process::{OfImage, any_thread, instance};
use smallvec::SmallVec;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{c_char, c_int};
use std::rc::Rc;
use xmp_core::global::{
    Absent, Coords, Distribution, Indices, Loop, MappingError, Progression, Subscript,
};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Rank, Result};

/// The most nodes that a message names.
const MAX_NAMED: usize = 3;

/// The last result about nodes in a set. Loops ask for the same again and again.
#[derive(Debug)]
struct Known {
    /// The distribution or the nodes. They are kept, so that no others have their address.
    of: Rc<dyn Any>,
    set: Rc<ImageSet>,
    /// The indices whose nodes execute, if that is known of some.
    present: SmallVec<[Indices; 4]>,
    /// Whether some of all nodes do not execute.
    is_partly: bool,
}

impl Known {
    fn is_of<T>(&self, of: &Rc<T>, set: &Rc<ImageSet>) -> bool {
        std::ptr::addr_eq(Rc::as_ptr(&self.of), Rc::as_ptr(of)) && Rc::ptr_eq(&self.set, set)
    }
}

static PARTLY: OfImage<RefCell<Option<Known>>> = OfImage::new(RefCell::new(None));
static PRESENT: OfImage<RefCell<Option<Known>>> = OfImage::new(RefCell::new(None));

/// Whether some of the nodes that a loop is on do not execute. Any thread may ask.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_partly(on: ObjectHandle) -> c_int {
    if all_execute(&any_thread().image) { 0 } else { partly(on) }
}

#[inline(never)]
fn partly(on: ObjectHandle) -> c_int {
    let found = inquired("xmprt_partly", || {
        let instance = instance();
        let Some(nodes) = nodes_on(instance, on, List::none())? else { return Ok(false) };
        let set = instance.image.executing();
        let known = PARTLY.of(instance);
        if let Some(known) = known.borrow().as_ref().filter(|known| known.is_of(&nodes, &set)) {
            return Ok(known.is_partly);
        }
        let members = nodes.nodes.members();
        let mut ranks = (0..members.len()).filter_map(|position| members.rank(position));
        let is_partly =
            set.members() != members && ranks.any(|rank| set.position_of(rank).is_none());
        known.replace(Some(Known { of: nodes, set, present: SmallVec::new(), is_partly }));
        Ok(is_partly)
    });
    found.into()
}

/// The object that iterations or elements are on.
enum On {
    Nodes(Rc<Object<NodeSet>>),
    Template(Rc<Object<TemplateObject>>, Rc<Distribution>),
}

impl On {
    fn of(on: ObjectHandle) -> Result<On> {
        match object(on) {
            Some(GlobalObject::Nodes(nodes)) => Ok(On::Nodes(nodes)),
            Some(GlobalObject::Template(template)) => {
                let of = template.distribution().map_err(|wrong| template.wrong(wrong))?;
                Ok(On::Template(template, of))
            }
            _ => Err(unknown(on, "an xmprt_nodes or an xmprt_template")),
        }
    }

    fn dims(&self) -> usize {
        match self {
            On::Nodes(nodes) => nodes.nodes.shape().len(),
            On::Template(template, _) => template.ndims(),
        }
    }

    fn is_in_c(&self) -> bool {
        match self {
            On::Nodes(nodes) => nodes.is_in_c(),
            On::Template(template, _) => template.is_in_c(),
        }
    }

    /// The nodes of these indices that do not execute; all of them execute if `set` is none.
    fn absent(
        &self,
        indices: &[Indices],
        own: Rank,
        set: Option<&Rc<ImageSet>>,
    ) -> Result<Vec<Absent>, MappingError> {
        let executes = set.map(|set| |rank: Rank| set.position_of(rank).is_some());
        let executes = executes.as_ref().map(|executes| executes as &dyn Fn(Rank) -> bool);
        match self {
            On::Nodes(nodes) => nodes.nodes.absent(indices, own, executes),
            On::Template(_, of) => of.absent(indices, own, executes),
        }
    }

    /// What was found before about these indices in the set.
    fn is_known(&self, known: &Known, set: &Rc<ImageSet>, indices: &[Indices]) -> bool {
        let is_of = match self {
            On::Nodes(nodes) => known.is_of(nodes, set),
            On::Template(_, of) => known.is_of(of, set),
        };
        is_of && known.present[..] == *indices
    }

    fn kept(self) -> Rc<dyn Any> {
        match self {
            On::Nodes(nodes) => nodes,
            On::Template(_, of) => of,
        }
    }

    /// The number of a dimension in messages.
    fn number(&self, dim: usize) -> usize {
        if self.is_in_c() { self.dims() - dim } else { dim + 1 }
    }

    /// A node as the program writes it, by the name that the program has for the nodes.
    fn written(&self, name: &str, coords: &Coords) -> String {
        let (name, space) = if name.is_empty() { ("node", " ") } else { (name, "") };
        format!(
            "{name}{space}{}",
            in_brackets(self.is_in_c(), coords.iter(), |&coord, is_in_c| {
                (coord + usize::from(!is_in_c)).to_string()
            })
        )
    }

    /// Indices of a row in a dimension that a node has, of cyclic blocks the first ones.
    fn of_node(&self, dim: usize, row: Progression, coords: &Coords) -> Progression {
        match self {
            On::Nodes(nodes) => Progression::one(coords[dim] as i64 + nodes.nodes.order().first()),
            On::Template(_, of) => {
                let (axis, coord) = (&of.axes()[dim], of.coord(dim, coords));
                let schedule = Loop { axis, offset: 0, iterations: row }.of(coord);
                let Some(own) = schedule.first() else { return Progression { count: 0, ..row } };
                let first = axis.index(coord, own.first);
                let second = axis.index(coord, own.at(i64::from(own.count > 1)));
                Progression { first, step: second - first, count: own.count }
            }
        }
    }
}

/// The indices that a reference with these subscripts selects.
fn indices(at: List<Range>, dims: usize) -> Result<SmallVec<[Indices; 4]>> {
    let of = |subscript| match subscript {
        Subscript::At(index) => Indices::Row(Progression::one(index)),
        Subscript::Some(row) => Indices::Row(row),
        Subscript::All => Indices::All,
        Subscript::Own => Indices::Own,
    };
    Ok(subscripts(at, dims)?.into_iter().map(of).collect())
}

/// Values of dimensions in the notation of a program.
fn in_brackets<T>(
    is_in_c: bool,
    of: impl DoubleEndedIterator<Item = T>,
    text: impl Fn(T, bool) -> String,
) -> String {
    if is_in_c {
        return of.rev().map(|value| format!("[{}]", text(value, true))).collect();
    }
    format!("({})", of.map(|value| text(value, false)).collect::<Vec<_>>().join(", "))
}

/// `first:last`, with a step that is not 1.
fn triplet(row: Progression) -> String {
    let Progression { first, step, count } = row;
    match (count, step) {
        (1, _) => first.to_string(),
        (_, 1) => format!("{first}:{}", row.last()),
        _ => format!("{first}:{}:{step}", row.last()),
    }
}

/// A list in words: `a`, `a and b`, `a, b and c`.
fn listed(mut parts: Vec<String>, more: usize) -> String {
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    let last = parts.pop().unwrap_or_default();
    if parts.is_empty() { last } else { format!("{} and {last}", parts.join(", ")) }
}

/// Checks that the nodes of these indices execute. `describe` makes the error of those that do not, or of indices outside.
fn check(
    of: On,
    indices: &[Indices],
    describe: impl FnOnce(&On, Result<Vec<Absent>, MappingError>) -> Error,
) -> Result<()> {
    let instance = instance();
    let image = &instance.image;
    let set = (!all_execute(image)).then(|| image.executing());
    let known = PRESENT.of(instance);
    if let (Some(set), Some(known)) = (&set, &*known.borrow())
        && of.is_known(known, set, indices)
    {
        return Ok(());
    }
    match of.absent(indices, image.rank(), set.as_ref()) {
        Ok(absent) if absent.is_empty() => {
            if let Some(set) = set {
                let present = SmallVec::from_slice(indices);
                known.replace(Some(Known { of: of.kept(), set, present, is_partly: true }));
            }
            Ok(())
        }
        wrong => Err(describe(&of, wrong)),
    }
}

/// A mapping error of a reference to the object.
fn wrong(of: &On, error: MappingError) -> Error {
    match of {
        On::Nodes(nodes) => nodes.wrong(error),
        On::Template(template, _) => template.wrong(error.into()),
    }
}

/// The error of iterations or elements of nodes that do not execute: which of them a node has, and how the program comes to have none.
fn left_out(
    of: &On,
    absent: &[Absent],
    nodes: &str,
    own: impl Fn(&Absent) -> String,
    [what, statement, verb]: [&str; 3],
) -> Error {
    let more = absent.len().saturating_sub(MAX_NAMED);
    let named = absent.iter().take(MAX_NAMED);
    let all = named.map(|node| format!("{} of {}", own(node), of.written(nodes, &node.coords)));
    let all = listed(all.collect(), more);
    Error::Invalid(format!(
        "{what} {all}, which do not execute the {statement}, would be left out: execute it outside of the task, or {verb} only what \
         executing nodes have"
    ))
}

/// The error of iterations on a row of indices that is not within the bounds of a dimension.
fn beyond(
    of: &On,
    dim: usize,
    iterations: Progression,
    row: Progression,
    [lower, upper]: [i64; 2],
) -> Error {
    // Nodes count from 1 here.
    let (what, less) = match of {
        On::Nodes(nodes) => ("nodes", i64::from(nodes.is_in_c())),
        On::Template(..) => ("template", 0),
    };
    let ends = |row: Progression| format!("{}:{}", row.first, row.last());
    let row = row.shifted(-less);
    let on = if row == iterations { String::new() } else { format!(", on indices {},", ends(row)) };
    let (iterations, dim) = (ends(iterations), of.number(dim));
    let bounds = format!("{}:{}", lower - less, upper - less);
    Error::Invalid(format!(
        "iterations {iterations}{on} are not within {bounds}, the bounds of dimension {dim} of the {what}: no node has the others"
    ))
}

functions! {
    /// An error where iterations of a loop are beyond the dimension that it counts, or belong to nodes that do not execute. `at` has the
    /// subscripts of the other dimensions. Of the dimensions in `outer`, a set of bits, this image executes an iteration; those in
    /// `inner` are counted by loops within this one. Iteration i is on index i + offset.
    fn xmprt_loop_check(
        on: ObjectHandle, at: List<Range>, dim: c_int, outer: c_int, inner: c_int,
        first: i64, last: i64, step: i64, offset: i64, nodes: *const c_char,
    ) {
        let iterations = Progression::from_bounds(first, last, step).map_err(DirectiveError::from)?;
        let row = iterations.shifted(offset);
        let of = On::of(on)?;
        let counted = dimension(dim, of.dims())?;
        let is_in = |set: c_int, nth: usize| set >> nth & 1 == 1;
        let mut indices = indices(at, of.dims())?;
        for (nth, indices) in indices.iter_mut().enumerate() {
            if nth == counted {
                *indices = Indices::Row(row);
            } else if is_in(outer, nth) {
                *indices = Indices::Own;
            } else if is_in(inner, nth) {
                *indices = Indices::Unknown;
            }
        }
        check(of, &indices, |of, found| match found {
            Ok(absent) => {
                let own = |node: &Absent| triplet(of.of_node(counted, row, &node.coords).shifted(-offset));
                left_out(of, &absent, &text(nodes), own, ["iterations", "loop", "count"])
            }
            Err(MappingError::Outside { dim, lower, upper, .. }) if dim == counted + 1 => {
                beyond(of, counted, iterations, row, [lower, upper])
            }
            Err(error) => wrong(of, error),
        })
    }

    /// An error where a reference selects indices beyond a template, or with `executes` (not 0) elements of nodes that do not execute.
    fn xmprt_section_check(on: ObjectHandle, at: List<Range>, executes: c_int, nodes: *const c_char) {
        let of = On::of(on)?;
        let indices = indices(at, of.dims())?;
        if executes == 0 {
            let found = of.absent(&indices, instance().image.rank(), None);
            return found.map(drop).map_err(|error| wrong(&of, error));
        }
        check(of, &indices, |of, found| match found {
            Ok(absent) => {
                let own = |node: &Absent| {
                    let of_dim = |(dim, indices): (usize, &Indices)| match indices {
                        Indices::Row(row) => triplet(of.of_node(dim, *row, &node.coords)),
                        _ => ":".to_owned(),
                    };
                    let own: Vec<String> = indices.iter().enumerate().map(of_dim).collect();
                    in_brackets(of.is_in_c(), own.into_iter(), |text, _| text)
                };
                left_out(of, &absent, &text(nodes), own, ["elements at", "assignment", "assign"])
            }
            Err(error) => wrong(of, error),
        })
    }
}
