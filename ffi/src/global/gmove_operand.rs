//! An operand of a gmove: a section of a distributed array, or of a local one.

use super::array::ArrayObject;
use super::error::{DirectiveError, Outcome};
use super::objects::{Described, Object};
use crate::process::Instance;
use std::cell::RefCell;
use std::ffi::c_int;
use std::fmt::{self, Formatter};
use std::rc::Rc;
use xmp_collectives::global::Storage;
use xmp_core::global::{Array, Kind, Nodes, Order, Pick, Section};

/// An operand, whose subscripts come one by one.
#[derive(Debug)]
pub struct GmoveOperand {
    /// The array.
    pub of: OperandArray,
    order: Order,
    dims: RefCell<Vec<Subscript>>,
}

/// The array of which an operand is a section.
#[derive(Debug)]
pub enum OperandArray {
    /// A distributed array.
    Global(Rc<Object<ArrayObject>>),
    /// A local array that starts here; a scalar if it has no dimensions.
    Local(*mut u8),
}

/// A dimension of an operand.
#[derive(Clone, Copy, Debug)]
struct Subscript {
    /// Bounds of a local array.
    bounds: (i64, i64),
    pick: Pick,
}

impl Described for GmoveOperand {
    const KIND: c_int = 2210;
    const NAME: &'static str = "a side of a gmove";
}

/// The section in words: `[0:4][7] of an array [0:9][0:19]`, or `(1:5, 8) of an array (1:10, 1:20)` in the order of Fortran. Subscripts
/// are `first:last`, or `first:last:step`.
impl fmt::Display for GmoveOperand {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let dims = self.dims.borrow();
        if dims.is_empty() {
            return out.write_str("a variable without dimensions");
        }
        let bounds = |number: usize, dim: &Subscript| match &self.of {
            OperandArray::Local(_) => Some(dim.bounds),
            OperandArray::Global(array) => array.dim(number).ok().map(|dim| (dim.lower, dim.upper)),
        };
        let row = |(first, last): (i64, i64)| format!("{first}:{last}");
        let extents = dims.iter().enumerate().map(|(number, dim)| bounds(number, dim).map(row));
        let extents: Vec<String> = extents.map(Option::unwrap_or_default).collect();
        if dims.iter().all(|dim| dim.pick == Pick::All) {
            return write!(out, "the array {}", self.subscripted(&extents));
        }
        let picked = dims.iter().zip(&extents).map(|(dim, all)| match dim.pick {
            Pick::All => all.clone(),
            Pick::At(index) => index.to_string(),
            Pick::Row(indices) => {
                let bounds = row((indices.first, indices.last()));
                if indices.step == 1 { bounds } else { format!("{bounds}:{}", indices.step) }
            }
        });
        let picked: Vec<String> = picked.collect();
        write!(out, "{} of the array {}", self.subscripted(&picked), self.subscripted(&extents))
    }
}

impl GmoveOperand {
    /// Subscripts as the language of the array writes them.
    fn subscripted(&self, subscripts: &[String]) -> String {
        match self.order {
            Order::C => format!("[{}]", subscripts.join("][")),
            Order::Fortran => format!("({})", subscripts.join(", ")),
        }
    }

    /// A section of a distributed array; the whole until subscripts are given.
    pub fn global(array: Rc<Object<ArrayObject>>) -> GmoveOperand {
        let (order, dims) = (array.order, array.ndims());
        GmoveOperand::new(OperandArray::Global(array), order, dims)
    }

    /// A section of a local array.
    pub fn local(start: *mut u8, dims: usize, order: Order) -> GmoveOperand {
        GmoveOperand::new(OperandArray::Local(start), order, dims)
    }

    fn new(of: OperandArray, order: Order, dims: usize) -> GmoveOperand {
        let subscript = Subscript { bounds: (0, 0), pick: Pick::All };
        GmoveOperand { of, order, dims: RefCell::new(vec![subscript; dims]) }
    }

    /// The distributed array, if it is one.
    pub fn array(&self) -> Option<Rc<Object<ArrayObject>>> {
        match &self.of {
            OperandArray::Global(array) => Some(array.clone()),
            OperandArray::Local(_) => None,
        }
    }

    /// Sets the subscript of a dimension, from 0, and the bounds of the array there if it is local.
    ///
    /// # Errors
    /// When there is no such dimension.
    pub fn pick(&self, dim: usize, lower: i64, upper: i64, pick: Pick) -> Outcome {
        match self.dims.borrow_mut().get_mut(dim) {
            Some(place) => *place = Subscript { bounds: (lower, upper), pick },
            None => {
                let why = format!("a side of a gmove has no dimension {}", dim as i64 + 1);
                return Err(DirectiveError::because(why));
            }
        }
        Ok(())
    }

    /// Bytes of an element of a distributed array.
    pub fn element(&self) -> Option<usize> {
        match &self.of {
            OperandArray::Global(array) => Some(array.element),
            OperandArray::Local(_) => None,
        }
    }

    /// Its storage on the executing images, and its section. Elements of a local array have `element` bytes.
    ///
    /// # Errors
    /// When the array is not fixed, and for subscripts outside it.
    pub fn storage(&self, instance: &Instance, element: usize) -> Outcome<(Storage, Section)> {
        let dims = self.dims.borrow();
        let picks: Vec<Pick> = dims.iter().map(|dim| dim.pick).collect();
        let storage = match &self.of {
            OperandArray::Global(array) => array.storage(&instance.image)?,
            OperandArray::Local(start) => {
                let executing = instance.image.executing();
                let nodes = Nodes::row(executing.members(), self.order, Kind::Executing);
                // A scalar is an array of one element.
                let bounds: Vec<(i64, i64)> = match dims.len() {
                    0 => vec![(0, 0)],
                    _ => dims.iter().map(|dim| dim.bounds).collect(),
                };
                let array = Rc::new(Array::whole(Rc::new(nodes), &bounds, self.order)?);
                // SAFETY: the contract of entries: the array is where the program has placed it, and stays to the end of
                // the operations on it.
                unsafe { Storage::new(array, element, *start) }
            }
        };
        let picks = if picks.is_empty() { &[Pick::At(0)][..] } else { &picks };
        let section = Section::new(storage.array(), picks)?;
        Ok((storage, section))
    }

    /// The section of a distributed array, wherever that is.
    ///
    /// # Errors
    /// For subscripts outside it, and for a local array.
    pub fn section(&self) -> Outcome<Section> {
        let OperandArray::Global(array) = &self.of else {
            return Err(DirectiveError::because("a local array"));
        };
        let picks: Vec<Pick> = self.dims.borrow().iter().map(|dim| dim.pick).collect();
        Ok(Section::new(&*array.widest()?, &picks)?)
    }
}
