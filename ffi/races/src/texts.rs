//! Functions of libgfortran for characters. Lengths are of characters, which have SIZE bytes: one or four.

use crate::call::{Call, wrapped};

/// Two texts: length and characters of each.
extern "C" fn two_texts<const SIZE: usize>(call: &Call) {
    call.text((0, 1), SIZE, false);
    call.text((2, 3), SIZE, false);
}

/// A text: its length and characters.
extern "C" fn text<const SIZE: usize>(call: &Call) {
    call.text((0, 1), SIZE, false);
}

/// A text after two other arguments: its length and characters.
extern "C" fn third_text<const SIZE: usize>(call: &Call) {
    call.text((2, 3), SIZE, false);
}

/// SELECT CASE of a text: two other arguments, the characters, their number.
extern "C" fn selected<const SIZE: usize>(call: &Call) {
    call.text((3, 2), SIZE, false);
}

/// A text is made of another one: the result, the length, the text.
extern "C" fn adjusted<const SIZE: usize>(call: &Call) {
    call.text((1, 2), SIZE, false);
    call.text((1, 0), SIZE, true);
}

/// A text is made of two others: length and characters of each.
extern "C" fn concatenated<const SIZE: usize>(call: &Call) {
    call.text((2, 3), SIZE, false);
    call.text((4, 5), SIZE, false);
    call.text((0, 1), SIZE, true);
}

/// MAX and MIN of texts: the length of the result, its address, which of the two, the number of texts; length and characters of each. Of
/// more texts than fit into the arguments that are looked at the first ones are entered.
extern "C" fn greatest<const SIZE: usize>(call: &Call) {
    let number = usize::try_from(call.argument(3) as i32).unwrap_or(0);
    let texts = (4..Call::ARGUMENTS).step_by(2).take(number);
    texts.for_each(|len| call.text((len, len + 1), SIZE, false));
}

/// A text becomes one of another kind: the address of the result, the length, the text.
extern "C" fn converted<const SIZE: usize>(call: &Call) {
    call.text((1, 2), SIZE, false);
}

wrapped! {
    two_texts::<1>: "compare_string" "";
    two_texts::<1>: "string_" "index" "scan" "verify";
    text::<1>: "string_" "len_trim";
    third_text::<1>: "string_" "trim";
    selected::<1>: "select_string" "";
    adjusted::<1>: "adjust" "l" "r";
    concatenated::<1>: "concat_string" "";
    two_texts::<4>: "compare_string" "_char4";
    two_texts::<4>: "string_" "index_char4" "scan_char4" "verify_char4";
    text::<4>: "string_" "len_trim_char4";
    third_text::<4>: "string_" "trim_char4";
    selected::<4>: "select_string" "_char4";
    adjusted::<4>: "adjust" "l_char4" "r_char4";
    concatenated::<4>: "concat_string" "_char4";
    greatest::<1>: "string_" "minmax";
    greatest::<4>: "string_" "minmax_char4";
    converted::<1>: "convert_" "char1_to_char4";
    converted::<4>: "convert_" "char4_to_char1";
}
