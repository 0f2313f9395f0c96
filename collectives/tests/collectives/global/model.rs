//! Random mappings, and arrays that know what every element should be.

use crate::common::Dice;
use std::rc::Rc;
use xmp_collectives::global::Storage;
use xmp_core::global::{
    Align, Array, Format, Kind, Nodes, Order, Progression, Section, Shadow, Size, Template,
};
use xmp_core::global::{Coords, Pick};
use xmp_core::image_set::Members;
use xmp_core::{Image, Rank};

/// Runs `body` on 1, 2, 3, 4, 7 and 8 images on 1 and 2 virtual hosts.
pub fn on_shapes(body: impl Fn(&Image) + Sync) {
    for images in [1, 2, 3, 4, 7, 8] {
        for hosts in (1..=2).filter(|&hosts| hosts <= images) {
            xmp_core::transport::threads::run(images, hosts, &body).unwrap();
        }
    }
}

/// A node array with this many dimensions, of some of the images in some order.
pub fn nodes(dice: &Dice, images: usize, ndims: usize) -> Rc<Nodes> {
    let order = if dice.roll(2) == 0 { Order::C } else { Order::Fortran };
    let mut left = images;
    let sizes: Vec<Size> = (0..ndims)
        .map(|_| {
            let size = 1 + dice.roll(left.min(4));
            left /= size;
            Size::Nodes(size)
        })
        .collect();
    let ranks: Vec<Rank> = (0..images as u32).map(Rank::new).collect();
    let ranks = match dice.roll(3) {
        0 => ranks.into_iter().rev().collect(),
        _ => ranks,
    };
    let set = Members::from_list(&ranks).unwrap();
    Rc::new(Nodes::new(&sizes, order, Kind::Entire, &set).unwrap())
}

/// How an array is to be made.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub ndims: usize,
    /// Whether all dimensions are to be blocks with shadows.
    pub shadows: bool,
}

/// A random mapping of an array of any shape.
pub fn array(dice: &Dice, images: usize, wanted: Wanted) -> Rc<Array> {
    let most = [30, 12, 7][wanted.ndims - 1];
    let extents: Vec<i64> = (0..wanted.ndims).map(|_| 1 + dice.roll(most) as i64).collect();
    let order = if dice.roll(2) == 0 { Order::C } else { Order::Fortran };
    array_of(dice, images, wanted.shadows, &extents, order)
}

/// A random mapping of an array of this shape; with shadows in blocked dimensions only, if they are wanted.
pub fn array_of(
    dice: &Dice,
    images: usize,
    shadows: bool,
    extents: &[i64],
    order: Order,
) -> Rc<Array> {
    let kinds: Vec<usize> = extents
        .iter()
        .map(|_| if shadows { [0, 1, 4, 5][dice.roll(4)] } else { dice.roll(7) })
        .collect();
    let spread = kinds.iter().filter(|&&kind| kind < 5).count();
    // Perhaps a dimension of nodes along which all, or one, have the array.
    let extra = dice.roll(3) == 0;
    let nodes = nodes(dice, images, (spread + usize::from(extra)).max(1));
    let (mut bounds, mut formats, mut aligns) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 0;
    for (&kind, &extent) in kinds.iter().zip(extents) {
        let (lower, offset) = (dice.roll(9) as i64 - 4, dice.roll(5) as i64 - 2);
        let (before, after) = (dice.roll(3) as i64, dice.roll(3) as i64);
        let all = before + extent + after;
        let over = if kind < 5 { nodes.shape()[next] } else { 1 };
        next += usize::from(kind < 5);
        let format = match kind {
            0 => Format::Block,
            1 => Format::BlockOf((all - 1) / over as i64 + 1 + dice.roll(3) as i64),
            2 => Format::Cyclic,
            3 => Format::CyclicOf(1 + dice.roll(4) as i64),
            4 => {
                let mut cuts: Vec<i64> =
                    (1..over).map(|_| dice.roll(all as usize + 1) as i64).collect();
                cuts.extend([0, all]);
                cuts.sort_unstable();
                Format::Gblock(cuts.windows(2).map(|pair| pair[1] - pair[0]).collect())
            }
            _ => Format::Collapsed,
        };
        let shadow = match (dice.roll(6), matches!(kind, 2 | 3)) {
            (0, _) => Shadow::Full,
            (1..=3, false) => {
                Shadow::Widths { lower: dice.roll(3) as i64, upper: dice.roll(3) as i64 }
            }
            (_, false) if shadows => Shadow::Widths { lower: 2, upper: 1 },
            _ => Shadow::NONE,
        };
        let template_lower = lower + offset - before;
        let align = match kind {
            6 => Align::collapsed(lower, lower + extent - 1),
            _ => Align::with(lower, lower + extent - 1, bounds.len(), offset),
        };
        aligns.push(align.shadow(shadow));
        bounds.push((template_lower, template_lower + all - 1));
        formats.push(format);
    }
    let mut at = Vec::new();
    if extra {
        bounds.push((0, 9));
        formats.push(Format::Cyclic);
        if dice.roll(2) == 0 {
            at.push((bounds.len() - 1, dice.roll(10) as i64));
        }
    }
    let mut template = Template::fixed(&bounds).unwrap();
    template.distribute(formats, nodes).unwrap();
    Rc::new(Array::new(template.distribution().unwrap().clone(), &aligns, &at, order).unwrap())
}

/// All indices of some rows, the last one fastest.
pub fn product(rows: &[Progression]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for row in rows {
        let with = |head: &Vec<i64>, index| [&head[..], &[index]].concat();
        all = all.iter().flat_map(|head| row.iter().map(move |index| with(head, index))).collect();
    }
    all
}

/// All indices of an array.
pub fn indices(array: &Array) -> Vec<Vec<i64>> {
    product(&rows(array, &Section::all(array)))
}

/// The rows of a section.
pub fn rows(array: &Array, section: &Section) -> Vec<Progression> {
    (0..array.dims().len()).map(|dim| section.row(dim)).collect()
}

/// A value of an element that depends on all three.
pub fn value(salt: u64, index: &[i64]) -> u64 {
    let mix = |value: u64, i: &i64| {
        (value ^ *i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
    };
    index.iter().fold(salt.wrapping_mul(0xd6e8_feb8_6659_fd93), mix)
}

/// What is in the shadow before anything is done.
pub const UNTOUCHED: u64 = 0x5ad0_5ad0_5ad0_5ad0;

/// An image's part of an array of elements of some bytes.
pub struct Part<'a> {
    pub storage: Storage,
    pub coords: Option<Coords>,
    own: Vec<u8>,
    in_segment: Option<u64>,
    image: &'a Image,
    len: usize,
}

impl<'a> Part<'a> {
    /// All elements have a value of their own if they are this image's; all other places are untouched.
    pub fn new(
        image: &'a Image,
        array: Rc<Array>,
        element: usize,
        in_segment: bool,
        salt: u64,
    ) -> Part<'a> {
        let len = Storage::bytes(&array, element, image).unwrap();
        let mut own = vec![0; if in_segment { 0 } else { len }];
        let in_segment =
            in_segment.then(|| image.memory().allocate_local(len as u64 + 1, 64).unwrap());
        let base = match in_segment {
            Some(offset) => image.own_segment().wrapping_add(offset as usize),
            None => own.as_mut_ptr(),
        };
        let coords = array.coords(image.rank()).filter(|coords| array.has_elements(coords));
        // SAFETY: `base` has `len` bytes, which live as long as the part.
        let storage = unsafe { Storage::new(array, element, base) };
        let part = Part { storage, coords, own, in_segment, image, len };
        for place in 0..len / element {
            part.put(place as i64, UNTOUCHED);
        }
        for index in indices(part.storage.array()) {
            if let Some(place) = part.place(&index) {
                part.put(place, value(salt, &index));
            }
        }
        part
    }

    /// Offsets in their segments where all images store their parts, which are in segments.
    pub fn offsets(&self) -> Vec<u64> {
        let set = self.image.executing();
        let mut all = vec![0; set.len()];
        let mine = [self.in_segment.expect("a part in a segment")];
        xmp_collectives::allgather(self.image, &set, &mine, &mut all).unwrap();
        all
    }

    /// Number of elements that are stored.
    pub fn places(&self) -> i64 {
        (self.len / self.storage.element()) as i64
    }

    /// Where an element is, if this image has it.
    pub fn place(&self, index: &[i64]) -> Option<i64> {
        self.storage.array().place(self.coords.as_ref()?, index)
    }

    fn bytes(&self, value: u64) -> Vec<u8> {
        value.to_ne_bytes().into_iter().cycle().take(self.storage.element()).collect()
    }

    pub fn put(&self, place: i64, value: u64) {
        let (bytes, at) = (self.bytes(value), place as usize * self.storage.element());
        assert!(at + bytes.len() <= self.len);
        // SAFETY: within the part; the test's own memory.
        unsafe {
            self.storage.base().add(at).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len())
        };
    }

    /// Checks a place against what it should hold.
    pub fn check(&self, place: i64, expected: u64, what: impl Fn() -> String) {
        let at = place as usize * self.storage.element();
        assert!(at + self.storage.element() <= self.len);
        // SAFETY: as in `put`.
        let found = unsafe {
            std::slice::from_raw_parts(self.storage.base().add(at), self.storage.element())
        };
        let untouched = if found == self.bytes(UNTOUCHED) { " (untouched)" } else { "" };
        assert_eq!(found, self.bytes(expected), "{} on {}{untouched}", what(), self.image.rank());
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        // `own` outlives what points to it.
        self.own.clear();
        if let Some(offset) = self.in_segment {
            // SAFETY: nothing refers to it any more.
            unsafe { self.image.memory().free_local(offset) }.unwrap();
        }
    }
}

/// A random row of `count` indices of a dimension.
pub fn row(dice: &Dice, lower: i64, extent: i64, count: i64) -> Progression {
    let most = if count > 1 { (extent - 1) / (count - 1) } else { 3 };
    let step = 1 + dice.roll(most.clamp(1, 4) as usize) as i64;
    let span = (count - 1) * step;
    let first = lower + dice.roll((extent - span) as usize) as i64;
    match dice.roll(3) {
        0 => Progression { first: first + span, step: -step, count },
        _ => Progression { first, step, count },
    }
}

/// A section of `array` with dimensions of these extents, and scalars in all others; the dimensions that stay are the
/// first ones that are long enough, if there are as many.
pub fn section(dice: &Dice, array: &Array, extents: &[i64]) -> Option<Section> {
    let mut wanted = extents.iter();
    let mut next = wanted.next();
    let picks: Vec<Pick> = array
        .dims()
        .iter()
        .map(|dim| match next {
            Some(&count) if count <= dim.extent() => {
                next = wanted.next();
                Pick::Row(row(dice, dim.lower, dim.extent(), count))
            }
            _ => Pick::At(dim.lower + dice.roll(dim.extent() as usize) as i64),
        })
        .collect();
    next.is_none().then(|| Section::new(array, &picks).unwrap())
}
