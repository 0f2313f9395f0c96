//! Formats of `printf` and `scanf`: the texts that output reads, and the variables that input defines.

use crate::list::List;

/// A conversion of a format.
#[derive(Clone, Copy, Debug, Default)]
struct Conversion<'a> {
    /// `*` of input: the value is dropped.
    is_dropped: bool,
    width: Number,
    precision: Number,
    /// The letters before the last one, such as `ll`.
    length: &'a [u8],
    letter: u8,
}

/// A width or a precision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Number {
    #[default]
    None,
    Given(usize),
    /// `*`: an argument.
    Argument,
}

/// Splits a format: its next conversion, and the rest. `None` at the end, or where arguments have numbers (`%2$d`).
fn next(format: &[u8], is_input: bool) -> Option<(Conversion<'_>, &[u8])> {
    let at = format.iter().position(|&byte| byte == b'%')?;
    let rest = &format[at + 1..];
    let mut conversion = Conversion::default();
    let flags: &[u8] = if is_input { b"*'I" } else { b"-+ #0'I" };
    let (given, mut rest) =
        rest.split_at(rest.iter().take_while(|byte| flags.contains(byte)).count());
    conversion.is_dropped = given.contains(&b'*');
    conversion.width = number(&mut rest);
    if rest.first() == Some(&b'$') {
        return None;
    }
    if let [b'.', after @ ..] = rest {
        rest = after;
        conversion.precision = match number(&mut rest) {
            Number::None => Number::Given(0),
            precision => precision,
        };
    }
    let length = rest.iter().take_while(|byte| b"hlLqjztm".contains(byte)).count();
    (conversion.length, rest) = rest.split_at(length);
    let (&letter, mut rest) = rest.split_first()?;
    conversion.letter = letter;
    if is_input && letter == b'[' {
        // `]` is one of the characters where it comes first.
        let first = rest.iter().take_while(|&&byte| byte == b'^').count().min(1);
        let end = rest.iter().skip(first + 1).position(|&byte| byte == b']')?;
        rest = &rest[first + 1 + end + 1..];
    }
    Some((conversion, rest))
}

fn number(rest: &mut &[u8]) -> Number {
    if let [b'*', after @ ..] = rest {
        *rest = after;
        return Number::Argument;
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, after) = rest.split_at(digits);
    *rest = after;
    let value = |digits: &[u8]| {
        digits.iter().fold(0_usize, |value, digit| {
            value.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
        })
    };
    if digits == 0 { Number::None } else { Number::Given(value(number)) }
}

impl Conversion<'_> {
    /// Bytes of an integer.
    fn integer(&self) -> usize {
        match self.length {
            b"hh" => 1,
            b"h" => 2,
            b"l" | b"ll" | b"L" | b"q" | b"j" | b"z" | b"t" => 8,
            _ => 4,
        }
    }

    /// Bytes of a variable that input defines; `None` for a text that a zero ends. Wide characters are not entered.
    fn defined(&self) -> Option<usize> {
        match (self.letter, self.length) {
            // The address of memory that the C library allocates.
            (_, b"m") | (b'p', _) => Some(8),
            (b's' | b'[', b"") => None,
            (b'c', b"") => match self.width {
                Number::Given(width) => Some(width),
                _ => Some(1),
            },
            (b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'n', _) => Some(self.integer()),
            (b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G', length) => Some(match length {
                b"L" => 10,
                b"l" => 8,
                _ => 4,
            }),
            _ => Some(0),
        }
    }
}

/// Calls `visit` with the address of each text that output by a format reads, and with the greatest number of its bytes, and `count` with
/// the address and length of each variable that gets the number of characters.
///
/// # Safety
/// The arguments of the list are those of the format.
pub unsafe fn output(
    mut format: &[u8],
    mut list: List,
    mut visit: impl FnMut(usize, usize),
    mut count: impl FnMut(usize, usize),
) {
    while let Some((conversion, rest)) = next(format, false) {
        format = rest;
        // SAFETY: the format has these arguments (contract of this function).
        unsafe {
            let mut given = |number| match number {
                Number::None => None,
                Number::Given(value) => Some(value),
                // A negative precision is none.
                Number::Argument => usize::try_from(list.word() as i32).ok(),
            };
            given(conversion.width);
            let precision = given(conversion.precision);
            match conversion.letter {
                b'%' | b'm' => {}
                b's' if conversion.length.is_empty() => {
                    visit(list.word(), precision.unwrap_or(usize::MAX));
                }
                b'n' => count(list.word(), conversion.integer()),
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b'C' | b's' | b'S' | b'p' => {
                    list.word();
                }
                b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => match conversion.length {
                    b"L" => list.skip_long_double(),
                    _ => list.skip_double(),
                },
                _ => return,
            }
        }
    }
}

/// Calls `visit` with the address and length of each variable that input by a format has defined, which has converted so many values;
/// without a length a text that a zero ends.
///
/// # Safety
/// The arguments of the list are those of the format.
pub unsafe fn input(
    mut format: &[u8],
    mut list: List,
    mut converted: usize,
    mut visit: impl FnMut(usize, Option<usize>),
) {
    while let Some((conversion, rest)) = next(format, true) {
        format = rest;
        let counts = !matches!(conversion.letter, b'%' | b'n') && !conversion.is_dropped;
        if counts && converted == 0 {
            return;
        }
        converted -= usize::from(counts);
        if counts || conversion.letter == b'n' {
            // SAFETY: the format has this argument (contract of this function).
            visit(unsafe { list.word() }, conversion.defined());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::tests::with_list;

    fn texts(format: &str, registers: [usize; 4], stack: &[usize]) -> Vec<(usize, usize)> {
        let [a, b, c, d] = registers;
        let mut found = Vec::new();
        with_list([0, 0, a, b, c, d], stack, |list| {
            // SAFETY: the formats have these arguments.
            unsafe {
                output(format.as_bytes(), list, |at, most| found.push((at, most)), |_, _| {})
            };
        });
        found
    }

    #[test]
    fn output_reads_the_texts_among_its_arguments() {
        const ANY: usize = usize::MAX;
        assert_eq!(texts("%d %5.2f %s%%\n", [1, 20, 0, 0], &[]), [(20, ANY)]);
        assert_eq!(texts("%-*s|%.3s|%.*s", [9, 20, 30, 4], &[40]), [(20, ANY), (30, 3), (40, 4)]);
        assert_eq!(
            texts("%.*s %.s", [-1_i32 as u32 as usize, 20, 30, 0], &[]),
            [(20, ANY), (30, 0)]
        );
        assert_eq!(texts("%Lf %lld %hhd %c %p %s", [1, 2, 3, 4], &[0, 0, 50]), [(50, ANY)]);
        // Wide characters, arguments with numbers, and what is no format.
        assert_eq!(texts("%ls %2$s %s", [10, 20, 30, 40], &[]), []);
        assert_eq!(texts("%s %y %s", [10, 20, 30, 40], &[]), [(10, ANY)]);
        assert_eq!(texts("100 %", [10, 20, 30, 40], &[]), []);
    }

    #[test]
    fn output_counts_its_characters() {
        with_list([0, 0, 1, 20, 0, 0], &[], |list| {
            let mut counts = Vec::new();
            // SAFETY: the format has these arguments.
            unsafe { output(b"%d%hn", list, |_, _| {}, |at, len| counts.push((at, len))) };
            assert_eq!(counts, [(20, 2)]);
        });
    }

    #[test]
    fn input_defines_as_many_variables_as_it_has_converted() {
        let defined = |format: &str, converted| {
            let mut found = Vec::new();
            with_list([0, 0, 10, 20, 30, 40], &[50, 60], |list| {
                // SAFETY: the formats have these arguments.
                unsafe {
                    input(format.as_bytes(), list, converted, |at, len| found.push((at, len)));
                }
            });
            found
        };
        assert_eq!(defined("%d %*d %lf%n", 2), [(10, Some(4)), (20, Some(8)), (30, Some(4))]);
        assert_eq!(defined("%d %d", 1), [(10, Some(4))]);
        assert_eq!(defined("%d", 0), []);
        assert_eq!(
            defined("%10s %[^]x] %5c %c%% %hhu", 5),
            [(10, None), (20, None), (30, Some(5)), (40, Some(1)), (50, Some(1))]
        );
        assert_eq!(defined("%ms %Lf", 2), [(10, Some(8)), (20, Some(10))]);
    }
}
