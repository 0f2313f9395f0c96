//! Conversion between strings of different lengths and kinds.

use crate::plan::Row;

/// Converts one string: (destination, its characters, source, its characters).
type StringFn = unsafe fn(*mut u8, usize, *const u8, usize);

/// How to convert strings.
#[derive(Clone, Debug)]
pub(super) struct Strings {
    convert: StringFn,
    from: usize,
    to: usize,
}

impl Strings {
    /// From strings of `from_len` characters to such of `to_len` characters; the kinds exist.
    pub(super) fn new(from: u8, from_len: usize, to: u8, to_len: usize) -> Strings {
        let convert: StringFn = match (from, to) {
            (1, 1) => convert::<u8, u8>,
            (1, _) => convert::<u8, u32>,
            (_, 1) => convert::<u32, u8>,
            _ => convert::<u32, u32>,
        };
        Strings { convert, from: from_len, to: to_len }
    }

    /// Converts the strings of a row.
    ///
    /// # Safety
    /// The conditions of [`super::Converter::convert_row`].
    pub(super) unsafe fn convert_row(&self, row: Row) {
        for k in 0..row.extent as isize {
            // SAFETY: the row's elements are accessible.
            unsafe {
                let dst = row.dst.offset(k * row.dst_stride);
                (self.convert)(dst, self.to, row.src.offset(k * row.src_stride), self.from);
            }
        }
    }
}

/// # Safety
/// The conditions of [`super::Converter::convert`], for strings of this many characters.
unsafe fn convert<S: Character<D>, D: From<u8> + Copy>(
    dst: *mut u8,
    to: usize,
    src: *const u8,
    from: usize,
) {
    let (dst, src) = (dst.cast::<D>(), src.cast::<S>());
    let common = to.min(from);
    for k in 0..common {
        // SAFETY: both characters are within elements of the row; any bytes are a character.
        unsafe { dst.add(k).write_unaligned(src.add(k).read_unaligned().convert()) };
    }
    for k in common..to {
        // SAFETY: the character is within the destination's element.
        unsafe { dst.add(k).write_unaligned(D::from(b' ')) };
    }
}

/// A character of one kind.
trait Character<D>: Copy {
    fn convert(self) -> D;
}

impl Character<u8> for u8 {
    #[inline(always)]
    fn convert(self) -> u8 {
        self
    }
}

impl Character<u32> for u8 {
    #[inline(always)]
    fn convert(self) -> u32 {
        u32::from(self)
    }
}

impl Character<u32> for u32 {
    #[inline(always)]
    fn convert(self) -> u32 {
        self
    }
}

impl Character<u8> for u32 {
    #[inline(always)]
    fn convert(self) -> u8 {
        u8::try_from(self).unwrap_or(b'?')
    }
}
