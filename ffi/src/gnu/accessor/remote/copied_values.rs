//! The arguments of an accessor besides the object: values of the expressions in its subscripts.
//!
//! They are copied to where it runs. The compiler keeps vector subscripts whose length is not constant elsewhere, and
//! their descriptors among these values; so what looks like the descriptor of an array in one piece is followed.

use super::encoding::{Reader, Write, malformed};
use crate::entry::decode;
use crate::gfortran_abi::{DType, Descriptor, Dim, MAX_RANK, basic};
use crate::gnu::accessor::buffer::Memory;
use std::ffi::c_void;
use std::mem::offset_of;
use std::slice;
use xmp_core::Result;

const WORD: usize = size_of::<u64>();

/// Appends the values, and the arrays that they refer to.
///
/// # Safety
/// There are `size` bytes at `data`, or it is null.
pub unsafe fn write(data: *const c_void, size: usize, request: &mut Vec<u8>) {
    // SAFETY: `data` is null or has `size` bytes.
    let bytes: &[u8] = unsafe { decode::list(data.cast(), size) };
    request.bytes(bytes);
    let mut arrays = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match array_at(&bytes[at..]) {
            Some(array) => {
                arrays.push((at, array.address, array.size));
                at += array.descriptor;
            }
            None => at += WORD,
        }
    }
    request.word(arrays.len() as u64);
    for (at, address, size) in arrays {
        request.word(at as u64);
        let first = std::ptr::with_exposed_provenance::<u8>(address);
        // SAFETY: the compiler has made the array.
        request.bytes(unsafe { slice::from_raw_parts(first, size) });
    }
}

/// An array in one piece.
#[derive(Debug, PartialEq, Eq)]
struct Array {
    address: usize,
    size: usize,
    /// Bytes of its descriptor.
    descriptor: usize,
}

/// The array whose descriptor starts here, if one does.
fn array_at(bytes: &[u8]) -> Option<Array> {
    let word = |at: usize| {
        bytes.get(at..at + WORD).map(|word| u64::from_ne_bytes(word.try_into().expect("8 bytes")))
    };
    let address = usize::try_from(word(offset_of!(Descriptor, base))?).ok()?;
    let dtype = offset_of!(Descriptor, dtype);
    let elem_len = word(dtype)?;
    let version = bytes.get(dtype + offset_of!(DType, version)..)?.first_chunk::<4>()?;
    let rank = usize::from(*bytes.get(dtype + offset_of!(DType, rank))?);
    let kind = *bytes.get(dtype + offset_of!(DType, basic))? as i8;
    if address == 0
        || *version != [0; 4]
        || !(1..=MAX_RANK).contains(&rank)
        || !(basic::INTEGER..=basic::CHARACTER).contains(&kind)
        || !(1..=1 << 16).contains(&elem_len)
        || word(offset_of!(Descriptor, span))? != elem_len
    {
        return None;
    }
    let mut elements = 1u64;
    for number in 0..rank {
        let field = |at: usize| word(size_of::<Descriptor>() + number * size_of::<Dim>() + at);
        let stride = field(offset_of!(Dim, stride))?;
        let lower = field(offset_of!(Dim, lower))? as i64;
        let upper = field(offset_of!(Dim, upper))? as i64;
        if stride != elements {
            return None;
        }
        let extent = upper.checked_sub(lower)?.checked_add(1)?.max(0) as u64;
        elements = elements.checked_mul(extent)?;
    }
    let size = usize::try_from(elements.checked_mul(elem_len)?).ok()?;
    let descriptor = size_of::<Descriptor>() + rank * size_of::<Dim>();
    Some(Array { address, size, descriptor })
}

/// The values, where the accessor runs.
pub struct CopiedValues {
    values: Memory,
    arrays: Vec<Memory>,
}

impl CopiedValues {
    /// What [`write`] has written.
    ///
    /// # Errors
    /// When it has not, or there is no memory.
    pub fn read(from: &mut Reader<'_>) -> Result<CopiedValues> {
        let mut values = Memory::of(from.bytes()?)?;
        let mut arrays = Vec::new();
        for _ in 0..from.word()? {
            let at = usize::try_from(from.word()?).map_err(|_| malformed())?;
            let place = values.bytes_mut().get_mut(at..).and_then(<[u8]>::first_chunk_mut);
            let place = place.ok_or_else(malformed)?;
            let mut array = Memory::of(from.bytes()?)?;
            *place = array.start().expose_provenance().to_ne_bytes();
            arrays.push(array);
        }
        Ok(CopiedValues { values, arrays })
    }

    /// What an accessor is given; null if there are none.
    pub fn address(&mut self) -> *mut c_void {
        if self.values.bytes().is_empty() { std::ptr::null_mut() } else { self.values.start() }
    }

    /// Whether an address is among them.
    pub fn has(&self, address: *const c_void) -> bool {
        self.values.has(address) || self.arrays.iter().any(|array| array.has(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gfortran_abi::FullDescriptor;

    /// A value, and a vector subscript.
    #[repr(C)]
    struct Values {
        number: i64,
        vector: FullDescriptor,
    }

    fn values(vector: &mut [i32]) -> Values {
        let mut descriptor = FullDescriptor::empty();
        descriptor.header.base = vector.as_mut_ptr().cast();
        let rank = 1;
        descriptor.header.dtype =
            DType { elem_len: 4, version: 0, rank, basic: basic::INTEGER, attribute: 0 };
        descriptor.header.span = 4;
        let upper = vector.len() as isize;
        descriptor.set_dims([Dim { stride: 1, lower: 1, upper }].into_iter());
        descriptor.header.base.expose_provenance();
        Values { number: 7, vector: descriptor }
    }

    fn copied(values: &Values) -> CopiedValues {
        let mut request = Vec::new();
        // SAFETY: `values` has that many bytes, and its vector is there.
        unsafe { write((&raw const *values).cast(), size_of::<Values>(), &mut request) };
        let mut reader = Reader(&request);
        let copied = CopiedValues::read(&mut reader).unwrap();
        assert!(reader.0.is_empty());
        copied
    }

    #[test]
    fn arrays_come_along() {
        let mut vector = [3, 1, 2];
        let here = values(&mut vector);
        let mut copied = copied(&here);
        // SAFETY: `copied` has a copy of the values.
        let there = unsafe { &*copied.address().cast::<Values>() };
        assert_eq!(there.number, 7);
        let base = there.vector.header.base;
        assert_ne!(base, here.vector.header.base);
        assert!(copied.has(base) && copied.has(copied.values.bytes().as_ptr().cast()));
        assert!(!copied.has(here.vector.header.base));
        // SAFETY: the copy of the vector has three elements.
        assert_eq!(unsafe { slice::from_raw_parts(base.cast::<i32>(), 3) }, [3, 1, 2]);
    }

    #[test]
    fn what_is_no_array_stays_as_it_is() {
        let mut vector = [3, 1, 2];
        for change in [
            |header: &mut Descriptor| header.dtype.version = 1,
            |header: &mut Descriptor| header.dtype.rank = 0,
            |header: &mut Descriptor| header.dtype.basic = 0,
            |header: &mut Descriptor| header.span = 8,
        ] {
            let mut here = values(&mut vector);
            change(&mut here.vector.header);
            let copied = copied(&here);
            assert!(copied.arrays.is_empty());
        }
        let mut request = Vec::new();
        // SAFETY: null, for which nothing is read.
        unsafe { write(std::ptr::null(), 12, &mut request) };
        assert!(CopiedValues::read(&mut Reader(&request)).unwrap().address().is_null());
    }

    #[test]
    fn what_no_image_sends_is_refused() {
        let mut request = Vec::new();
        request.bytes(&[0; 8]);
        request.word(1);
        request.word(1);
        request.bytes(&[0; 4]);
        assert!(CopiedValues::read(&mut Reader(&request)).is_err());
    }
}
