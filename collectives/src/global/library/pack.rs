//! `xmp_pack` and `xmp_unpack`. The mask, and the array, are brought in the order of elements, each image a block of
//! it; the numbers of elements that the mask selects before each block say which of the packed ones are its own, and
//! those are next to one another.

use super::temporary::{Temporary, in_element_order, row};
use super::{Caller, Typed, invalid, shape, shown};
use crate::allgather;
use crate::global::{Element, Storage};
use xmp_core::global::{Pick, Progression, Section};
use xmp_core::{Error, Result};

/// Assigns the elements of `a` that the `mask` selects, all without one, in element order to the first ones of `v`.
/// Returns how many they are. What `v` has more is left as it is.
///
/// # Errors
/// [`Error::Invalid`] when `v` has not one dimension or too few elements, the mask has another shape than `a` or a type
/// that is no truth value or integer; and as [`crate::global::gmove()`].
///
/// # Safety
/// All are valid, `v` is none of the others, and no other image accesses its parts meanwhile.
pub unsafe fn pack(
    caller: Caller<'_>,
    v: &Storage,
    a: &Storage,
    mask: Option<Typed<'_>>,
) -> Result<u64> {
    let procedure = Procedure { name: "pack", caller, v, a, mask };
    // SAFETY: the storages are valid (contract above).
    unsafe {
        let Some(Parts { block, chosen, packed, section }) = procedure.parts()? else {
            return Ok(0);
        };
        caller.copy(procedure.name, &block.storage, a)?;
        chosen.for_each(a.element, |place, k| {
            let to = packed.storage.base.wrapping_add(k);
            to.copy_from_nonoverlapping(block.storage.base.wrapping_add(place), a.element);
        });
        let all = Section::all(&packed.storage.array);
        caller.copy_section(procedure.name, (v, &section), (&packed.storage, &all))?;
        Ok(all.shape()[0] as u64)
    }
}

/// Assigns the first elements of `v`, in element order, to those of `a` that the `mask` selects, or to all without one;
/// the others stay what they are. Returns how many they are.
///
/// # Errors
/// As [`pack`].
///
/// # Safety
/// As [`pack`], with `a` as what is none of the others.
pub unsafe fn unpack(
    caller: Caller<'_>,
    a: &Storage,
    v: &Storage,
    mask: Option<Typed<'_>>,
) -> Result<u64> {
    let procedure = Procedure { name: "unpack", caller, v, a, mask };
    // SAFETY: the storages are valid (contract above).
    unsafe {
        let Some(Parts { block, chosen, packed, section }) = procedure.parts()? else {
            return Ok(0);
        };
        let all = Section::all(&packed.storage.array);
        caller.copy_section(procedure.name, (&packed.storage, &all), (v, &section))?;
        if mask.is_some() {
            caller.copy(procedure.name, &block.storage, a)?;
        }
        chosen.for_each(a.element, |place, k| {
            let to = block.storage.base.wrapping_add(place);
            to.copy_from_nonoverlapping(packed.storage.base.wrapping_add(k), a.element);
        });
        caller.copy(procedure.name, a, &block.storage)?;
        Ok(all.shape()[0] as u64)
    }
}

#[derive(Clone, Copy)]
struct Procedure<'a> {
    name: &'static str,
    caller: Caller<'a>,
    v: &'a Storage,
    a: &'a Storage,
    mask: Option<Typed<'a>>,
}

impl<'a> Procedure<'a> {
    fn check(self) -> Result<()> {
        let of_v = shape(self.v);
        if of_v.len() != 1 {
            let text = format!("the packed elements are {}, not in one dimension", shown(&of_v));
            return Err(invalid(self.name, &text));
        }
        let mut arrays = vec![self.v, self.a];
        if let Some(mask) = self.mask {
            let (of_mask, of_a) = (shape(mask.storage), shape(self.a));
            if of_mask != of_a || mask.storage.array.order() != self.a.array.order() {
                let text = format!("a mask {} for {}", shown(&of_mask), shown(&of_a));
                return Err(invalid(self.name, &text));
            }
            if matches!(mask.element, Element::Real(_) | Element::Complex(_)) {
                return Err(invalid(self.name, &format!("a mask of {}", mask.element)));
            }
            arrays.push(mask.storage);
        }
        if self.v.element != self.a.element {
            let (v, a) = (self.v.element, self.a.element);
            let text = format!("elements of {v} and of {a} bytes");
            return Err(invalid(self.name, &text));
        }
        self.caller.check_nodes(self.name, &arrays)
    }

    /// What both procedures begin with: room for this image's block of the array and for its packed elements, and which
    /// they are; `None` if there are none at all.
    ///
    /// # Errors
    /// As [`pack`].
    ///
    /// # Safety
    /// As [`pack`].
    unsafe fn parts(self) -> Result<Option<Parts<'a>>> {
        self.check()?;
        let mapping = in_element_order(self.name, self.caller, &self.a.array)?;
        let block = Temporary::new(self.name, self.caller.image, mapping, self.a.element)?;
        // SAFETY: the storages are valid (contract above).
        let chosen = unsafe { self.chosen(block.len())? };
        let packed = self.packed(chosen.count)?;
        Ok(packed.map(|(packed, section)| Parts { block, chosen, packed, section }))
    }

    /// What the mask selects of this image's block, of so many elements.
    ///
    /// # Safety
    /// As [`pack`].
    unsafe fn chosen(self, len: usize) -> Result<Chosen<'a>> {
        let Some(mask) = self.mask else { return Ok(Chosen { mask: None, count: len }) };
        let (image, element) = (self.caller.image, mask.storage.element);
        let mapping = in_element_order(self.name, self.caller, &mask.storage.array)?;
        let block = Temporary::new(self.name, image, mapping, element)?;
        // SAFETY: the storages are valid (contract above).
        unsafe { self.caller.copy(self.name, &block.storage, mask.storage)? };
        let count = block.bytes().chunks_exact(element).filter(|value| is_true(value)).count();
        Ok(Chosen { mask: Some(block), count })
    }

    /// Room for the packed elements of all images, `count` of them here, and the section of `v` that corresponds;
    /// `None` if there are none at all.
    fn packed(self, count: usize) -> Result<Option<(Temporary<'a>, Section)>> {
        let Caller { image, set, .. } = self.caller;
        let mut lens = vec![0; set.len()];
        allgather(image, set, &[count as u64], &mut lens)?;
        let (total, of_v) = (lens.iter().sum::<u64>() as i64, self.v.array.dims()[0]);
        if total > of_v.extent() {
            let room = of_v.extent();
            let text =
                format!("{}: {total} elements are selected, there is room for {room}", self.name);
            return Err(Error::Invalid(text));
        }
        if total == 0 {
            return Ok(None);
        }
        let mapping = row(self.name, self.caller, &lens)?;
        let packed = Temporary::new(self.name, image, mapping, self.a.element)?;
        let first = Progression { first: of_v.lower, step: 1, count: total };
        let section = Section::new(&self.v.array, &[Pick::Row(first)]);
        Ok(Some((packed, section.map_err(|error| error.of(self.name))?)))
    }
}

/// What is brought from where to where.
struct Parts<'i> {
    /// This image's elements of the array, in element order.
    block: Temporary<'i>,
    /// Which of them are selected.
    chosen: Chosen<'i>,
    /// Those, behind one another.
    packed: Temporary<'i>,
    /// Where the packed elements of all images are in the vector.
    section: Section,
}

/// The elements of a block that are selected.
struct Chosen<'i> {
    mask: Option<Temporary<'i>>,
    count: usize,
}

impl Chosen<'_> {
    /// Calls `visit` with where a selected element lies in the block, and where among the packed ones of this image; in
    /// bytes.
    fn for_each(&self, element: usize, mut visit: impl FnMut(usize, usize)) {
        let Some(mask) = &self.mask else {
            (0..self.count).for_each(|k| visit(k * element, k * element));
            return;
        };
        let values = mask.bytes().chunks_exact(mask.storage.element);
        let places = values.enumerate().filter(|(_, value)| is_true(value));
        places.enumerate().for_each(|(k, (place, _))| visit(place * element, k * element));
    }
}

fn is_true(value: &[u8]) -> bool {
    value.iter().any(|&byte| byte != 0)
}
