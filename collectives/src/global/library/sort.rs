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
use std::ops::{BitXor, Not, Range};
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
    // SAFETY: the elements have as many bits.
    unsafe {
        match x.element {
            Element::Integer(1) => sorted::<u8>(caller, x, a, Keys::Signed, direction),
            Element::Integer(2) => sorted::<u16>(caller, x, a, Keys::Signed, direction),
            Element::Integer(4) => sorted::<u32>(caller, x, a, Keys::Signed, direction),
            Element::Integer(8) => sorted::<u64>(caller, x, a, Keys::Signed, direction),
            Element::Unsigned(1) => sorted::<u8>(caller, x, a, Keys::Unsigned, direction),
            Element::Unsigned(2) => sorted::<u16>(caller, x, a, Keys::Unsigned, direction),
            Element::Unsigned(4) => sorted::<u32>(caller, x, a, Keys::Unsigned, direction),
            Element::Unsigned(8) => sorted::<u64>(caller, x, a, Keys::Unsigned, direction),
            Element::Real(4) => sorted::<u32>(caller, x, a, Keys::Real, direction),
            Element::Real(8) => sorted::<u64>(caller, x, a, Keys::Real, direction),
            other => Err(Error::Invalid(format!("{NAME}: {other} have no order"))),
        }
    }
}

/// The bits of an element, which are also its key: a number without sign that has the element's place in the order.
trait Bits: Pod + Ord + Into<u64> + BitXor<Output = Self> + Not<Output = Self> {
    /// The bit of the sign.
    const SIGN: Self;
}

impl Bits for u8 {
    const SIGN: u8 = 1 << 7;
}

impl Bits for u16 {
    const SIGN: u16 = 1 << 15;
}

impl Bits for u32 {
    const SIGN: u32 = 1 << 31;
}

impl Bits for u64 {
    const SIGN: u64 = 1 << 63;
}

/// The way in which elements become keys.
#[derive(Clone, Copy)]
enum Keys {
    Unsigned,
    Signed,
    Real,
}

impl Keys {
    /// The key of an element for the ascending order.
    fn key<T: Bits>(self, bits: T) -> T {
        match self {
            Keys::Unsigned => bits,
            // The larger its absolute value, the smaller is a negative real number.
            Keys::Real if bits >= T::SIGN => !bits,
            Keys::Signed | Keys::Real => bits ^ T::SIGN,
        }
    }

    /// The element with this key.
    fn element<T: Bits>(self, key: T) -> T {
        match self {
            Keys::Unsigned => key,
            Keys::Real if key < T::SIGN => !key,
            Keys::Signed | Keys::Real => key ^ T::SIGN,
        }
    }
}

/// A sample, and the number of elements that it stands for.
#[derive(Clone, Copy)]
struct Sample {
    key: u64,
    /// Position of its image, and its place there.
    from: (usize, usize),
    weight: u64,
}

/// Sorts elements of this many bits.
///
/// # Safety
/// The arrays have elements of as many bits.
unsafe fn sorted<T: Bits>(
    caller: Caller<'_>,
    x: Typed<'_>,
    a: Typed<'_>,
    keys: Keys,
    direction: Direction,
) -> Result<()> {
    let Caller { image, set, .. } = caller;
    let turned = |key: T| if direction == Direction::Up { key } else { !key };
    // SAFETY: the elements have as many bits (contract above).
    let mut mine: Vec<T> = unsafe { read(caller, a) };
    mine.iter_mut().for_each(|element| *element = turned(keys.key(*element)));
    mine.sort();
    let samples = samples(caller, mine.len(), &|place| mine[place].into())?;
    let cuts = cuts(caller, mine.len(), samples, &|key| {
        let smaller = mine.partition_point(|&own| own.into() < key);
        smaller..smaller + mine[smaller..].partition_point(|&own| own.into() == key)
    });
    let lens: Vec<u64> = cuts.windows(2).map(|cut| (cut[1] - cut[0]) as u64).collect();
    let mut coming = vec![0; set.len()];
    alltoall(image, set, &lens, &mut coming)?;
    let (give, _) = Table::packed(lens.iter().map(|&len| len as usize));
    let (get, total) = Table::packed(coming.iter().map(|&len| len as usize));
    let mut stretch = bytemuck::zeroed_vec(total);
    alltoallv(image, set, &mine, give.parts(), &mut stretch, get.parts())?;
    drop(mine);
    // This sort finds the rows that are sorted already, and merges them.
    stretch.sort();
    stretch.iter_mut().for_each(|key| *key = keys.element(turned(*key)));
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
/// The elements of the array have the size of `T`.
unsafe fn read<T: Pod>(caller: Caller<'_>, a: Typed<'_>) -> Vec<T> {
    let rank = caller.image.rank();
    if !is_giver(&a.storage.array, rank) {
        return Vec::new();
    }
    let element = |at: &i64| {
        let place = a.storage.base.wrapping_offset(*at as isize).cast::<T>();
        // SAFETY: this image stores the element (`Storage::new`), which has this size (contract above); any bits are a `Pod`.
        unsafe { place.read_unaligned() }
    };
    LocalElements::of(a.storage, rank).dim(0).iter().map(element).collect()
}

/// Samples of the elements of all images, evenly spread over those of each. This image has `own` elements with the keys
/// `key_of`.
fn samples(caller: Caller<'_>, own: usize, key_of: &dyn Fn(usize) -> u64) -> Result<Vec<Sample>> {
    let Caller { image, set, .. } = caller;
    let wanted = (OVERSAMPLING * set.len()).min(MAX_SAMPLES);
    let mut keys = vec![0_u64; wanted];
    let given = own.min(wanted);
    for (k, key) in keys[..given].iter_mut().enumerate() {
        *key = key_of(place_of(k, given, own));
    }
    let mut lens = vec![0_u64; set.len()];
    let mut all = vec![0_u64; wanted * set.len()];
    allgather(image, set, &[own as u64], &mut lens)?;
    allgather(image, set, &keys, &mut all)?;
    let mut samples = Vec::new();
    for (position, &len) in lens.iter().enumerate() {
        let (len, keys) = (len as usize, &all[position * wanted..]);
        let given = len.min(wanted);
        for (k, &key) in keys[..given].iter().enumerate() {
            let place = place_of(k, given, len);
            let next = if k + 1 < given { place_of(k + 1, given, len) } else { len };
            samples.push(Sample { key, from: (position, place), weight: (next - place) as u64 });
        }
    }
    Ok(samples)
}

/// The place of the sample number `k` of `given` among `len` elements.
fn place_of(k: usize, given: usize, len: usize) -> usize {
    k * len / given
}

/// The places that divide the `own` sorted elements of this image: the beginning of the part for each image, and the end.
/// `places_of` has the places of the elements with a key.
fn cuts(
    caller: Caller<'_>,
    own: usize,
    mut samples: Vec<Sample>,
    places_of: &dyn Fn(u64) -> Range<usize>,
) -> Vec<usize> {
    let (n, me) = (caller.set.len(), caller.set.position().expect("a member of the set"));
    samples.sort_unstable_by_key(|sample| (sample.key, sample.from));
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
        cuts.push(cut.map_or(own, |cut| {
            let same = places_of(cut.key);
            // Of equal elements, those of images before the sample's image, and those before the sample there.
            match me.cmp(&cut.from.0) {
                Ordering::Less => same.end,
                Ordering::Equal => cut.from.1,
                Ordering::Greater => same.start,
            }
        }));
    }
    cuts.push(own);
    cuts
}
