//! The parameters of a statement of input or output, as gfortran 8 and later lay them out (`libgfortran/io/io.h`).

use crate::call::Call;
use crate::copies::enter;
use std::ptr;

/// A field that is there if a bit of the flags is set.
#[derive(Clone, Copy)]
pub struct Field {
    /// The number of the bit; of those from 32 on it is in the second word of flags.
    flag: u32,
    /// Its offset: of a text that of the first of two words.
    offset: usize,
    /// Bytes of the variable; of a text 0.
    len: usize,
}

/// Parameters whose fields have variables of the program.
pub struct Statement {
    /// SIZE= of READ.
    pub size: Field,
    /// IOLENGTH= of INQUIRE.
    pub iolength: Field,
    /// NEWUNIT= of OPEN.
    pub newunit: Field,
    /// FILE= and others of OPEN.
    pub of_open: &'static [Field],
    /// EXIST= and others of INQUIRE.
    pub numbers_of_inquire: &'static [Field],
    /// ACCESS= and others of INQUIRE.
    pub texts_of_inquire: &'static [Field],
}

const fn variable(flag: u32, offset: usize, len: usize) -> Field {
    Field { flag, offset, len }
}

const fn text(flag: u32, offset: usize) -> Field {
    Field { flag, offset, len: 0 }
}

/// The fields of all statements.
pub const STATEMENT: Statement = Statement {
    size: variable(10, 56, 4),
    iolength: variable(11, 64, 4),
    newunit: variable(23, 296, 4),
    of_open: &[
        text(8, 56),
        text(9, 72),
        text(10, 88),
        text(11, 104),
        text(12, 120),
        text(13, 136),
        text(14, 152),
        text(15, 168),
        text(16, 184),
    ],
    numbers_of_inquire: &[
        variable(7, 48, 4),
        variable(8, 56, 4),
        variable(9, 64, 4),
        variable(10, 72, 4),
        variable(11, 80, 4),
        variable(12, 88, 4),
        variable(13, 96, 8),
        variable(32 + 5, 464, 4),
        variable(32 + 6, 472, 8),
    ],
    texts_of_inquire: &[
        text(15, 120),
        text(16, 136),
        text(17, 152),
        text(18, 168),
        text(19, 184),
        text(20, 200),
        text(21, 216),
        text(22, 232),
        text(23, 248),
        text(24, 264),
        text(25, 280),
        text(26, 296),
        text(27, 312),
        text(28, 328),
        text(29, 344),
        text(30, 360),
        text(32, 384),
        text(32 + 1, 400),
        text(32 + 2, 416),
        text(32 + 3, 432),
        text(32 + 4, 448),
    ],
};

/// The offset of the second word of flags of INQUIRE, which bit 31 of the first one announces.
const MORE_FLAGS: usize = 376;
const HAS_MORE_FLAGS: u32 = 31;
/// Bits of the outcome: not 0 after an error and at the end of a file or a record.
const OUTCOME: u32 = 3;
const HAS_IOSTAT: u32 = 5;
const HAS_IOMSG: u32 = 6;
const HAS_FORMAT: u32 = 12;
const HAS_INTERNAL_FILE: u32 = 14;
/// The unit of an internal file of characters of 4 bytes.
const OF_KIND_4: i32 = -2;
const UNIT: usize = 4;
const IOMSG: usize = 24;
const IOSTAT: usize = 40;
const FORMAT: usize = 80;
const INTERNAL_FILE: usize = 112;

/// The parameters of a statement, which exist from its first call to its last one.
#[derive(Clone, Copy)]
pub struct Parameters(*const u8);

impl Parameters {
    /// Those of a call, whose first argument they are.
    pub fn of(call: &Call) -> Parameters {
        Parameters(ptr::with_exposed_provenance(call.argument(0)))
    }

    fn word<T: Copy>(self, offset: usize) -> T {
        // SAFETY: the invariant of the type, with the layout above, for numbers.
        unsafe { self.0.wrapping_add(offset).cast::<T>().read() }
    }

    fn has(self, flag: u32) -> bool {
        match flag.checked_sub(32) {
            None => self.word::<u32>(0) >> flag & 1 == 1,
            Some(flag) => self.has(HAS_MORE_FLAGS) && self.word::<u32>(MORE_FLAGS) >> flag & 1 == 1,
        }
    }

    /// The statement begins: it defines IOSTAT=.
    pub fn begin(self, call: &Call) {
        if self.has(HAS_IOSTAT) {
            enter(self.word(IOSTAT), 4, true, call.place);
        }
    }

    /// The statement is complete: after an error, or at an end, it has defined IOMSG=.
    pub fn end(self, call: &Call) {
        if self.has(HAS_IOMSG) && self.word::<u32>(0) & OUTCOME != 0 {
            enter(self.word(IOMSG + 8), self.word(IOMSG), true, call.place);
        }
    }

    /// The format and the internal file of a statement that transfers data. Of an array of records only the first one is entered,
    /// because each statement accesses it.
    pub fn transfer(self, call: &Call, writes: bool) {
        if self.has(HAS_FORMAT) {
            enter(self.word(FORMAT), self.word(FORMAT + 8), false, call.place);
        }
        if self.has(HAS_INTERNAL_FILE) {
            let size = if self.word::<i32>(UNIT) == OF_KIND_4 { 4 } else { 1 };
            let (start, len) = (self.word(INTERNAL_FILE), self.word::<usize>(INTERNAL_FILE + 8));
            enter(start, len * size, writes, call.place);
        }
    }

    /// Variables that the statement has defined.
    pub fn variables(self, call: &Call, fields: &[Field]) {
        for field in fields.iter().filter(|field| self.has(field.flag)) {
            enter(self.word(field.offset), field.len, true, call.place);
        }
    }

    /// Texts of the statement.
    pub fn texts(self, call: &Call, fields: &[Field], writes: bool) {
        for field in fields.iter().filter(|field| self.has(field.flag)) {
            let words = [self.word(field.offset), self.word(field.offset + 8)];
            let [len, start] =
                if is_length_first(field.offset) { words } else { [words[1], words[0]] };
            enter(start, len, writes, call.place);
        }
    }
}

/// Whether the length of a text at this offset is before its address: of every second text, before and after the second flags.
fn is_length_first(offset: usize) -> bool {
    offset % 32 >= 16
}
