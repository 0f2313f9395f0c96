//! `xmp_sort_up` and `xmp_sort_down`: a sample sort. Every image sorts its own elements. Samples of all images say where
//! the sorted row is divided; each image gets a stretch of it, and from there the elements go to their places.
//!
//! Equal elements are ordered by their image and their place there, so a stretch has at most about twice its share,
//! whatever the values.

use super::elements::{LocalElements, is_giver};
use super::temporary::{Temporary, row};
use super::{Caller, Typed, invalid, shape, shown};
use crate::global::operator::Element;
use crate::parts::Table;
use crate::{allgather, alltoall, alltoallv};
use bytemuck::Pod;
use std::cmp::Ordering;
use xmp_core::{Error, Result};

/// Samples that an image gives for each image of the set.
const OVERSAMPLING: usize = 4;
/// Most samples that an image gives.
const MAX_SAMPLES: usize = 512;

const NAME: &str = "sort";

/// The order of the sorted elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Ascending.
    Up,
    /// Descending.
    Down,
}

/// Assigns the elements of `a`, sorted, to `x`; both have one dimension and the same number of elements. Reals are in
/// the order of [`f64::total_cmp`], so NaNs are at the ends. `x` may be `a`.
///
/// # Errors
/// [`Error::Invalid`] for other shapes, and for types that are not the same or have no order; those of
/// [`crate::global::prepare_gmove()`].
pub fn sort(caller: Caller<'_>, x: Typed<'_>, a: Typed<'_>, direction: Direction) -> Result<()> {
    let [of_x, of_a] = [x, a].map(|it| shape(it.storage));
    if of_x.len() != 1 || of_x != of_a {
        let text = format!("{} cannot be the sorted elements of {}", shown(&of_x), shown(&of_a));
        return Err(invalid(NAME, &text));
    }
    if x.element != a.element {
        return Err(invalid(NAME, &format!("{} from {}", x.element, a.element)));
    }
    caller.check_nodes(NAME, &[x.storage, a.storage])?;
    [x, a].into_iter().try_for_each(|it| it.check(NAME))?;
    // SAFETY: the elements have these types.
    unsafe {
        match x.element {
            Element::Integer(1) => sorted(caller, x, a, direction, i8::cmp),
            Element::Integer(2) => sorted(caller, x, a, direction, i16::cmp),
            Element::Integer(4) => sorted(caller, x, a, direction, i32::cmp),
            Element::Integer(8) => sorted(caller, x, a, direction, i64::cmp),
            Element::Unsigned(1) => sorted(caller, x, a, direction, u8::cmp),
            Element::Unsigned(2) => sorted(caller, x, a, direction, u16::cmp),
            Element::Unsigned(4) => sorted(caller, x, a, direction, u32::cmp),
            Element::Unsigned(8) => sorted(caller, x, a, direction, u64::cmp),
            Element::Real(4) => sorted(caller, x, a, direction, f32::total_cmp),
            Element::Real(8) => sorted(caller, x, a, direction, f64::total_cmp),
            other => Err(Error::Invalid(format!("{NAME}: {other} have no order"))),
        }
    }
}

/// A sample, and the number of elements that it stands for.
#[derive(Clone, Copy)]
struct Sample<T> {
    value: T,
    /// Position of its image, and its place there.
    from: (usize, usize),
    weight: u64,
}

/// Sorts elements of type `T`.
///
/// # Safety
/// The arrays have elements of this type.
unsafe fn sorted<T: Pod>(
    caller: Caller<'_>,
    x: Typed<'_>,
    a: Typed<'_>,
    direction: Direction,
    up: impl Fn(&T, &T) -> Ordering + Copy,
) -> Result<()> {
    let Caller { image, set, .. } = caller;
    let order = |left: &T, right: &T| match direction {
        Direction::Up => up(left, right),
        Direction::Down => up(right, left),
    };
    // SAFETY: the elements have this type (contract above).
    let mut mine: Vec<T> = unsafe { read(caller, a) };
    mine.sort_unstable_by(order);
    let samples = samples(caller, &mine)?;
    let cuts = cuts(caller, &mine, samples, order);
    let lens: Vec<u64> = cuts.windows(2).map(|cut| (cut[1] - cut[0]) as u64).collect();
    let mut coming = vec![0; set.len()];
    alltoall(image, set, &lens, &mut coming)?;
    let (give, _) = Table::packed(lens.iter().map(|&len| len as usize));
    let (get, total) = Table::packed(coming.iter().map(|&len| len as usize));
    let mut stretch = bytemuck::zeroed_vec(total);
    alltoallv(image, set, &mine, give.parts(), &mut stretch, get.parts())?;
    drop(mine);
    // A stable sort finds the rows that are sorted already, and merges them.
    stretch.sort_by(order);
    let mut all = vec![0; set.len()];
    allgather(image, set, &[total as u64], &mut all)?;
    let mut row = Temporary::new(NAME, image, row(NAME, caller, &all)?, size_of::<T>())?;
    row.bytes_mut().copy_from_slice(bytemuck::cast_slice(&stretch));
    drop(stretch);
    caller.copy(NAME, x.storage, &row.storage)
}

/// The elements of `a` that this image gives.
///
/// # Safety
/// The array has elements of type `T`.
unsafe fn read<T: Pod>(caller: Caller<'_>, a: Typed<'_>) -> Vec<T> {
    let rank = caller.image.rank();
    if !is_giver(&a.storage.array, rank) {
        return Vec::new();
    }
    let element = |at: &i64| {
        let place = a.storage.base.wrapping_offset(*at as isize).cast::<T>();
        // SAFETY: this image stores the element (`Storage::new`), which has this type (contract above).
        unsafe { place.read_unaligned() }
    };
    LocalElements::of(a.storage, rank).dim(0).iter().map(element).collect()
}

/// Samples of the elements of all images, evenly spread over those of each.
fn samples<T: Pod>(caller: Caller<'_>, mine: &[T]) -> Result<Vec<Sample<T>>> {
    let Caller { image, set, .. } = caller;
    let wanted = (OVERSAMPLING * set.len()).min(MAX_SAMPLES);
    let mut values = bytemuck::zeroed_vec(wanted);
    let given = mine.len().min(wanted);
    for (k, value) in values[..given].iter_mut().enumerate() {
        *value = mine[place_of(k, given, mine.len())];
    }
    let mut lens = vec![0_u64; set.len()];
    let mut all = bytemuck::zeroed_vec(wanted * set.len());
    allgather(image, set, &[mine.len() as u64], &mut lens)?;
    allgather(image, set, &values, &mut all)?;
    let mut samples = Vec::new();
    for (position, &len) in lens.iter().enumerate() {
        let (len, values) = (len as usize, &all[position * wanted..]);
        let given = len.min(wanted);
        for (k, &value) in values[..given].iter().enumerate() {
            let place = place_of(k, given, len);
            let next = if k + 1 < given { place_of(k + 1, given, len) } else { len };
            samples.push(Sample { value, from: (position, place), weight: (next - place) as u64 });
        }
    }
    Ok(samples)
}

/// The place of the sample number `k` of `given` among `len` elements.
fn place_of(k: usize, given: usize, len: usize) -> usize {
    k * len / given
}

/// Where the elements of this image are divided: the beginning of the part for each image, and the end.
fn cuts<T: Copy>(
    caller: Caller<'_>,
    mine: &[T],
    mut samples: Vec<Sample<T>>,
    order: impl Fn(&T, &T) -> Ordering,
) -> Vec<usize> {
    let (n, me) = (caller.set.len(), caller.set.position().expect("a member of the set"));
    samples.sort_unstable_by(|a, b| order(&a.value, &b.value).then(a.from.cmp(&b.from)));
    let total: u64 = samples.iter().map(|sample| sample.weight).sum();
    let (mut cuts, mut next, mut before) = (vec![0], samples.iter(), 0_u64);
    for part in 1..n as u64 {
        // The first sample with this share of the elements before it.
        let share = (u128::from(total) * u128::from(part) / n as u128) as u64;
        let mut rest = next.clone();
        let cut = loop {
            match rest.next() {
                Some(sample) if before < share => {
                    before += sample.weight;
                    next = rest.clone();
                }
                found => break found,
            }
        };
        cuts.push(cut.map_or(mine.len(), |cut| {
            let smaller = mine.partition_point(|value| order(value, &cut.value).is_lt());
            let same = mine[smaller..].partition_point(|value| order(value, &cut.value).is_eq());
            // Of equal elements, those of images before the sample's image, and those before the sample there.
            match me.cmp(&cut.from.0) {
                Ordering::Less => smaller + same,
                Ordering::Equal => cut.from.1,
                Ordering::Greater => smaller,
            }
        }));
    }
    cuts.push(mine.len());
    cuts
}
