//! `task` (XcalableMP 1.4, 4.4.1). Every image computes which images take part; a task does not synchronise.

use super::nodes::read_reference;
use crate::omni::arguments::Arguments;
use crate::omni::entry::for_c;
use crate::omni::error::Outcome;
use crate::omni::executing;
use crate::omni::objects::{
    Descriptor, NodeSet, Object, TemplateObject, Triplet, Triplets, subscripts,
};
use crate::omni::references::References;
use crate::process::{Instance, OfImage, instance};
use std::any::Any;
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Distribution, Kind, Nodes, Order, Subscript};

/// What references of tasks mean.
static TASKS: OfImage<References<Object<NodeSet>, Triplet>> = OfImage::new(References::new());

/// Enters the nodes of a reference if this image is one of them; `find` says which they are, if that is not remembered.
fn enter<T: Any>(
    of: &Rc<T>,
    reference: &[Triplet],
    find: impl FnOnce(&Instance, &[Subscript]) -> Outcome<Option<Nodes>>,
) -> Outcome<c_int> {
    let instance = instance();
    let tasks = TASKS.of(instance);
    let nodes = match tasks.known(&**of, reference) {
        Some(nodes) => nodes,
        None => {
            let Some(nodes) = find(instance, &subscripts(reference)?)? else { return Ok(0) };
            let nodes = Object::new(NodeSet::new(&instance.image, nodes));
            tasks.keep(of.clone(), reference.into(), nodes.clone());
            nodes
        }
    };
    Ok(executing::enter(instance, &nodes)?.into())
}

/// The part of some nodes that a reference means here; none where a `*` has no meaning.
fn part(instance: &Instance, nodes: &NodeSet, subscripts: &[Subscript]) -> Outcome<Option<Nodes>> {
    if nodes.coords.is_none() && subscripts.contains(&Subscript::Own) {
        return Ok(None);
    }
    Ok(Some(nodes.nodes.section(subscripts, instance.image.rank())?))
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
    "task" fn xmprt_omni_task_nodes_part(
        _task: Option<&Cell<Descriptor>>, nodes: Rc<Object<NodeSet>>, arguments: &mut Arguments,
    ) -> c_int {
        let reference = read_reference(arguments, nodes.nodes.shape().len());
        enter(&nodes, &reference, |instance, subscripts| part(instance, &nodes, subscripts))
    }

    /// `task on p`.
    "task" fn _XMP_exec_task_NODES_ENTIRE(_task: Option<&Cell<Descriptor>>, nodes: Rc<Object<NodeSet>>) -> c_int {
        Ok(executing::enter(instance(), &nodes)?.into())
    }

    /// The task of the images `lower` to `upper` in steps, counted from 1.
    "task" fn _XMP_exec_task_GLOBAL_PART(
        _task: Option<&Cell<Descriptor>>, lower: c_int, upper: c_int, step: c_int,
    ) -> c_int {
        let reference = [Some((lower.into(), upper.into(), step.into()))];
        let all = instance().image.stack().initial();
        enter(&all, &reference, |instance, subscripts| {
            let all = Nodes::row(all.members(), Order::Fortran, Kind::Entire);
            Ok(Some(all.section(subscripts, instance.image.rank())?))
        })
    }

    /// `task on t(..)`.
    "task" fn xmprt_omni_task_template_part(
        _task: Option<&Cell<Descriptor>>, template: &Object<TemplateObject>, arguments: &mut Arguments,
    ) -> c_int {
        let reference = read_template_reference(arguments, template.ndims());
        let distribution = template.distribution()?;
        enter(&distribution, &reference, |instance, subscripts| {
            owners(instance, &distribution, subscripts)
        })
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
            Ok(executing::enter(instance, &line)?.into())
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

    /// The end of a task.
    "end of a task" fn _XMP_pop_nodes() {
        executing::leave(instance())
    }

    /// The end of a reduction on a line of nodes.
    "reduction" fn _XMP_pop_n_free_nodes() {
        executing::leave(instance())
    }
}

/// The task is not executed again. There is no descriptor: [`References`](crate::omni::references::References) has
/// what a task means.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_exec_task_NODES_FINALIZE(_task: Descriptor) {}
