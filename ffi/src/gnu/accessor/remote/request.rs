//! The request that an image sends to another host, encoded as bytes: the object, the accessor and its operands.

use super::copied_values::CopiedValues;
use super::encoding::{Reader, Write, malformed};
use crate::gfortran_abi::FullDescriptor;
use crate::gnu::accessor::values::Values;
use std::ffi::c_int;
use xmp_core::Result;

/// The object, and how an accessor gets to see it.
#[derive(Debug)]
pub struct Target {
    /// Where it is in the segment.
    pub offset: u64,
    /// The descriptor that the accessor gets, with the object's address in it; `None` if it gets the address itself.
    pub descriptor: Option<FullDescriptor>,
}

/// How many characters the sides have, where they are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Characters {
    /// Of the object.
    pub object: Option<usize>,
    /// Of the other side.
    pub other: Option<usize>,
}

/// What is to be done.
#[derive(Debug)]
pub enum Action<'a> {
    /// To get a scalar of at most this number of bytes, or characters of this number of bytes each; and whether it has just as many.
    GetScalar(usize, bool),
    /// To get an array: what the compiler's variable for it is like, and whether that has memory.
    GetArray(FullDescriptor, bool),
    /// To put the scalar of these bytes.
    PutScalar(&'a [u8]),
    /// To put an array: its descriptor, and its elements in one piece.
    PutArray(FullDescriptor, &'a [u8]),
    /// To say whether the object is allocated.
    Inquire,
}

/// Everything an accessor needs to know.
#[derive(Debug)]
pub struct Request<'a> {
    /// The number of the accessor.
    pub accessor: c_int,
    /// The image index.
    pub image: c_int,
    /// The object.
    pub target: Target,
    /// The lengths.
    pub characters: Characters,
    /// What to do.
    pub action: Action<'a>,
}

const GET_SCALAR: u64 = 1;
const GET_ARRAY: u64 = 2;
const PUT_SCALAR: u64 = 3;
const PUT_ARRAY: u64 = 4;
const INQUIRE: u64 = 5;

impl<'a> Request<'a> {
    /// Encodes the request and the values as bytes.
    ///
    /// # Safety
    /// The values are there.
    pub unsafe fn with_values(&self, values: Values) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.word(self.accessor as u64);
        bytes.word(self.image as u64);
        bytes.word(self.target.offset);
        bytes.word(u64::from(self.target.descriptor.is_some()));
        if let Some(descriptor) = &self.target.descriptor {
            bytes.descriptor(descriptor);
        }
        bytes.length(self.characters.object);
        bytes.length(self.characters.other);
        match &self.action {
            Action::GetScalar(size, is_exact) => {
                bytes.word(GET_SCALAR);
                bytes.word(*size as u64);
                bytes.word(u64::from(*is_exact));
            }
            Action::GetArray(like, has_memory) => {
                bytes.word(GET_ARRAY);
                bytes.descriptor(like);
                bytes.word(u64::from(*has_memory));
            }
            Action::PutScalar(scalar) => {
                bytes.word(PUT_SCALAR);
                bytes.bytes(scalar);
            }
            Action::PutArray(like, elements) => {
                bytes.word(PUT_ARRAY);
                bytes.descriptor(like);
                bytes.bytes(elements);
            }
            Action::Inquire => bytes.word(INQUIRE),
        }
        // SAFETY: the values of the statement have `values.len` bytes at `values.start`.
        unsafe { super::copied_values::write(values.start, values.len, &mut bytes) };
        bytes
    }

    /// What [`Request::with_values`] has written, and the values.
    ///
    /// # Errors
    /// When it has not.
    pub fn read(bytes: &'a [u8]) -> Result<(Request<'a>, CopiedValues)> {
        let mut from = Reader(bytes);
        let accessor = from.word()? as c_int;
        let image = from.word()? as c_int;
        let offset = from.word()?;
        let descriptor = match from.word()? {
            0 => None,
            _ => Some(from.descriptor()?),
        };
        let target = Target { offset, descriptor };
        let characters = Characters { object: from.length()?, other: from.length()? };
        let action = match from.word()? {
            GET_SCALAR => Action::GetScalar(from.word()? as usize, from.word()? != 0),
            GET_ARRAY => Action::GetArray(from.descriptor()?, from.word()? != 0),
            PUT_SCALAR => Action::PutScalar(from.bytes()?),
            PUT_ARRAY => Action::PutArray(from.descriptor()?, from.bytes()?),
            INQUIRE => Action::Inquire,
            _ => return Err(malformed()),
        };
        let values = CopiedValues::read(&mut from)?;
        if !from.0.is_empty() {
            return Err(malformed());
        }
        Ok((Request { accessor, image, target, characters, action }, values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_arrives_as_it_was_and_parts_of_it_do_not() {
        let values = [1_u64, 2];
        let actions: [fn() -> Action<'static>; 5] = [
            || Action::GetScalar(8, true),
            || Action::GetArray(FullDescriptor::empty(), true),
            || Action::PutScalar(b"abc"),
            || Action::PutArray(FullDescriptor::empty(), b"abcd"),
            || Action::Inquire,
        ];
        for action in actions {
            for descriptor in [None, Some(FullDescriptor::empty())] {
                let action = action();
                let target = Target { offset: 64, descriptor };
                let characters = Characters { object: Some(3), other: None };
                let sent = Request { accessor: -5, image: 2, target, characters, action };
                // SAFETY: `values` has 16 bytes.
                let bytes =
                    unsafe { sent.with_values(Values { start: values.as_ptr().cast(), len: 16 }) };
                let (got, mut copied) = Request::read(&bytes).unwrap();
                assert_eq!(format!("{got:?}"), format!("{sent:?}"));
                // SAFETY: `copied` has a copy of the values.
                assert_eq!(unsafe { *copied.address().cast::<[u64; 2]>() }, values);
                for len in 0..bytes.len() {
                    assert!(Request::read(&bytes[..len]).is_err(), "{len} bytes of {sent:?}");
                }
                assert!(Request::read(&[bytes, vec![0]].concat()).is_err());
            }
        }
    }
}
