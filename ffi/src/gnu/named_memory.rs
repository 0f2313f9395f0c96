//! The search for the coarray that has a byte of the memory of an image: for messages about races with loads and stores of the
//! program, which know an address only.

use super::designator::element_at;
use super::named_component;
use super::token::Token;
use crate::process::{Instance, OfImage, Selector};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use xmp_core::Rank;

/// The coarrays that exist, by their offsets in the memory of this image. Kept where races are looked for.
static COARRAYS: OfImage<RefCell<BTreeMap<u64, NonNull<Token>>>> =
    OfImage::new(RefCell::new(BTreeMap::new()));

/// A coarray is allocated, with this token.
#[inline]
pub fn allocated(instance: &Instance, token: NonNull<Token>) {
    if instance.image.races().is_some() {
        // SAFETY: the token was made just now.
        let offset = unsafe { token.as_ref() }.block.offset;
        COARRAYS.of(instance).borrow_mut().insert(offset, token);
    }
}

/// The coarray at this offset is deallocated.
#[inline]
pub fn deallocated(instance: &Instance, offset: u64) {
    COARRAYS.of(instance).borrow_mut().remove(&offset);
}

/// Where the coarray begins that has this byte of the memory of an image.
#[cold]
pub fn start_of(instance: &Instance, offset: u64) -> Option<u64> {
    let coarrays = COARRAYS.of(instance).try_borrow().ok()?;
    coarrays.range(..=offset).next_back().map(|(&start, _)| start)
}

/// The element, or the element of a component, that has this byte of the memory of an image. A coarray has the same offset on all images.
#[cold]
pub fn name_of(instance: &Instance, of: Rank, offset: u64, selector: Selector) -> Option<String> {
    let coarrays = COARRAYS.of(instance).try_borrow().ok()?;
    let image = &instance.image;
    let index = match selector {
        Selector::Image => match image.executing().position_of(of) {
            Some(position) => position + 1,
            // Coarrays of the initial team have the same offset on images outside of the current team, too.
            None if image.layout().heap.contains(&offset) => of.index() + 1,
            None => return None,
        },
        Selector::None => 0,
    };
    let index = index as i32;
    // SAFETY: deregistration takes tokens out of the table.
    let all = coarrays.values().map(|token| unsafe { token.as_ref() });
    // SAFETY: as above. Of objects of derived type it is the component that has the byte.
    let at = |token: &NonNull<Token>| element_at(unsafe { token.as_ref() }, index, offset);
    let element = coarrays.range(..=offset).next_back().and_then(|(_, token)| at(token));
    let element = element.map(|name| name.to_string());
    let name = element.or_else(|| named_component::name_of(image, all, of, offset, index))?;
    // Messages count images as the initial team does, and image selectors as the current team does.
    let is_other_number = index > 0 && index as usize != of.index() + 1;
    Some(if is_other_number { format!("{name} ({of} of the initial team)") } else { name })
}
