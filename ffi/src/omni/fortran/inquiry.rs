//! Inquiries by name (XcalableMP 1.4, 7.2 to 7.5): those of C, with references as arguments.

use super::arguments::object;
use crate::omni::c::inquiry as c;
use crate::omni::objects::{ArrayObject, Descriptor};
use std::ffi::c_int;

/// Defines inquiries about an object.
macro_rules! of_object {
    ($($name:ident: $ask:ident, $answer:ty;)*) => { $(
        /// An inquiry about an object; 0 if there is an answer, which is written to the place.
        ///
        /// # Safety
        /// The pointers are valid, the first one to a variable with the descriptor.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(of: *const Descriptor, place: *mut $answer) -> c_int {
            // SAFETY: the caller's guarantee.
            unsafe { c::$ask(of.read(), place) }
        }
    )* };
}

/// Defines inquiries about a dimension of an object.
macro_rules! of_dimension {
    ($($name:ident: $ask:ident;)*) => { $(
        /// An inquiry about a dimension; 0 if there is an answer, which is written to the place.
        ///
        /// # Safety
        /// The pointers are valid, the first one to a variable with the descriptor; the place has room for what is
        /// asked.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            of: *const Descriptor,
            dim: *const c_int,
            place: *mut c_int,
        ) -> c_int {
            // SAFETY: the caller's guarantee.
            unsafe { c::$ask(of.read(), dim.read(), place) }
        }
    )* };
}

/// Defines inquiries about a dimension whose result is the answer.
macro_rules! result {
    ($($name:ident: $dim:ident => $answer:expr;)*) => { $(
        /// An inquiry about a dimension of an array.
        ///
        /// # Safety
        /// The pointers are valid, the first one to a variable with the descriptor.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(of: *const Descriptor, dim: *const c_int) -> c_int {
            // SAFETY: the caller's guarantee.
            let $dim = unsafe { (of.read(), dim.read()) };
            // SAFETY: as above.
            unsafe { $answer }
        }
    )* };
}

of_object! {
    xmp_nodes_ndims_: xmp_nodes_ndims, c_int;
    xmp_nodes_rank_: xmp_nodes_rank, c_int;
    xmp_nodes_attr_: xmp_nodes_attr, c_int;
    xmp_template_fixed_: xmp_template_fixed, c_int;
    xmp_template_ndims_: xmp_template_ndims, c_int;
    xmp_array_ndims_: xmp_array_ndims, c_int;
    xmp_array_lead_dim_: xmp_array_lead_dim, c_int;
    xmp_array_lda_: xmp_array_lda, c_int;
    xmpf_desc_kind_: xmp_desc_kind, c_int;
    xmp_align_template_: xmp_align_template, Descriptor;
    xmp_dist_nodes_: xmp_dist_nodes, Descriptor;
}

of_dimension! {
    xmp_nodes_index_: xmp_nodes_index;
    xmp_nodes_size_: xmp_nodes_size;
    xmp_template_lbound_: xmp_template_lbound;
    xmp_template_ubound_: xmp_template_ubound;
    xmp_dist_format_: xmp_dist_format;
    xmp_dist_blocksize_: xmp_dist_blocksize;
    xmp_dist_gblockmap_: xmp_dist_gblockmap;
    xmp_dist_axis_: xmp_dist_axis;
    xmp_align_axis_: xmp_align_axis;
    xmp_align_offset_: xmp_align_offset;
    xmp_align_replicated_: xmp_align_replicated;
    xmp_array_lbound_: xmp_array_lbound;
    xmp_array_ubound_: xmp_array_ubound;
    xmp_array_lshadow_: xmp_array_lshadow;
    xmp_array_ushadow_: xmp_array_ushadow;
    xmp_array_lsize_: xmp_array_lsize;
}

/// A number that is written to a place.
fn written(ask: impl FnOnce(*mut c_int) -> c_int) -> c_int {
    let mut value = 0;
    ask(&raw mut value);
    value
}

result! {
    xmp_lbound_: of => written(|place| c::xmp_array_lbound(of.0, of.1, place));
    xmp_ubound_: of => written(|place| c::xmp_array_ubound(of.0, of.1, place));
    xmp_array_gsize_: of => c::xmp_array_gsize(of.0, of.1);
}

/// The local index of an index on the node that has it.
///
/// # Safety
/// The pointers are valid, `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_gtol_(
    array: *const Descriptor,
    dim: *const c_int,
    index: *const c_int,
    place: *mut c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { c::xmp_array_gtol(array.read(), dim.read(), index.read(), place) }
}

/// The nodes that these are a part of, and which part.
///
/// # Safety
/// The pointers are valid, `nodes` describes nodes; there are places for each dimension of those they are a part of.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_nodes_equiv_(
    nodes: *const Descriptor,
    of: *mut Descriptor,
    lower: *mut c_int,
    upper: *mut c_int,
    step: *mut c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { c::xmp_nodes_equiv(nodes.read(), of, lower, upper, step) }
}

/// The numbers, from 0 among the executing nodes, of those that have an element; returns how many they are.
///
/// # Safety
/// The pointers are valid, `array` describes one; there is an index for each dimension and a place for each node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_owner_rank_(
    array: *const Descriptor,
    index: *const c_int,
    owners: *mut c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { c::xmp_array_owner_rank(array.read(), index, owners) }
}

/// The first of those.
///
/// # Safety
/// As [`xmp_array_owner_rank_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_calc_gmove_array_owner_linear_rank_scalar_(
    array: *const Descriptor,
    index: *const c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        let nodes = crate::omni::error::done("owner of an element", || {
            Ok(object::<ArrayObject>(array)?.mapping()?.nodes().len())
        });
        let mut owners = vec![0; nodes];
        c::xmp_array_owner_rank(array.read(), index, owners.as_mut_ptr());
        owners[0]
    }
}

/// `xmp_desc_of` is replaced by the translator.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_desc_of_() {}
