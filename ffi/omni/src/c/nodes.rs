//! `nodes` (XcalableMP 1.4, 4.3.1).
//!
//! The variable arguments are sizes, where `*` is -1, and places that the program reads: sizes that it could not know,
//! and its own coordinates from 0.

use crate::objects::{
    Descriptor, Equivalence, NodeSet, Object, Triplets, hand_out, sized, subscripts,
};
use smallvec::SmallVec;
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Kind, Nodes, Order, Size};
use xmp_core::image_set::Members;
use xmp_ffi::global::executing as executing_nodes;
use xmp_ffi::process::{Instance, any_thread, instance};
use xmp_ffi::xmp::arguments::Arguments;
use xmp_ffi::xmp::entry::{Released, for_c};
use xmp_ffi::xmp::error::{DirectiveError, Outcome, done};

/// A size as the program writes it.
///
/// # Errors
/// When it is neither -1 nor positive.
pub fn size(size: c_int) -> Outcome<Size> {
    match usize::try_from(size) {
        Ok(size) if size > 0 => Ok(Size::Nodes(size)),
        Err(_) if size == -1 => Ok(Size::Star),
        _ => Err(DirectiveError::because(format!("a dimension of {size} nodes"))),
    }
}

/// Number of dimensions of a declaration.
///
/// # Errors
/// When it is not positive.
pub fn dimensions(dims: c_int) -> Outcome<usize> {
    match usize::try_from(dims) {
        Ok(dims) if dims > 0 => Ok(dims),
        _ => Err(DirectiveError::because(format!("{dims} dimensions"))),
    }
}

/// What comes with the sizes of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Places {
    /// Nothing.
    None,
    /// A place for the size after each `*`.
    EachStar,
    /// The last size is `*` and is not given; a place for it comes after the others.
    Last,
}

/// The shape of a declaration, and where the program wants sizes.
struct Shape {
    places: Places,
    sizes: Vec<Size>,
    /// Dimensions and the places for their sizes.
    wanted: SmallVec<[(usize, &'static Cell<c_int>); 2]>,
}

impl Shape {
    /// Reads `dims` sizes.
    fn read(arguments: &mut Arguments, dims: c_int, places: Places) -> Outcome<Shape> {
        let dims = dimensions(dims)?;
        let mut shape = Shape { places, sizes: Vec::with_capacity(dims), wanted: SmallVec::new() };
        let given = dims - usize::from(places == Places::Last);
        for dim in 0..given {
            let next = size(arguments.integer())?;
            if places == Places::EachStar && next == Size::Star {
                shape.wanted.push((dim, arguments.place()));
            }
            shape.sizes.push(next);
        }
        if places == Places::Last {
            shape.sizes.push(Size::Star);
            shape.wanted.push((given, arguments.place()));
        }
        Ok(shape)
    }

    /// Writes the sizes that are wanted and, to the places in the arguments that are left, all coordinates.
    fn answer(&self, arguments: &mut Arguments, nodes: &NodeSet) {
        for &(dim, place) in &self.wanted {
            place.set(nodes.nodes.shape()[dim] as c_int);
        }
        for dim in 0..nodes.nodes.shape().len() {
            arguments.place::<c_int>().set(nodes.coord(dim) as c_int);
        }
    }
}

/// Reads a reference to nodes: for each dimension whether it is `*`, else first, last and step.
pub fn read_reference(arguments: &mut Arguments, dims: usize) -> Triplets {
    let mut read = || {
        if arguments.integer() != 0 {
            return None;
        }
        let mut next = || i64::from(arguments.integer());
        Some((next(), next(), next()))
    };
    (0..dims).map(|_| read()).collect()
}

/// Declares nodes of a set of images.
fn declare(
    place: Option<&Cell<Descriptor>>,
    mut shape: Shape,
    arguments: &mut Arguments,
    kind: Kind,
    members: &Members,
) -> Outcome {
    let image = &instance().image;
    sized(&mut shape.sizes, kind, members.len(), image.settings())?;
    let nodes = Nodes::new(&shape.sizes, Order::Fortran, kind, members)?;
    if kind == Kind::Entire && shape.places == Places::None && nodes.len() < members.len() {
        return Err(too_few(&nodes, members.len()));
    }
    let nodes = Object::new(NodeSet::new(image, nodes));
    shape.answer(arguments, &nodes);
    hand_out(place, nodes)
}

/// Node arrays of all images have them all: where sizes are constant, the translator has compiled loops for nodes
/// only, which other images would run, too.
fn too_few(nodes: &Nodes, images: usize) -> DirectiveError {
    let size = nodes.len();
    DirectiveError::because(format!(
        "a node array of all images is of {size}, but there are {images} images"
    ))
}

/// Declares nodes that are a part of others: `nodes q(..)=p(..)`.
fn declare_part(
    place: Option<&Cell<Descriptor>>,
    dims: c_int,
    places: Places,
    of: Rc<Object<NodeSet>>,
    arguments: &mut Arguments,
) -> Outcome {
    let reference = read_reference(arguments, of.nodes.shape().len());
    let subscripts = subscripts(&reference)?;
    let own = instance().image.rank();
    let needs_own = reference.contains(&None) && of.coords.is_none();
    // An image outside has no part of its own; any other's has the right shape.
    let own = if needs_own { of.nodes.members().rank(0).unwrap_or(own) } else { own };
    let part = of.nodes.section(&subscripts, own)?;
    let equivalence = Equivalence { of, subscripts: subscripts.into_vec() };
    let shape = Shape::read(arguments, dims, places)?;
    let nodes = Nodes::new(&shape.sizes, Order::Fortran, Kind::Equivalenced, part.members())?;
    let family = equivalence.family(&nodes)?;
    let nodes = NodeSet::new(&instance().image, nodes).one_of(family).part_of(equivalence);
    let nodes: Rc<Object<NodeSet>> = Object::new(nodes);
    shape.answer(arguments, &nodes);
    hand_out(place, nodes)
}

/// All images.
///
/// # Errors
/// None.
pub fn entire(instance: &Instance) -> Outcome<Members> {
    Ok(instance.image.stack().initial().members().clone())
}

/// The images that execute.
///
/// # Errors
/// None.
pub fn executing(instance: &Instance) -> Outcome<Members> {
    Ok(instance.image.executing().members().clone())
}

/// The images `lower` to `upper` in steps, counted from 1.
///
/// # Errors
/// For numbers that no image has.
pub fn numbered(instance: &Instance, lower: c_int, upper: c_int, step: c_int) -> Outcome<Members> {
    let all = Nodes::row(&entire(instance)?, Order::Fortran, Kind::Entire);
    let triplet = [Some((lower.into(), upper.into(), step.into()))];
    let part = all.section(&subscripts(&triplet)?, instance.image.rank())?;
    Ok(part.members().clone())
}

/// Declares the calls for nodes of a set of images.
macro_rules! declared {
    ($($(#[$doc:meta])* $name:ident $places:ident $kind:ident $members:ident($($number:ident)*);)*) => { for_c! { $(
        $(#[$doc])*
        "nodes" fn $name(
            place: Option<&Cell<Descriptor>>, dims: c_int, $($number: c_int,)* arguments: &mut Arguments,
        ) {
            let shape = Shape::read(arguments, dims, Places::$places)?;
            let members = $members(instance() $(, $number)*)?;
            declare(place, shape, arguments, Kind::$kind, &members)
        }
    )* } };
}

declared! {
    /// `nodes p(4,2)`.
    xmprt_omni_init_nodes_static_global None Entire entire();
    /// `nodes p(4,*)`.
    xmprt_omni_init_nodes_dynamic_global EachStar Entire entire();
    /// `nodes p(4,2)=*`.
    xmprt_omni_init_nodes_static_exec None Executing executing();
    /// `nodes p(4,*)=*`.
    xmprt_omni_init_nodes_dynamic_exec Last Executing executing();
    /// Nodes of the images with some numbers.
    xmprt_omni_init_nodes_static_number None Equivalenced numbered(lower upper step);
    /// Nodes of the images with some numbers; the last size is free.
    xmprt_omni_init_nodes_dynamic_number Last Equivalenced numbered(lower upper step);
}

for_c! {
    /// `nodes q(2,2)=p(..)`.
    "nodes" fn xmprt_omni_init_nodes_static_named(
        place: Option<&Cell<Descriptor>>, dims: c_int, of: Rc<Object<NodeSet>>, arguments: &mut Arguments,
    ) {
        declare_part(place, dims, Places::None, of, arguments)
    }

    /// `nodes q(2,*)=p(..)`.
    "nodes" fn xmprt_omni_init_nodes_dynamic_named(
        place: Option<&Cell<Descriptor>>, dims: c_int, of: Rc<Object<NodeSet>>, arguments: &mut Arguments,
    ) {
        declare_part(place, dims, Places::Last, of, arguments)
    }

    /// The end of a declaration.
    "nodes" fn _XMP_finalize_nodes(_nodes: Released<NodeSet>) {
        Ok(())
    }
}

/// The executing nodes.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_get_execution_nodes() -> Descriptor {
    executing_nodes::known_nodes().unwrap_or_else(find_execution_nodes)
}

#[cold]
#[inline(never)]
fn find_execution_nodes() -> Descriptor {
    done("nodes", || Ok(executing_nodes::nodes(instance()).address()))
}

/// The number of this image among the executing nodes, from 0.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_get_execution_nodes_rank() -> c_int {
    any_thread().image.stack().index_and_size().0 as c_int - 1
}
