//! `task` (XcalableMP 1.4, 4.4.1). Every image computes which images take part; a task does not synchronise.

use super::nodes::read_reference;
use super::reference::{Meaning, nodes_of, numbers, part, part_of};
use crate::objects::{
    Described, Descriptor, NodeSet, Object, TemplateObject, Triplets, subscripts,
};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Distribution, Kind, Nodes, Order, Subscript};
use xmp_ffi::global::executing::{self, Reference};
use xmp_ffi::process::{Instance, instance};
use xmp_ffi::xmp::arguments::Arguments;
use xmp_ffi::xmp::entry::{List, for_c};
use xmp_ffi::xmp::error::{Outcome, done};

/// Enters nodes if this image is one of them.
fn enter(instance: &Instance, nodes: Option<Rc<Object<NodeSet>>>) -> Outcome<c_int> {
    let Some(nodes) = nodes else { return Ok(0) };
    Ok(executing::enter(instance, nodes, None)?.into())
}

/// Enters the nodes that a reference means.
fn enter_part(instance: &Instance, of: Descriptor, reference: &List<i64>) -> Outcome<c_int> {
    let Some(nodes) = part_of(instance, of, reference)? else { return Ok(0) };
    let kept = of.shared::<NodeSet>()?;
    let dims = kept.dimensions();
    let subscripts = numbers(reference, dims)?.into();
    let known =
        (dims == 1).then(|| Reference { of: of.addr() as u64, subscripts, _kept: Some(kept) });
    Ok(executing::enter(instance, nodes, known)?.into())
}

/// The nodes that have template indices of a reference.
fn owners(
    instance: &Instance,
    distribution: &Distribution,
    subscripts: &[Subscript],
) -> Outcome<Option<Nodes>> {
    let rank = instance.image.rank();
    if distribution.coords(rank).is_none() && subscripts.contains(&Subscript::Own) {
        return Ok(None);
    }
    Ok(Some(distribution.nodes_of(subscripts, rank)?))
}

/// A reference to a template: for each dimension whether it is `*`, else first, last and step.
fn read_template_reference(arguments: &mut Arguments, dims: usize) -> Triplets {
    let mut read = || match arguments.integer() {
        0 => Some((arguments.wide(), arguments.wide(), arguments.wide())),
        _ => None,
    };
    (0..dims).map(|_| read()).collect()
}

/// Whether this image is one of some nodes.
fn is_in(nodes: Option<Nodes>) -> Outcome<c_int> {
    let rank = instance().image.rank();
    Ok(nodes.is_some_and(|nodes| nodes.members().position(rank).is_some()).into())
}

for_c! {
    /// `task on p(..)`: 1 on the nodes, which execute alone until `_XMP_pop_nodes`.
    "task" fn xmprt_omni_task_on_nodes(
        _task: Option<&Cell<Descriptor>>, nodes: Descriptor, reference: List<i64>,
    ) -> c_int {
        enter_part(instance(), nodes, &reference)
    }

    /// `task on p`.
    "task" fn _XMP_exec_task_NODES_ENTIRE(_task: Option<&Cell<Descriptor>>, nodes: Rc<Object<NodeSet>>) -> c_int {
        Ok(executing::enter(instance(), nodes, None)?.into())
    }

    /// The task of the images `lower` to `upper` in steps, counted from 1.
    "task" fn _XMP_exec_task_GLOBAL_PART(
        _task: Option<&Cell<Descriptor>>, lower: c_int, upper: c_int, step: c_int,
    ) -> c_int {
        let reference = [0, lower.into(), upper.into(), step.into()];
        let instance = instance();
        let of = instance.image.stack().initial();
        let nodes = nodes_of(instance, &*of, &reference, |subscripts| {
            let all = Nodes::row(of.members(), Order::Fortran, Kind::Entire);
            let nodes = all.section(subscripts, instance.image.rank())?;
            Ok(Some(Meaning { of: of.clone(), nodes }))
        })?;
        enter(instance, nodes)
    }

    /// `task on t(..)`.
    "task" fn xmprt_omni_task_on_template(
        _task: Option<&Cell<Descriptor>>, template: &Object<TemplateObject>, reference: List<i64>,
    ) -> c_int {
        let (instance, of) = (instance(), template.distribution()?);
        let reference = numbers(&reference, template.dimensions())?;
        let nodes = nodes_of(instance, &*of, reference, |subscripts| {
            let owners = owners(instance, &of, subscripts)?;
            Ok(owners.map(|nodes| Meaning { of: of.clone(), nodes }))
        })?;
        enter(instance, nodes)
    }

    /// `task on p(..) nocomm`: whether this image is one of the nodes; nothing is entered.
    "task" fn xmprt_omni_task_nodes_part_nocomm(nodes: &Object<NodeSet>, arguments: &mut Arguments) -> c_int {
        let reference = read_reference(arguments, nodes.nodes.shape().len());
        is_in(part(instance(), nodes, &subscripts(&reference)?)?)
    }

    /// `task on p nocomm`.
    "task" fn _XMP_exec_task_NODES_ENTIRE_nocomm(nodes: &Object<NodeSet>) -> c_int {
        Ok(nodes.coords.is_some().into())
    }

    /// `task on t(..) nocomm`.
    "task" fn xmprt_omni_task_template_part_nocomm(
        template: &Object<TemplateObject>, arguments: &mut Arguments,
    ) -> c_int {
        let reference = read_template_reference(arguments, template.ndims());
        is_in(owners(instance(), &*template.distribution()?, &subscripts(&reference)?)?)
    }
}

/// Nodes that are the same as some on all images that they are fixed for, each along the dimensions in `over`:
/// those whose other coordinates are this image's.
fn lines(instance: &Instance, nodes: &NodeSet, over: &[bool]) -> Outcome<Option<Nodes>> {
    if nodes.coords.is_none() {
        return Ok(None);
    }
    let subscript = |over: &bool| if *over { Subscript::All } else { Subscript::Own };
    let subscripts: Vec<Subscript> = over.iter().map(subscript).collect();
    Ok(Some(nodes.nodes.section(&subscripts, instance.image.rank())?))
}

/// Enters the line of nodes of this image for a reduction.
fn enter_line(nodes: &NodeSet, over: &[bool]) -> Outcome<c_int> {
    let instance = instance();
    match lines(instance, nodes, over)? {
        Some(line) => {
            let line = Object::new(NodeSet::new(&instance.image, line));
            Ok(executing::enter(instance, line, None)?.into())
        }
        None => Ok(0),
    }
}

for_c! {
    /// A reduction `on p(..)`: the arguments say of each dimension whether it is fixed (1) or combined over (0).
    "reduction" fn xmprt_omni_init_reduce_comm_nodes(nodes: &Object<NodeSet>, arguments: &mut Arguments) -> c_int {
        let dims = nodes.nodes.shape().len();
        let over: Vec<bool> = (0..dims).map(|_| arguments.integer() != 1).collect();
        enter_line(nodes, &over)
    }

    /// The same `on t(..)`.
    "reduction" fn xmprt_omni_init_reduce_comm_template(
        template: &Object<TemplateObject>, arguments: &mut Arguments,
    ) -> c_int {
        let (nodes, distribution) = (template.nodes()?, template.distribution()?);
        let mut over = vec![true; nodes.nodes.shape().len()];
        for axis in 0..template.ndims() {
            let fixed = arguments.integer() == 1;
            if let Some(dim) = distribution.node_dim(axis) {
                over[dim] = !fixed;
            }
        }
        enter_line(&nodes, &over)
    }

    /// The end of a reduction on a line of nodes.
    "reduction" fn _XMP_pop_n_free_nodes() {
        executing::leave(instance())
    }
}

/// The task is not executed again. There is no descriptor: [`References`](xmp_ffi::global::References) has
/// what a task means.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_exec_task_NODES_FINALIZE(_task: Descriptor) {}

/// `task on p(..)` where the nodes have one dimension: `all` is 1 for `*`, and the rest 0; else it is 0. The result is
/// that of [`xmprt_omni_task_on_nodes`].
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_omni_task_on_line(
    nodes: Descriptor,
    all: c_int,
    first: c_int,
    last: c_int,
    step: c_int,
) -> c_int {
    let subscripts = [all, first, last, step].map(i64::from);
    // SAFETY: of a reference to nodes of one dimension, four numbers.
    if unsafe { executing::enter_again(nodes.addr() as u64, subscripts.as_ptr()) } {
        return 1;
    }
    enter_line_anew(nodes, all, first, last, step)
}

#[cold]
#[inline(never)]
extern "C" fn enter_line_anew(
    nodes: Descriptor,
    all: c_int,
    first: c_int,
    last: c_int,
    step: c_int,
) -> c_int {
    let mut reference = [all, first, last, step].map(i64::from);
    xmprt_omni_task_on_nodes(None, nodes, List::within(&mut reference))
}

/// The end of a task.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_pop_nodes() {
    if !executing::leave_unchanged() {
        leave_changed();
    }
}

#[cold]
#[inline(never)]
fn leave_changed() {
    done("end of a task", || executing::leave(instance()));
}
