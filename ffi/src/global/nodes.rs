//! Node arrays.

use super::error::Outcome;
use super::objects::{Described, Object};
use std::cell::RefCell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_collectives::global::set_of;
use xmp_core::global::{Coords, Kind, MappingError, Nodes, Size, Subscript};
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::{Error, Image, Result};

/// A node array as one image sees it.
#[derive(Debug)]
pub struct NodeSet {
    /// The nodes.
    pub nodes: Rc<Nodes>,
    /// The place of this image among them.
    pub coords: Option<Coords>,
    /// If it was declared with `*`, so that it is another one on each image: all of them together. Behind the
    /// dimensions of the one come those that were `*`.
    pub family: Option<Rc<Nodes>>,
    /// The nodes that the declaration makes it a part of.
    pub equivalence: Option<Equivalence>,
    /// Whether the program has declared them in the square brackets of C, which messages have then.
    is_in_c: bool,
    found: RefCell<Option<CachedSet>>,
}

/// The set of the images of nodes, as it was found last.
#[derive(Debug)]
struct CachedSet {
    /// The executing set in which it was found, and the entry of that set.
    within: Rc<ImageSet>,
    entry: u64,
    /// The set, if this image is a member.
    set: Option<Rc<ImageSet>>,
}

/// A reference to other nodes.
#[derive(Debug)]
pub struct Equivalence {
    /// The other nodes.
    pub of: Rc<Object<NodeSet>>,
    /// The part.
    pub subscripts: Vec<Subscript>,
}

impl Equivalence {
    /// The nodes that a declaration with `*` means on all images together; `nodes` are those on this one.
    ///
    /// # Errors
    /// For subscripts outside of the nodes.
    pub fn family(&self, nodes: &Nodes) -> Outcome<Option<Nodes>> {
        let (of, subscripts) = (&self.of.nodes, &self.subscripts);
        let own: Vec<usize> =
            (0..subscripts.len()).filter(|&dim| subscripts[dim] == Subscript::Own).collect();
        if own.is_empty() {
            return Ok(None);
        }
        let sizes: Vec<usize> = own.iter().map(|&dim| of.shape()[dim]).collect();
        let mut ranks = Vec::new();
        for number in 0..sizes.iter().product() {
            let (mut fixed, mut rest) = (subscripts.clone(), number);
            for (&dim, &size) in own.iter().zip(&sizes) {
                fixed[dim] = Subscript::At((rest % size) as i64 + of.order().first());
                rest /= size;
            }
            // Of its own `*` nothing is left.
            let line = of.section(&fixed, of.members().rank(0).expect("nodes are not empty"))?;
            ranks.extend((0..nodes.len()).filter_map(|position| line.members().rank(position)));
        }
        let shape: Vec<Size> =
            nodes.shape().iter().chain(&sizes).map(|&size| Size::Nodes(size)).collect();
        let members = Members::from_list(&ranks)?;
        Ok(Some(Nodes::new(&shape, nodes.order(), Kind::Equivalenced, &members)?))
    }
}

impl Described for NodeSet {
    const KIND: c_int = 2200;
    const NAME: &'static str = "a node array";

    fn dimensions(&self) -> usize {
        self.nodes.shape().len()
    }
}

/// Whether all images of the job execute, so that no node is left out.
#[inline(always)]
pub fn all_execute(image: &Image) -> bool {
    image.stack().index_and_size().1 as usize == image.job().images()
}

impl NodeSet {
    /// Nodes as an image sees them.
    pub fn new(image: &Image, nodes: Nodes) -> NodeSet {
        let coords = nodes.coords(image.rank());
        let nodes = Rc::new(nodes);
        NodeSet {
            nodes,
            coords,
            family: None,
            equivalence: None,
            is_in_c: false,
            found: RefCell::default(),
        }
    }

    /// Notes whether the program has declared the nodes in square brackets.
    #[must_use]
    pub fn in_c(self, is_in_c: bool) -> NodeSet {
        NodeSet { is_in_c, ..self }
    }

    /// Whether the program has declared the nodes in square brackets.
    pub fn is_in_c(&self) -> bool {
        self.is_in_c
    }

    /// The error of a reference to the nodes.
    pub fn wrong(&self, error: MappingError) -> Error {
        let error =
            if self.is_in_c { error.in_c(self.nodes.shape().len()).from_0() } else { error };
        error.of("nodes")
    }

    /// Notes that the nodes are a part of others.
    #[must_use]
    pub fn part_of(self, equivalence: Equivalence) -> NodeSet {
        NodeSet { equivalence: Some(equivalence), ..self }
    }

    /// Notes that the nodes are one set of a family.
    #[must_use]
    pub fn one_of(self, family: Option<Nodes>) -> NodeSet {
        NodeSet { family: family.map(Rc::new), ..self }
    }

    /// The coordinate of this image in a dimension, from 0; 0 on images that are not among them.
    pub fn coord(&self, dim: usize) -> usize {
        self.coords.as_ref().map_or(0, |coords| coords[dim])
    }

    /// The images as a set, if this image is one of them.
    ///
    /// # Errors
    /// When it is, and another one is not in the executing set. (An image that is none of them may execute in a task
    /// beside.)
    #[inline]
    pub fn set(&self, image: &Image) -> Result<Option<Rc<ImageSet>>> {
        if self.coords.is_none() {
            return Ok(None);
        }
        if let Some(found) = &*self.found.borrow()
            && found.entry == image.stack().entry()
        {
            return Ok(found.set.clone());
        }
        self.find(image)
    }

    /// The same for a directive whose nodes must all execute. An image that is none of them checks that as well, because their work
    /// would be left out.
    ///
    /// # Errors
    /// When one of them is not in the executing set.
    #[inline]
    pub fn subset(&self, image: &Image) -> Result<Option<Rc<ImageSet>>> {
        if self.coords.is_some() || all_execute(image) {
            self.set(image)
        } else {
            set_of(image, &self.nodes)
        }
    }

    /// The images as a set of the executing ones, which were entered since they were last asked for.
    #[inline(never)]
    fn find(&self, image: &Image) -> Result<Option<Rc<ImageSet>>> {
        let (within, entry) = (image.executing(), image.stack().entry());
        if let Some(found) = &mut *self.found.borrow_mut()
            && Rc::ptr_eq(&found.within, &within)
        {
            found.entry = entry;
            return Ok(found.set.clone());
        }
        let set = set_of(image, &self.nodes)?;
        self.found.replace(Some(CachedSet { within, entry, set: set.clone() }));
        Ok(set)
    }
}
