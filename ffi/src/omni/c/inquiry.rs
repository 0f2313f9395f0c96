//! Inquiry functions (XcalableMP 1.4, 4.8.2), as Omni has them: dimensions count from 1, and those of templates and nodes
//! from the one that runs fastest. They return 0, or -1 where there is no answer.

use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{
    Alignment, ArrayObject, Descriptor, Dim, NodeSet, Object, TemplateObject,
};
use crate::process::{communicator, instance};
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use xmp_core::global::{Array, Axis, Coords, Distribution, Format, Progression, Subscript};

/// Codes of `xmp_dist_format`.
mod format {
    pub const NOT_DISTRIBUTED: i32 = 2100;
    pub const BLOCK: i32 = 2101;
    pub const CYCLIC: i32 = 2102;
    pub const GBLOCK: i32 = 2103;
}

/// A dimension counted from 1, of so many.
fn dimension(dim: c_int, dims: usize) -> Outcome<usize> {
    match usize::try_from(i64::from(dim) - 1) {
        Ok(index) if index < dims => Ok(index),
        _ => Err(Wrong::because(format!("there is no dimension {dim}, but {dims} of them"))),
    }
}

/// An array, and what is asked of it.
///
/// # Safety
/// `descriptor` describes one.
unsafe fn of_array<T>(
    name: &str,
    descriptor: Descriptor,
    answer: impl FnOnce(&ArrayObject) -> Outcome<T>,
) -> T {
    // SAFETY: the caller's guarantee.
    done(name, || answer(unsafe { Object::<ArrayObject>::of(descriptor)? }))
}

/// The same of one of its dimensions.
///
/// # Safety
/// As [`of_array`].
unsafe fn of_dim<T>(
    name: &str,
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce(&ArrayObject, usize, Dim) -> Outcome<T>,
) -> T {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_array(name, descriptor, |array| {
            let index = dimension(dim, array.ndims())?;
            answer(array, index, array.dim(index)?)
        })
    }
}

/// A template, and what is asked of it.
///
/// # Safety
/// `descriptor` describes one.
unsafe fn of_template<T>(
    name: &str,
    descriptor: Descriptor,
    answer: impl FnOnce(&TemplateObject) -> Outcome<T>,
) -> T {
    // SAFETY: the caller's guarantee.
    done(name, || answer(unsafe { Object::<TemplateObject>::of(descriptor)? }))
}

/// The same of one of its dimensions.
///
/// # Safety
/// As [`of_template`].
unsafe fn of_axis<T>(
    name: &str,
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce(&Distribution, usize, &Axis) -> Outcome<T>,
) -> T {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_template(name, descriptor, |template| {
            let distribution = template.distribution()?;
            let index = dimension(dim, template.ndims())?;
            answer(&distribution, index, &distribution.axes()[index])
        })
    }
}

/// Nodes, and what is asked of them.
///
/// # Safety
/// `descriptor` describes some.
unsafe fn of_nodes<T>(
    name: &str,
    descriptor: Descriptor,
    answer: impl FnOnce(&NodeSet) -> Outcome<T>,
) -> T {
    // SAFETY: the caller's guarantee.
    done(name, || answer(unsafe { Object::<NodeSet>::of(descriptor)? }))
}

/// First and last index that this image has in a dimension; of none an empty range.
fn own_bounds(array: &ArrayObject, dim: usize) -> Outcome<(i64, i64)> {
    let mapping = array.mapping()?;
    let Some(coords) = mapping.coords(instance().image.rank()) else { return Ok((0, -1)) };
    let owned = mapping.owned(dim, mapping.part(dim, &coords));
    Ok(match owned.iter().map(|runs| runs.first).min() {
        Some(first) => {
            (first, owned.iter().map(|runs| runs.end() - 1).max().expect("as many as before"))
        }
        None => (0, -1),
    })
}

/// What this image stores of an array.
fn here(array: &ArrayObject) -> Outcome<(Rc<Array>, Option<Coords>)> {
    let mapping = array.mapping()?;
    let coords = mapping.coords(instance().image.rank());
    Ok((mapping, coords))
}

/// Defines inquiries whose answer is written to a place.
macro_rules! written {
    ($($(#[$doc:meta])* $name:ident($($dim:ident)?) $of:ident |$($arg:ident),*| $answer:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// The descriptor is one of the right kind, the place is valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            descriptor: Descriptor,
            $($dim: c_int,)?
            place: *mut c_int,
        ) -> c_int {
            // SAFETY: the caller's guarantee.
            unsafe {
                let value: i64 = $of(stringify!($name), descriptor, $($dim,)? |$($arg),*| $answer);
                place.write(value as c_int);
            }
            0
        }
    )* };
}

/// Defines inquiries that return their answer.
macro_rules! returned {
    ($($(#[$doc:meta])* $name:ident $of:ident |$($arg:ident),*| $answer:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// The descriptor is one of the right kind.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(descriptor: Descriptor, dim: c_int) -> c_int {
            // SAFETY: the caller's guarantee.
            unsafe {
                let value: i64 = $of(stringify!($name), descriptor, dim, |$($arg),*| $answer);
                value as c_int
            }
        }
    )* };
}

written! {
    /// Dimensions of an array.
    xmp_array_ndims() of_array |array| Ok(array.ndims() as i64);
    /// First index of an array.
    xmp_array_lbound(dim) of_dim |_a, _d, dim| Ok(dim.lower);
    /// Last index of an array.
    xmp_array_ubound(dim) of_dim |_a, _d, dim| Ok(dim.upper);
    /// Elements that this image stores in a dimension, with the shadow.
    xmp_array_lsize(dim) of_dim |array, index, _d| {
        let (mapping, coords) = here(array)?;
        Ok(coords.map_or(0, |coords| mapping.stored(index, mapping.part(index, &coords))))
    };
    /// Width of the upper shadow.
    xmp_array_ushadow(dim) of_dim |_a, _d, dim| Ok(dim.shadow.widths().1);
    /// Width of the lower shadow.
    xmp_array_lshadow(dim) of_dim |_a, _d, dim| Ok(dim.shadow.widths().0);
    /// The template dimension that a dimension is aligned with, from 1; 0 for none.
    xmp_align_axis(dim) of_dim |_a, _d, dim| Ok(match dim.alignment {
        Alignment::With { axis, .. } => axis as i64 + 1,
        Alignment::Nothing => 0,
    });
    /// The offset of the alignment.
    xmp_align_offset(dim) of_dim |_a, _d, dim| Ok(match dim.alignment {
        Alignment::With { offset, .. } => offset,
        Alignment::Nothing => 0,
    });
    /// Whether all nodes along a template dimension have copies: none of the array is aligned with it.
    xmp_align_replicated(dim) of_array_axis |array, axis| {
        let is_it = |dim: Dim| matches!(dim.alignment, Alignment::With { axis: of, .. } if of == axis);
        let mut used = false;
        for dim in 0..array.ndims() {
            used |= is_it(array.dim(dim)?);
        }
        Ok((!used).into())
    };
    /// Whether a template is fixed.
    xmp_template_fixed() of_template |template| Ok(template.is_fixed().into());
    /// Dimensions of a template.
    xmp_template_ndims() of_template |template| Ok(template.ndims() as i64);
    /// First index of a template.
    xmp_template_lbound(dim) of_bounds |bounds| Ok(bounds.0);
    /// Last index of a template.
    xmp_template_ubound(dim) of_bounds |bounds| Ok(bounds.1);
    /// The format of a dimension.
    xmp_dist_format(dim) of_format |known| Ok(match known {
        Format::Collapsed => format::NOT_DISTRIBUTED,
        Format::Block | Format::BlockOf(_) => format::BLOCK,
        Format::Cyclic | Format::CyclicOf(_) => format::CYCLIC,
        Format::Gblock(_) | Format::GblockStar => format::GBLOCK,
    }.into());
    /// Width of a block; of `*` all.
    xmp_dist_blocksize(dim) of_axis |distribution, index, axis| Ok(block_size(distribution, index, axis));
    /// The dimension of the nodes that a dimension is distributed over, from 1; 0 for none.
    xmp_dist_axis(dim) of_axis |distribution, index, _axis| {
        Ok(distribution.node_dim(index).map_or(0, |dim| dim as i64 + 1))
    };
    /// Dimensions of nodes.
    xmp_nodes_ndims() of_nodes |nodes| Ok(nodes.nodes.shape().len() as i64);
    /// The coordinate of this image, from 1.
    xmp_nodes_index(dim) of_nodes_dim |nodes, dim| Ok(nodes.coord(dim) as i64 + 1);
    /// Nodes in a dimension.
    xmp_nodes_size(dim) of_nodes_dim |nodes, dim| Ok(nodes.nodes.shape()[dim] as i64);
    /// The number of this image among nodes, from 1; 0 if it is none of them.
    xmp_nodes_rank() of_nodes |nodes| {
        let position = nodes.nodes.members().position(instance().image.rank());
        Ok(position.map_or(0, |position| position as i64 + 1))
    };
}

returned! {
    /// Indices of a dimension.
    xmp_array_gsize of_dim |_a, _d, dim| Ok(dim.upper - dim.lower + 1);
    /// First index that this image has.
    xmp_array_gcllbound of_dim |array, index, _d| Ok(own_bounds(array, index)?.0);
    /// Last index that this image has.
    xmp_array_gclubound of_dim |array, index, _d| Ok(own_bounds(array, index)?.1);
    /// Local index of the first one that this image has.
    xmp_array_lcllbound of_dim |_a, _d, dim| Ok(dim.shadow.widths().0);
    /// Local index of the last one that this image has.
    xmp_array_lclubound of_dim |array, index, dim| {
        let (mapping, coords) = here(array)?;
        let count = coords.map_or(0, |coords| mapping.count(index, mapping.part(index, &coords)));
        Ok(dim.shadow.widths().0 + count - 1)
    };
    /// First index of an array.
    xmp_array_gcglbound of_dim |_a, _d, dim| Ok(dim.lower);
    /// Last index of an array.
    xmp_array_gcgubound of_dim |_a, _d, dim| Ok(dim.upper);
    /// How a dimension is distributed.
    xmp_align_format of_dim |array, _i, dim| Ok(match dim.alignment {
        Alignment::Nothing => 199,
        Alignment::With { axis, .. } => match array.template.format(axis) {
            Some(Format::Block | Format::BlockOf(_)) => 101,
            Some(Format::Cyclic) => 102,
            Some(Format::CyclicOf(_)) => 103,
            Some(Format::Gblock(_) | Format::GblockStar) => 104,
            Some(Format::Collapsed) | None => 100,
        },
    });
    /// Width of a block of a dimension; all of it where it is not distributed.
    xmp_align_size of_dim |array, index, dim| {
        let (mapping, coords) = here(array)?;
        Ok(match dim.alignment {
            Alignment::With { axis, .. } => {
                let distribution = mapping.distribution();
                block_size(distribution, axis, &distribution.axes()[axis])
            }
            Alignment::Nothing => {
                coords.map_or(0, |coords| mapping.count(index, mapping.part(index, &coords)))
            }
        })
    };
    /// Indices of a template.
    xmp_template_gsize of_bounds |bounds| Ok(bounds.1 - bounds.0 + 1);
    /// Width of what a node has at most of a template dimension.
    xmp_template_lsize of_axis |_t, _i, axis| {
        Ok((0..axis.nodes()).map(|node| axis.count(node)).max().unwrap_or(0))
    };
    /// Distance between the blocks of a node.
    xmp_dist_stride of_axis |_t, _i, axis| Ok(match axis.is_blocked() {
        true => 1,
        false => axis.width().unwrap_or(1) * axis.nodes() as i64,
    });
}

fn block_size(distribution: &Distribution, index: usize, axis: &Axis) -> i64 {
    axis.width().unwrap_or_else(|| match distribution.coords(instance().image.rank()) {
        Some(coords) => axis.count(distribution.coord(index, &coords)),
        None => 0,
    })
}

/// Of a template dimension, from 1, asked of an array.
///
/// # Safety
/// As [`of_array`].
unsafe fn of_array_axis<T>(
    name: &str,
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce(&ArrayObject, usize) -> Outcome<T>,
) -> T {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_array(name, descriptor, |array| answer(array, dimension(dim, array.template.ndims())?))
    }
}

/// Of the bounds of a template dimension.
///
/// # Safety
/// As [`of_template`].
unsafe fn of_bounds<T>(
    name: &str,
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce((i64, i64)) -> Outcome<T>,
) -> T {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_template(name, descriptor, |template| {
            let index = dimension(dim, template.ndims())?;
            let bounds = template.bounds();
            answer(bounds.ok_or_else(|| Wrong::because("the template is not fixed"))?[index])
        })
    }
}

/// Of the format of a template dimension.
///
/// # Safety
/// As [`of_template`].
unsafe fn of_format<T>(
    name: &str,
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce(Format) -> Outcome<T>,
) -> T {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_template(name, descriptor, |template| {
            let format = template.format(dimension(dim, template.ndims())?);
            answer(format.ok_or_else(|| Wrong::because("the template is not distributed"))?)
        })
    }
}

/// Of a dimension of nodes.
///
/// # Safety
/// As [`of_nodes`].
unsafe fn of_nodes_dim<T>(
    name: &str,
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce(&NodeSet, usize) -> Outcome<T>,
) -> T {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_nodes(name, descriptor, |nodes| {
            answer(nodes, dimension(dim, nodes.nodes.shape().len())?)
        })
    }
}

/// First index that this image has.
///
/// # Safety
/// `array` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_lbound_global(array: Descriptor, dim: c_int, index: *mut c_int) {
    // SAFETY: the caller's guarantee.
    unsafe { index.write(xmp_array_gcllbound(array, dim)) }
}

/// Last index that this image has.
///
/// # Safety
/// As [`xmp_array_lbound_global`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_ubound_global(array: Descriptor, dim: c_int, index: *mut c_int) {
    // SAFETY: the caller's guarantee.
    unsafe { index.write(xmp_array_gclubound(array, dim)) }
}

/// Bytes of an element.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_type_size(array: Descriptor) -> usize {
    // SAFETY: the caller's guarantee.
    unsafe { of_array("xmp_array_type_size", array, |array| Ok(array.element)) }
}

/// Where this image has its part.
///
/// # Safety
/// `array` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_laddr(array: Descriptor, place: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { place.write(of_array("xmp_array_laddr", array, |array| Ok(array.base().cast()))) };
    0
}

/// Distances between elements, of all dimensions.
///
/// # Safety
/// `array` describes one, there is room for all dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_lead_dim(array: Descriptor, places: *mut c_int) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_array("xmp_array_lead_dim", array, |array| {
            let (mapping, coords) = here(array)?;
            for dim in 0..array.ndims() {
                let stride = coords.as_ref().map_or(0, |coords| mapping.strides(coords)[dim]);
                places.add(dim).write(stride as c_int);
            }
            Ok(())
        });
    }
    0
}

/// The node along a dimension that has an index, from 0; where all have it, the first.
fn owner(mapping: &Array, dim: usize, index: i64) -> Outcome<usize> {
    let align = &mapping.dims()[dim];
    if !(align.lower..=align.upper).contains(&index) {
        let (lower, upper) = (align.lower, align.upper);
        let why = format!("index {index} is not within {lower}:{upper} of dimension {}", dim + 1);
        return Err(Wrong::because(why));
    }
    let owner = |axis: usize| mapping.distribution().axes()[axis].owner(index + align.offset);
    Ok(align.axis.map_or(0, owner))
}

/// The local index of an index, on the image that has it.
///
/// # Safety
/// `array` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_gtol(
    array: Descriptor,
    dim: c_int,
    index: c_int,
    place: *mut c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        let local = of_dim("xmp_array_gtol", array, dim, |array, dim, _| {
            let mapping = array.mapping()?;
            let part = owner(&mapping, dim, index.into())?;
            Ok(mapping.local_of_owned(dim, part, index.into()))
        });
        place.write(local as c_int);
    }
    0
}

/// The node along a dimension that has an element, from 1.
///
/// # Safety
/// `array` describes one; `index` has an index for each dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_owner(
    array: Descriptor,
    _dims: c_int,
    index: *const c_int,
    dim: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_dim("xmp_array_owner", array, dim, |array, dim, _| {
            let index = index.add(dim).read();
            Ok(owner(&*array.mapping()?, dim, index.into())? as c_int + 1)
        })
    }
}

/// The executing images that have an element, from 0; their number.
///
/// # Safety
/// `array` describes one; `index` has an index for each dimension, `owners` room for all nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_owner_rank(
    array: Descriptor,
    index: *const c_int,
    owners: *mut c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_array("xmp_array_owner_rank", array, |array| {
            let mapping = array.mapping()?;
            let of_dim = |dim| i64::from(index.add(dim).read());
            let index: Vec<i64> = (0..array.ndims()).map(of_dim).collect();
            for (dim, &index) in index.iter().enumerate() {
                owner(&mapping, dim, index)?;
            }
            let executing = instance().image.executing();
            let mut count = 0;
            for coords in mapping.owners(&index) {
                let position = executing.position_of(mapping.nodes().rank(&coords));
                owners.add(count).write(position.map_or(-1, |position| position as c_int));
                count += 1;
            }
            Ok(count as c_int)
        })
    }
}

/// The template of an array.
///
/// # Safety
/// `array` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_align_template(array: Descriptor, place: *mut Descriptor) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        place.write(of_array("xmp_align_template", array, |array| Ok(array.template.address())));
    }
    0
}

/// The nodes of a template.
///
/// # Safety
/// `template` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_dist_nodes(template: Descriptor, place: *mut Descriptor) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        place.write(of_template("xmp_dist_nodes", template, |template| {
            Ok(template.nodes()?.address())
        }));
    }
    0
}

/// Sizes of the blocks of a dimension.
///
/// # Safety
/// `template` describes one, there is room for all nodes of the dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_dist_gblockmap(
    template: Descriptor,
    dim: c_int,
    map: *mut c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_axis("xmp_dist_gblockmap", template, dim, |_, _, axis| {
            for node in 0..axis.nodes() {
                map.add(node).write(axis.count(node) as c_int);
            }
            Ok(())
        });
    }
    0
}

/// The nodes that nodes were declared to be a part of, and which; -1 if none.
///
/// # Safety
/// `nodes` describes some, the places are valid and have room for all dimensions of the others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_nodes_equiv(
    nodes: Descriptor,
    place: *mut Descriptor,
    lower: *mut c_int,
    upper: *mut c_int,
    step: *mut c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_nodes("xmp_nodes_equiv", nodes, |nodes| {
            let Some(equivalence) = &nodes.equivalence else {
                place.write(std::ptr::null_mut());
                return Ok(-1);
            };
            place.write(equivalence.of.address());
            for (dim, subscript) in equivalence.subscripts.iter().enumerate() {
                let row = match *subscript {
                    Subscript::Some(row) => row,
                    Subscript::At(index) => Progression::one(index),
                    Subscript::All => {
                        let count = equivalence.of.nodes.shape()[dim] as i64;
                        Progression { first: 1, step: 1, count }
                    }
                    Subscript::Own => Progression::one(equivalence.of.coord(dim) as i64 + 1),
                };
                lower.add(dim).write(row.first as c_int);
                upper.add(dim).write(row.last() as c_int);
                step.add(dim).write(row.step as c_int);
            }
            Ok(0)
        })
    }
}

/// The communicator of nodes: the address of an `MPI_Comm`, which is valid until the end.
///
/// # Safety
/// `nodes` describes some that this image is one of, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_nodes_comm(nodes: Descriptor, place: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_nodes("xmp_nodes_comm", nodes, |nodes| {
            let instance = instance();
            let set = nodes.set(&instance.image)?;
            let set = set.ok_or_else(|| Wrong::because("this image is none of the nodes"))?;
            let communicator = communicator(instance, &set)?;
            place.write((&raw mut *Box::leak(Box::new(communicator.c))).cast());
            Ok(0)
        })
    }
}

/// What a descriptor describes.
///
/// # Safety
/// It is null or one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_desc_kind(descriptor: Descriptor, kind: *mut c_int) -> c_int {
    if descriptor.is_null() {
        return -1;
    }
    // SAFETY: the caller's guarantee.
    unsafe { kind.write(descriptor.cast::<c_int>().read()) };
    0
}
