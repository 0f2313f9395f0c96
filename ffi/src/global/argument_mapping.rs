//! Checks the mapping of array arguments. An array argument of a procedure has a second descriptor for the same memory,
//! and both have to map it alike (XcalableMP 1.4, 6). So arrays are remembered by their addresses.
//!
//! If the mappings differ, the procedure takes elements for others. The program ends if the procedure would also take
//! other memory than there is. If each image has as many elements in the same places, the result may still be right (a
//! sum of all of them, for instance, on which programs rely), so it is a warning.

use super::array::ArrayObject;
use super::error::{DirectiveError, Outcome};
use super::objects::Object;
use crate::process::{self, OfImage, instance};
use std::cell::{LazyCell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::sync::Once;
use xmp_core::counted::counted;
use xmp_core::global::{Array, Runs};
use xmp_core::launch::report;

/// The arrays at an address, as the program has declared them.
static PLACED: OfImage<LazyCell<Placed>> = OfImage::lazy();

type Placed = RefCell<HashMap<usize, Vec<Weak<Object<ArrayObject>>>>>;

/// Keeps the address of an array, and compares its mapping with the mappings of other arrays at that address.
///
/// # Errors
/// When an array that is there, too, has its elements on this image in other places. A warning when it has other
/// elements in the same places.
pub fn check(array: &Rc<Object<ArrayObject>>) -> Outcome {
    let instance = instance();
    let rank = instance.image.rank();
    let (base, mapping) = (array.base(), array.mapping()?);
    let stores = array.coords(rank)?.is_some();
    if base.is_null() || !stores {
        return Ok(());
    }
    let mut placed = PLACED.of(instance).borrow_mut();
    // Procedures may have arrays at ever new addresses: dead ones are removed whenever the table has doubled.
    if placed.len().is_power_of_two() && !placed.contains_key(&base.addr()) {
        placed.retain(|_, arrays| arrays.iter().any(|array| array.strong_count() > 0));
    }
    let here = placed.entry(base.addr()).or_default();
    here.retain(|other| other.upgrade().is_some_and(|other| other.base() == base));
    let others = here.iter().filter_map(Weak::upgrade);
    for other in others.filter(|other| !Rc::ptr_eq(other, array)) {
        let others = other.mapping()?;
        let (Some(own), Some(theirs)) = (layout(&mapping, rank), layout(&others, rank)) else {
            continue;
        };
        if other.ndims() != array.ndims() || own == theirs {
            continue;
        }
        let why = format!(
            "an array argument is distributed in another way than the array that is passed: this node has {} here, and {} \
             where it comes from",
            shown(&own),
            shown(&theirs)
        );
        if places(&own) != places(&theirs) {
            return Err(DirectiveError::because(why));
        }
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let place = process::place().map_or_else(String::new, |place| format!("{place}: "));
            report(format_args!("{place}image {}: warning: {why}", rank.image()));
        });
    }
    if !here.iter().any(|other| other.as_ptr() == Rc::as_ptr(array)) {
        here.push(Rc::downgrade(array));
    }
    Ok(())
}

/// For each dimension: the number of stored elements, the place of the first own element, and the indices of the own
/// elements from the lower bound.
type Layout = Vec<(i64, i64, Vec<Runs>)>;

fn layout(array: &Array, rank: xmp_core::Rank) -> Option<Layout> {
    let coords = array.coords(rank).filter(|coords| array.has_elements(coords))?;
    let dim = |dim: usize| {
        let (part, align) = (array.part(dim, &coords), array.dims()[dim]);
        let owned = array.owned(dim, part);
        let first = owned.iter().map(|runs| runs.first).min().unwrap_or(align.lower);
        let indices = owned.iter().map(|runs| runs.shifted(-align.lower)).collect();
        (array.stored(dim, part), array.local_of_owned(dim, part, first), indices)
    };
    Some((0..array.dims().len()).map(dim).collect())
}

/// The used memory. For each dimension: the number of stored elements, the place of the first own element, and the
/// number of own elements.
fn places(layout: &Layout) -> Vec<(i64, i64, i64)> {
    let own = |runs: &[Runs]| runs.iter().map(Runs::total).sum();
    layout.iter().map(|(stored, first, runs)| (*stored, *first, own(runs))).collect()
}

fn shown(layout: &Layout) -> String {
    let dims = places(layout).into_iter().zip(layout).map(|((stored, first, own), (.., runs))| {
        let from = runs.iter().map(|runs| runs.first + 1).min().unwrap_or(1);
        let to = runs.iter().map(Runs::end).max().unwrap_or(0);
        let after = stored - first - own;
        let margins = if (first, after) == (0, 0) {
            String::new()
        } else {
            format!(" (with {first} other ones before and {after} after them)")
        };
        format!("{} from number {from} to {to}{margins}", counted(own, "element"))
    });
    dims.collect::<Vec<String>>().join(", ")
}
