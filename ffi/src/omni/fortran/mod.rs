//! XMP/Fortran: the calls that the translator makes of directives, and the library that users call by name.
//!
//! Everything comes by reference: descriptors as variables of 8 bytes that hold them, 0 for an omitted clause. Indices and
//! dimensions of arrays are in the order of Fortran; dimensions count from 0 in calls that the translator makes, and from
//! 1 in those that users make. A LOGICAL has 4 bytes.

mod arguments;
mod array;
mod asynchronous;
mod barrier;
mod bcast;
mod element;
mod execution;
mod gmove;
mod index;
mod inquiry;
mod library;
mod loops;
mod nodes;
mod post;
mod reduction;
mod reference;
mod reflect;
mod task;
mod template;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_int;
use xmp_collectives::global::Variable;

/// What is said in several calls.
#[derive(Debug, Default)]
pub struct State {
    /// Sizes of the nodes that are being declared.
    sizes: RefCell<Vec<c_int>>,
    /// Bounds and formats of the templates that are being declared, by dimension.
    templates: RefCell<HashMap<usize, Vec<template::Said>>>,
    /// Location variables of the next reduction, by their number.
    locations: RefCell<Vec<Option<Variable>>>,
}
