//! `xmp_pack` and `xmp_unpack`. The array and the mask are moved to element order, a block for each image. The number of
//! elements that the mask selects before a block says where the packed elements of its image begin; they are contiguous.

use super::temporary::{Temporary, in_element_order, row};
use super::{Caller, Typed, invalid, shape, shown};
use crate::allgather;
use crate::global::gmove::Kind;
use crate::global::{Element, Storage};
use xmp_core::counted::counted;
use xmp_core::global::{Pick, Progression, Section};
use xmp_core::{Error, Result};

/// Assigns the elements of `a` that the `mask` selects, or all elements without a mask, to the first elements of `v`, in
/// element order. Returns their number. The other elements of `v` do not change.
///
/// # Errors
/// [`Error::Invalid`] when `v` has more than one dimension or too few elements, or the mask has another shape than `a` or
/// is not of truth values or integers; and those of [`crate::global::prepare_gmove()`].
pub fn pack(caller: Caller<'_>, v: &Storage, a: &Storage, mask: Option<Typed<'_>>) -> Result<u64> {
    let procedure = Procedure { name: "pack", caller, v, a, mask };
    let Some(Parts { block, chosen, mut packed, section }) = procedure.parts()? else {
        return Ok(0);
    };
    caller.copy(procedure.name, &block.storage, a)?;
    let (into, element) = (packed.bytes_mut(), a.element);
    chosen.for_each(element, |place, k| {
        into[k..k + element].copy_from_slice(&block.bytes()[place..place + element]);
    });
    let all = Section::all(&packed.storage.array);
    let left = v.section(&section);
    let right = packed.storage.section(&all);
    caller.assign(procedure.kind(), left, right)?;
    Ok(all.shape()[0] as u64)
}

/// Assigns the first elements of `v`, in element order, to the elements of `a` that the `mask` selects, or to all
/// elements without a mask. Returns their number. The other elements of `a` do not change.
///
/// # Errors
/// Those of [`pack`].
pub fn unpack(
    caller: Caller<'_>,
    a: &Storage,
    v: &Storage,
    mask: Option<Typed<'_>>,
) -> Result<u64> {
    let procedure = Procedure { name: "unpack", caller, v, a, mask };
    let Some(Parts { mut block, chosen, packed, section }) = procedure.parts()? else {
        return Ok(0);
    };
    let all = Section::all(&packed.storage.array);
    let left = packed.storage.section(&all);
    let right = v.section(&section);
    caller.assign(procedure.kind(), left, right)?;
    if mask.is_some() {
        caller.copy(procedure.name, &block.storage, a)?;
    }
    let (into, element) = (block.bytes_mut(), a.element);
    chosen.for_each(element, |place, k| {
        into[place..place + element].copy_from_slice(&packed.bytes()[k..k + element]);
    });
    caller.copy(procedure.name, a, &block.storage)?;
    Ok(all.shape()[0] as u64)
}

/// A pack or unpack.
#[derive(Clone, Copy)]
struct Procedure<'a> {
    name: &'static str,
    caller: Caller<'a>,
    v: &'a Storage,
    a: &'a Storage,
    mask: Option<Typed<'a>>,
}

impl<'a> Procedure<'a> {
    fn kind(self) -> Kind {
        Kind { name: self.name, transposed: false }
    }

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
            let text = format!("elements of {v} and of {}", counted(a, "byte"));
            return Err(invalid(self.name, &text));
        }
        self.caller.check_nodes(self.name, &arrays)
    }

    /// The first part of both procedures: memory for this image's block of the array and for its packed elements, and the
    /// selection. `None` if no element is selected.
    fn parts(self) -> Result<Option<Parts<'a>>> {
        self.check()?;
        let mapping = in_element_order(self.name, self.caller, &self.a.array)?;
        let block = Temporary::new(self.name, self.caller.image, mapping, self.a.element)?;
        let chosen = self.chosen(block.len())?;
        let packed = self.packed(chosen.count)?;
        Ok(packed.map(|(packed, section)| Parts { block, chosen, packed, section }))
    }

    /// The selection of this image's block, which has `len` elements.
    fn chosen(self, len: usize) -> Result<Selection<'a>> {
        let Some(mask) = self.mask else { return Ok(Selection { mask: None, count: len }) };
        let (image, element) = (self.caller.image, mask.storage.element);
        let mapping = in_element_order(self.name, self.caller, &mask.storage.array)?;
        let block = Temporary::new(self.name, image, mapping, element)?;
        self.caller.copy(self.name, &block.storage, mask.storage)?;
        let count = block.bytes().chunks_exact(element).filter(|value| is_true(value)).count();
        Ok(Selection { mask: Some(block), count })
    }

    /// Memory for the packed elements of all images, `count` of them here, and the corresponding section of `v`. `None` if
    /// no element is selected.
    fn packed(self, count: usize) -> Result<Option<(Temporary<'a>, Section)>> {
        let Caller { image, set, .. } = self.caller;
        let mut lens = vec![0; set.len()];
        allgather(image, set, &[count as u64], &mut lens)?;
        let (total, of_v) = (lens.iter().sum::<u64>() as i64, self.v.array.dims()[0]);
        if total > of_v.extent() {
            let room = of_v.extent();
            let total = counted(total, "element");
            let text = format!("{}: there is room for {room} of {total}", self.name);
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

/// The memory and the selection of a pack or unpack.
struct Parts<'i> {
    /// This image's elements of the array, in element order.
    block: Temporary<'i>,
    /// Which of them are selected.
    chosen: Selection<'i>,
    /// The selected elements, one after the other.
    packed: Temporary<'i>,
    /// The section of the vector for the packed elements of all images.
    section: Section,
}

/// The elements of a block that are selected.
struct Selection<'i> {
    mask: Option<Temporary<'i>>,
    count: usize,
}

impl Selection<'_> {
    /// Calls `visit` with the offsets in bytes of each selected element in the block and among the packed elements.
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
