//! `xmp_scatter` and `xmp_gather`: elements by index arrays. Every image computes which images have the elements that its
//! indices name. All data for one image travels in one message.

use super::elements::{LocalElements, Locator, is_giver};
use super::temporary::Temporary;
use super::{Caller, Typed, invalid, shape, shown};
use crate::global::{Element, Storage};
use crate::parts::Table;
use crate::{Op, allreduce, alltoall, alltoallv};
use xmp_core::Result;
use xmp_core::counted::counted;

/// Assigns `x(index1, index2, ...) = a`: each element of `a` goes to the element of `x` whose indices are in the index
/// arrays, one for each dimension of `x`, at the place of the element of `a`. Of elements for the same place any one
/// arrives.
///
/// # Errors
/// [`xmp_core::Error::Invalid`] for a number of index arrays other than the dimensions of `x`, index arrays of another
/// shape than `a` or that are not of integers, indices outside `x`; and those of [`crate::global::prepare_gmove()`].
pub fn scatter(caller: Caller<'_>, x: &Storage, a: &Storage, indices: &[Typed<'_>]) -> Result<()> {
    let procedure = Procedure { name: "scatter", caller, by_index: x, regular: a, indices };
    procedure.check()?;
    let Caller { image, set, .. } = caller;
    let indices = procedure.indices()?;
    let element = a.element;
    let places = if is_giver(&a.array, image.rank()) {
        LocalElements::of(a, image.rank()).each()
    } else {
        Vec::new()
    };
    let locator = Locator::new(x, set, image.rank());
    procedure.check_indices(&locator, &indices, places.len())?;
    let mut lens = vec![0_u64; set.len()];
    let record = size_of::<u64>() + element;
    let each = |visit: &mut dyn FnMut(usize, usize, i64)| {
        for k in 0..places.len() {
            locator.all(&indices.at(k), |position, place| visit(k, position, place));
        }
    };
    each(&mut |_, position, _| lens[position] += record as u64);
    let (give, total) = Table::packed(lens.iter().map(|&len| len as usize));
    let mut data = vec![0; total];
    let mut ends: Vec<usize> = (0..set.len()).map(|to| give.parts().offset(to)).collect();
    each(&mut |k, position, place| {
        let at = ends[position];
        ends[position] += record;
        data[at..at + size_of::<u64>()].copy_from_slice(&place.to_ne_bytes());
        let from = a.base.wrapping_offset(places[k] as isize);
        // SAFETY: this image stores the element (`Storage::new`), for which the record has room.
        unsafe { data[at + size_of::<u64>()..].as_mut_ptr().copy_from(from, element) };
    });
    let came = exchange(caller, &data, &lens, &give)?.0;
    for record in came.chunks_exact(record) {
        let (place, value) = record.split_first_chunk().expect("a record");
        let to = x.base.wrapping_offset(i64::from_ne_bytes(*place) as isize);
        // SAFETY: the sender has computed from the mapping that this image stores the element (`Storage::new`).
        unsafe { to.copy_from_nonoverlapping(value.as_ptr(), element) };
    }
    Ok(())
}

/// Assigns `x = a(index1, index2, ...)`: each element of `x` gets the element of `a` whose indices are in the index
/// arrays, one for each dimension of `a`, at the place of the element of `x`.
///
/// # Errors
/// Those of [`scatter`], with `x` and `a` exchanged.
pub fn gather(caller: Caller<'_>, x: &Storage, a: &Storage, indices: &[Typed<'_>]) -> Result<()> {
    let procedure = Procedure { name: "gather", caller, by_index: a, regular: x, indices };
    procedure.check()?;
    let Caller { image, set, .. } = caller;
    let indices = procedure.indices()?;
    let element = a.element;
    let places = LocalElements::of(x, image.rank()).each();
    let locator = Locator::new(a, set, image.rank());
    procedure.check_indices(&locator, &indices, places.len())?;
    let wanted: Vec<(usize, i64)> =
        (0..places.len()).map(|k| locator.one(&indices.at(k))).collect();
    let mut lens = vec![0_u64; set.len()];
    wanted.iter().for_each(|(position, _)| lens[*position] += size_of::<u64>() as u64);
    let (ask, total) = Table::packed(lens.iter().map(|&len| len as usize));
    let mut questions = vec![0; total];
    let mut ends: Vec<usize> = (0..set.len()).map(|of| ask.parts().offset(of)).collect();
    // Where the answer for each element of `x` will be.
    let mut answers = Vec::with_capacity(wanted.len());
    for (position, place) in wanted {
        let at = ends[position];
        ends[position] += size_of::<u64>();
        questions[at..ends[position]].copy_from_slice(&place.to_ne_bytes());
        answers.push(at / size_of::<u64>() * element);
    }
    let (asked, from) = exchange(caller, &questions, &lens, &ask)?;
    let mut reply = vec![0; asked.len() / size_of::<u64>() * element];
    for (place, value) in asked.chunks_exact(size_of::<u64>()).zip(reply.chunks_exact_mut(element))
    {
        let place = i64::from_ne_bytes(place.try_into().expect("8 bytes"));
        // SAFETY: the sender has computed from the mapping that this image stores the element (`Storage::new`).
        unsafe { value.as_mut_ptr().copy_from(a.base.wrapping_offset(place as isize), element) };
    }
    let in_elements = |lens: &[u64]| {
        Table::packed(lens.iter().map(|&len| len as usize / size_of::<u64>() * element))
    };
    let (give, (get, total)) = (in_elements(&from).0, in_elements(&lens));
    let mut came = vec![0; total];
    alltoallv(image, set, &reply, give.parts(), &mut came, get.parts())?;
    for (place, at) in places.iter().zip(answers) {
        // SAFETY: this image stores the element (`Storage::new`).
        unsafe {
            let to = x.base.wrapping_offset(*place as isize);
            to.copy_from_nonoverlapping(came[at..at + element].as_ptr(), element);
        }
    }
    Ok(())
}

/// Sends each image its part of `data`, of `lens` bytes. Returns the bytes received, and the number of them from each
/// image.
fn exchange(
    caller: Caller<'_>,
    data: &[u8],
    lens: &[u64],
    give: &Table,
) -> Result<(Vec<u8>, Vec<u64>)> {
    let Caller { image, set, .. } = caller;
    let mut coming = vec![0_u64; set.len()];
    alltoall(image, set, lens, &mut coming)?;
    let (get, total) = Table::packed(coming.iter().map(|&len| len as usize));
    let mut came = vec![0_u8; total];
    alltoallv(image, set, data, give.parts(), &mut came, get.parts())?;
    Ok((came, coming))
}

/// A scatter or gather by index arrays.
#[derive(Clone, Copy)]
struct Procedure<'a> {
    name: &'static str,
    caller: Caller<'a>,
    /// The array whose elements the indices name.
    by_index: &'a Storage,
    /// The array whose elements have their places in the index arrays.
    regular: &'a Storage,
    indices: &'a [Typed<'a>],
}

/// The index arrays, in the mapping of the regular array.
struct Indices<'a> {
    arrays: Vec<(Temporary<'a>, Element)>,
}

impl Indices<'_> {
    /// The indices at the place of the element number `k` of this image.
    fn at(&self, k: usize) -> smallvec::SmallVec<[i64; 4]> {
        let index = |(array, element): &(Temporary<'_>, Element)| {
            let bytes = &array.bytes()[k * array.storage.element..];
            match element {
                Element::Integer(1) => i8::from_ne_bytes(first(bytes)).into(),
                Element::Integer(2) => i16::from_ne_bytes(first(bytes)).into(),
                Element::Integer(4) => i32::from_ne_bytes(first(bytes)).into(),
                Element::Integer(_) => i64::from_ne_bytes(first(bytes)),
                Element::Unsigned(1) => bytes[0].into(),
                Element::Unsigned(2) => u16::from_ne_bytes(first(bytes)).into(),
                Element::Unsigned(4) => u32::from_ne_bytes(first(bytes)).into(),
                _ => i64::try_from(u64::from_ne_bytes(first(bytes))).unwrap_or(i64::MAX),
            }
        };
        self.arrays.iter().map(index).collect()
    }
}

/// The first bytes of an element.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    *bytes.first_chunk().expect("an element of this size")
}

impl<'a> Procedure<'a> {
    fn check(self) -> Result<()> {
        let (given, needed) = (self.indices.len(), self.by_index.array.dims().len());
        if given != needed {
            let (given, needed) = (counted(given, "index array"), counted(needed, "dimension"));
            let text = format!("{given} for {needed}");
            return Err(invalid(self.name, &text));
        }
        let wanted = shape(self.regular);
        for array in self.indices {
            let found = shape(array.storage);
            if found != wanted {
                let text = format!("an index array {} for {}", shown(&found), shown(&wanted));
                return Err(invalid(self.name, &text));
            }
            if !matches!(array.element, Element::Integer(_) | Element::Unsigned(_)) {
                return Err(invalid(self.name, &format!("indices that are {}", array.element)));
            }
            array.check(self.name)?;
        }
        if self.by_index.element != self.regular.element {
            let sizes = (self.by_index.element, self.regular.element);
            return Err(invalid(
                self.name,
                &format!("elements of {} and of {}", sizes.0, counted(sizes.1, "byte")),
            ));
        }
        let mut arrays = vec![self.by_index, self.regular];
        arrays.extend(self.indices.iter().map(|array| array.storage));
        self.caller.check_nodes(self.name, &arrays)
    }

    /// Copies the index arrays to the mapping of the regular array.
    fn indices(self) -> Result<Indices<'a>> {
        let mut arrays = Vec::new();
        for array in self.indices {
            let mapping = self.regular.array.without_shadows();
            let element = array.storage.element;
            let mine = Temporary::new(self.name, self.caller.image, mapping, element)?;
            self.caller.copy(self.name, &mine.storage, array.storage)?;
            arrays.push((mine, array.element));
        }
        Ok(Indices { arrays })
    }

    /// Checks that all indices of all images are within the array.
    fn check_indices(self, locator: &Locator<'_>, indices: &Indices<'_>, len: usize) -> Result<()> {
        let wrong = (0..len).map(|k| indices.at(k)).find_map(|index| {
            let dim = locator.check(&index).err()?;
            Some((dim, index[dim]))
        });
        let mut worst = [u64::from(wrong.is_some())];
        allreduce(self.caller.image, self.caller.set, &mut worst, Op::Max)?;
        match (wrong, worst) {
            (Some((dim, index)), _) => {
                let bounds = self.by_index.array.dims()[dim];
                let (dim, lower, upper) = (dim + 1, bounds.lower, bounds.upper);
                let text =
                    format!("index {index} of dimension {dim} is not within {lower}:{upper}");
                Err(invalid(self.name, &text))
            }
            (None, [0]) => Ok(()),
            _ => Err(invalid(self.name, "an index of another image is outside the array")),
        }
    }
}
