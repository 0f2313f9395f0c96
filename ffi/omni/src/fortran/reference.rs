//! References to nodes and templates, in `on` and `from` clauses.

use super::count;
use crate::objects::{
    Described, Descriptor, Equivalence, NodeSet, Object, Subscripts, TemplateObject, hand_out,
};
use smallvec::SmallVec;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Nodes, Progression, Subscript};
use xmp_ffi::global::References;
use xmp_ffi::process::{Instance, OfImage, instance};
use xmp_ffi::xmp::entry::{Dimension, Released, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// What references with subscripts mean.
static REFERENCES: OfImage<References<Object<NodeSet>, Subscript>> =
    OfImage::new(References::new());

/// A reference, whose dimensions are given one by one.
#[derive(Debug)]
pub struct Reference {
    /// What it refers to.
    pub of: ReferencedObject,
    dims: RefCell<SmallVec<[Dim; 4]>>,
}

/// What a reference refers to.
#[derive(Debug)]
pub enum ReferencedObject {
    /// Nodes.
    Nodes(Rc<Object<NodeSet>>),
    /// A template.
    Template(Rc<Object<TemplateObject>>),
}

/// A dimension of a reference.
#[derive(Clone, Copy, Debug)]
enum Dim {
    /// A subscript.
    At(Subscript),
    /// The variable of a loop plus an offset, in this dimension of what is referred to; in none, if nothing is.
    Loop { axis: Option<usize>, offset: i64 },
}

impl Described for Reference {
    const KIND: c_int = 2213;
    const NAME: &'static str = "a reference";
}

impl Reference {
    fn new(of: ReferencedObject, dims: usize) -> Reference {
        let dims = match dims {
            0 => of.ndims(),
            dims => dims,
        };
        Reference { of, dims: RefCell::new(SmallVec::from_elem(Dim::At(Subscript::All), dims)) }
    }

    fn say(&self, dim: usize, what: Dim) -> Outcome {
        match self.dims.borrow_mut().get_mut(dim) {
            Some(place) => *place = what,
            None => {
                return Err(DirectiveError::because(format!(
                    "a reference has no dimension {}",
                    dim + 1
                )));
            }
        }
        Ok(())
    }

    /// The dimension that a loop is aligned with, and its offset; `None` if with none.
    ///
    /// # Errors
    /// When the loop was not given.
    pub fn aligned(&self, of: usize) -> Outcome<Option<(usize, i64)>> {
        match self.dims.borrow().get(of) {
            Some(Dim::Loop { axis, offset }) => Ok(axis.map(|axis| (axis, *offset))),
            _ => Err(DirectiveError::because(format!("there is no loop {}", of + 1))),
        }
    }

    /// Subscripts of all dimensions of what is referred to.
    fn subscripts(&self) -> Subscripts {
        let dims = self.dims.borrow();
        let subscript = |dim: usize| match dims.get(dim) {
            Some(Dim::At(subscript)) => *subscript,
            _ => Subscript::All,
        };
        (0..self.of.ndims()).map(subscript).collect()
    }

    /// The nodes; `None` on images for which `*` has no meaning.
    ///
    /// # Errors
    /// For subscripts outside; when the template is not fixed.
    pub fn nodes(&self, instance: &Instance) -> Outcome<Option<Rc<Object<NodeSet>>>> {
        let (image, subscripts) = (&instance.image, self.subscripts());
        let rank = image.rank();
        if subscripts.iter().all(|subscript| *subscript == Subscript::All) {
            return self.of.nodes().map(Some);
        }
        let needs_own = subscripts.contains(&Subscript::Own);
        let references = REFERENCES.of(instance);
        let (of, part): (Rc<dyn Any>, Nodes) = match &self.of {
            ReferencedObject::Nodes(nodes) => {
                if let Some(known) = references.known(&**nodes, &subscripts) {
                    return Ok(Some(known));
                }
                if needs_own && nodes.coords.is_none() {
                    return Ok(None);
                }
                (nodes.clone(), nodes.nodes.section(&subscripts, rank)?)
            }
            ReferencedObject::Template(template) => {
                let distribution = template.distribution()?;
                if let Some(known) = references.known(&*distribution, &subscripts) {
                    return Ok(Some(known));
                }
                if needs_own && distribution.coords(rank).is_none() {
                    return Ok(None);
                }
                let part = distribution.nodes_of(&subscripts, rank)?;
                (distribution, part)
            }
        };
        let part = Object::new(NodeSet::new(image, part));
        references.keep(of, subscripts.as_slice().into(), part.clone());
        Ok(Some(part))
    }

    /// Whether the subscript of a dimension is `*`.
    pub fn own_dims(&self) -> SmallVec<[bool; 4]> {
        self.subscripts().iter().map(|subscript| *subscript == Subscript::Own).collect()
    }

    /// For nodes that are declared to be a part of others: the others with the subscripts, and the part.
    ///
    /// # Errors
    /// For subscripts outside, and for a reference to a template.
    pub fn equivalence(&self, instance: &Instance) -> Outcome<(Equivalence, Nodes)> {
        let ReferencedObject::Nodes(nodes) = &self.of else {
            return Err(DirectiveError::because("nodes cannot be a part of a template"));
        };
        let subscripts = self.subscripts();
        // An image outside has no part of its own; any other's has the right shape.
        let own = match nodes.coords {
            Some(_) => instance.image.rank(),
            None => nodes.nodes.members().rank(0).expect("there is a node"),
        };
        let part = nodes.nodes.section(&subscripts, own)?;
        let subscripts = subscripts.into_vec();
        Ok((Equivalence { of: nodes.clone(), subscripts }, part))
    }
}

impl ReferencedObject {
    fn ndims(&self) -> usize {
        match self {
            ReferencedObject::Nodes(nodes) => nodes.nodes.shape().len(),
            ReferencedObject::Template(template) => template.ndims(),
        }
    }

    /// All nodes.
    ///
    /// # Errors
    /// When the template is not distributed.
    pub fn nodes(&self) -> Outcome<Rc<Object<NodeSet>>> {
        match self {
            ReferencedObject::Nodes(nodes) => Ok(nodes.clone()),
            ReferencedObject::Template(template) => template.nodes(),
        }
    }

    /// Bounds of a dimension.
    fn bounds(&self, dim: usize) -> Outcome<(i64, i64)> {
        let bounds = match self {
            ReferencedObject::Nodes(nodes) => {
                nodes.nodes.shape().get(dim).map(|&size| (1, size as i64))
            }
            ReferencedObject::Template(template) => {
                template.distribution()?.axes().get(dim).map(|axis| (axis.lower(), axis.upper()))
            }
        };
        bounds.ok_or_else(|| DirectiveError::because(format!("there is no dimension {}", dim + 1)))
    }
}

for_fortran! {
    /// A reference to nodes with `dims` dimensions; with 0 dimensions it is to all nodes.
    "on" fn xmpf_ref_nodes_alloc__(reference: Option<&Cell<Descriptor>>, nodes: Rc<Object<NodeSet>>, dims: c_int) {
        hand_out(reference, Object::new(Reference::new(ReferencedObject::Nodes(nodes), count(dims, "dimensions")?)))
    }

    /// A reference to a template with `dims` dimensions; with 0 dimensions it is to all of it.
    "on" fn xmpf_ref_templ_alloc__(
        reference: Option<&Cell<Descriptor>>, template: Rc<Object<TemplateObject>>, dims: c_int,
    ) {
        hand_out(reference, Object::new(Reference::new(ReferencedObject::Template(template), count(dims, "dimensions")?)))
    }

    /// The dimension that a loop is aligned with, -1 for none, and the offset.
    "loop" fn xmpf_ref_set_loop_info__(reference: &Object<Reference>, of: Dimension, axis: c_int, offset: c_int) {
        let axis = usize::try_from(axis).ok();
        if let Some(axis) = axis {
            reference.of.bounds(axis)?;
        }
        reference.say(of.0, Dim::Loop { axis, offset: offset.into() })
    }

    /// The subscript of a dimension: 0 `*`, 1 one index, 2 a triplet, 3 to 5 one without lower, upper or both bounds, 6
    /// everything.
    "on" fn xmpf_ref_set_dim_info__(
        reference: &Object<Reference>, dim: Dimension, kind: c_int, lower: c_int, upper: c_int, step: c_int,
    ) {
        let (dim, step) = (dim.0, i64::from(step));
        let triplet = |first, last| -> Outcome<Subscript> {
            let row = Progression::from_bounds(first, last, step)?;
            let whole = step == 1 && reference.of.bounds(dim)? == (first, last);
            Ok(if whole { Subscript::All } else { Subscript::Some(row) })
        };
        let subscript = match kind {
            0 => Subscript::Own,
            1 => Subscript::At(lower.into()),
            2 => triplet(lower.into(), upper.into())?,
            3 => triplet(reference.of.bounds(dim)?.0, upper.into())?,
            4 => triplet(lower.into(), reference.of.bounds(dim)?.1)?,
            5 => {
                let (lower, upper) = reference.of.bounds(dim)?;
                triplet(lower, upper)?
            }
            6 => Subscript::All,
            kind => return Err(DirectiveError::because(format!("there is no kind {kind} of subscripts"))),
        };
        reference.say(dim, Dim::At(subscript))
    }

    /// All dimensions were given; the others are whole.
    "on" fn xmpf_ref_init__(_reference: &Object<Reference>) {
        Ok(())
    }

    /// The reference is no longer needed.
    "on" fn xmpf_ref_dealloc__(_reference: Released<Reference>) {
        Ok(())
    }
}

/// The nodes of a clause, or the executing ones if it is omitted; `None` on images that it does not concern.
///
/// # Errors
/// For subscripts outside; when the template is not fixed.
pub fn nodes_on(reference: Option<&Object<Reference>>) -> Outcome<Option<Rc<Object<NodeSet>>>> {
    let instance = instance();
    match reference {
        Some(reference) => reference.nodes(instance),
        None => Ok(Some(xmp_ffi::global::executing::nodes(instance))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{ArrayObject, CoarrayObject, GmoveOperand};

    #[test]
    fn no_kind_is_taken_for_another() {
        let mut kinds = [
            NodeSet::KIND,
            TemplateObject::KIND,
            ArrayObject::KIND,
            GmoveOperand::KIND,
            CoarrayObject::KIND,
            Reference::KIND,
        ];
        kinds.sort_unstable();
        assert!(kinds.windows(2).all(|pair| pair[0] < pair[1]), "{kinds:?}");
    }
}
