//! Numbers, bytes and descriptors in requests and replies. The images run the same program, so the order of bytes is
//! the machine's.

use crate::gfortran_abi::{DType, Dim, FullDescriptor, MAX_RANK};
use smallvec::SmallVec;
use xmp_core::{Error, Result};

/// Appends.
pub trait Write {
    /// A number.
    fn word(&mut self, word: u64);

    /// A length that may be missing.
    fn length(&mut self, length: Option<usize>);

    /// Bytes, and before them how many they are.
    fn bytes(&mut self, bytes: &[u8]);

    /// A descriptor without its address.
    fn descriptor(&mut self, descriptor: &FullDescriptor);
}

impl Write for Vec<u8> {
    fn word(&mut self, word: u64) {
        self.extend_from_slice(&word.to_ne_bytes());
    }

    fn length(&mut self, length: Option<usize>) {
        self.word(u64::from(length.is_some()));
        self.word(length.unwrap_or(0) as u64);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        self.extend_from_slice(bytes);
    }

    fn descriptor(&mut self, descriptor: &FullDescriptor) {
        let header = &descriptor.header;
        self.word(header.offset as u64);
        self.word(header.dtype.elem_len as u64);
        self.word(header.dtype.rank as u64);
        self.word(header.dtype.basic as u64);
        self.word(header.dtype.attribute as u64);
        self.word(header.span as u64);
        for dim in descriptor.dims() {
            for number in [dim.stride, dim.lower, dim.upper] {
                self.word(number as u64);
            }
        }
    }
}

/// Reads what was written, in the same order. It fails when the message has ended.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// A number.
    pub fn word(&mut self) -> Result<u64> {
        let (word, rest) = self.0.split_first_chunk().ok_or_else(malformed)?;
        self.0 = rest;
        Ok(u64::from_ne_bytes(*word))
    }

    /// A length that may be missing.
    pub fn length(&mut self) -> Result<Option<usize>> {
        let (is_there, length) = (self.word()?, self.word()?);
        Ok((is_there != 0).then_some(length as usize))
    }

    /// Bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let len = usize::try_from(self.word()?).map_err(|_| malformed())?;
        let (bytes, rest) = self.0.split_at_checked(len).ok_or_else(malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// A descriptor, without an address.
    ///
    /// # Errors
    /// When the message has ended; for more dimensions than Fortran has.
    pub fn descriptor(&mut self) -> Result<FullDescriptor> {
        let mut descriptor = FullDescriptor::empty();
        let offset = self.word()?;
        let elem_len = self.word()? as usize;
        let rank = self.word()?;
        if rank > MAX_RANK as u64 {
            return Err(malformed());
        }
        let basic = self.word()? as i8;
        let attribute = self.word()? as i16;
        descriptor.header.dtype =
            DType { elem_len, version: 0, rank: rank as i8, basic, attribute };
        descriptor.header.span = self.word()? as isize;
        let mut number = || self.word().map(|word| word as isize);
        let dims = (0..rank)
            .map(|_| Ok(Dim { stride: number()?, lower: number()?, upper: number()? }))
            .collect::<Result<SmallVec<[Dim; MAX_RANK]>>>()?;
        descriptor.set_dims(dims.into_iter());
        descriptor.header.offset = offset as usize;
        Ok(descriptor)
    }
}

/// The error of a message that no image sends.
pub fn malformed() -> Error {
    Error::Invalid("a request for an accessor function that no image makes".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut like = FullDescriptor::empty();
        like.header.dtype = DType { elem_len: 4, version: 0, rank: 2, basic: 1, attribute: -1 };
        like.header.span = 8;
        let dims = [Dim { stride: -1, lower: -3, upper: 5 }, Dim { stride: 9, lower: 1, upper: 0 }];
        like.set_dims(dims.into_iter());
        like.header.offset = 77;
        let mut message = Vec::new();
        message.word(5);
        message.length(None);
        message.length(Some(9));
        message.bytes(b"abc");
        message.descriptor(&like);
        let mut reader = Reader(&message);
        assert_eq!(reader.word().unwrap(), 5);
        assert_eq!(reader.length().unwrap(), None);
        assert_eq!(reader.length().unwrap(), Some(9));
        assert_eq!(reader.bytes().unwrap(), b"abc");
        let read = reader.descriptor().unwrap();
        assert_eq!(format!("{read:?}"), format!("{like:?}"));
        assert!(reader.0.is_empty());
    }

    #[test]
    fn what_ends_too_early_is_refused() {
        let mut message = Vec::new();
        message.bytes(b"abc");
        for len in 0..message.len() {
            assert!(Reader(&message[..len]).bytes().is_err());
        }
        let mut message = Vec::new();
        message.descriptor(&FullDescriptor::empty());
        assert!(Reader(&message[1..]).descriptor().is_err());
        message[16..24].copy_from_slice(&16_u64.to_ne_bytes());
        assert!(Reader(&message).descriptor().is_err(), "16 dimensions");
    }
}
