//! Functions of libgfortran for characters. Lengths are of characters, which have one byte or four.

use crate::call::{Call, wrapped};

/// Two texts: length and characters of each.
extern "C" fn two_texts(call: &Call) {
    call.text((0, 1), 1, false);
    call.text((2, 3), 1, false);
}

/// The same with characters of 4 bytes.
extern "C" fn two_texts_4(call: &Call) {
    call.text((0, 1), 4, false);
    call.text((2, 3), 4, false);
}

/// A text: its length and characters.
extern "C" fn text(call: &Call) {
    call.text((0, 1), 1, false);
}

/// The same with characters of 4 bytes.
extern "C" fn text_4(call: &Call) {
    call.text((0, 1), 4, false);
}

/// A text after two other arguments: its length and characters.
extern "C" fn third_text(call: &Call) {
    call.text((2, 3), 1, false);
}

/// The same with characters of 4 bytes.
extern "C" fn third_text_4(call: &Call) {
    call.text((2, 3), 4, false);
}

/// SELECT CASE of a text: two other arguments, the characters, their number.
extern "C" fn selected(call: &Call) {
    call.text((3, 2), 1, false);
}

/// The same with characters of 4 bytes.
extern "C" fn selected_4(call: &Call) {
    call.text((3, 2), 4, false);
}

/// A text is made of another one: the result, the length, the text.
extern "C" fn adjusted(call: &Call) {
    call.text((1, 2), 1, false);
    call.text((1, 0), 1, true);
}

/// The same with characters of 4 bytes.
extern "C" fn adjusted_4(call: &Call) {
    call.text((1, 2), 4, false);
    call.text((1, 0), 4, true);
}

/// A text is made of two others: length and characters of each.
extern "C" fn concatenated(call: &Call) {
    call.text((2, 3), 1, false);
    call.text((4, 5), 1, false);
    call.text((0, 1), 1, true);
}

/// The same with characters of 4 bytes.
extern "C" fn concatenated_4(call: &Call) {
    call.text((2, 3), 4, false);
    call.text((4, 5), 4, false);
    call.text((0, 1), 4, true);
}

/// MAX and MIN of texts: the length of the result, its address, which of the two, the number of texts; length and characters of each. Of
/// more texts than fit into the arguments that are looked at the first ones are entered.
fn greatest(call: &Call, size: usize) {
    let number = usize::try_from(call.argument(3) as i32).unwrap_or(0);
    let texts = (4..Call::ARGUMENTS).step_by(2).take(number);
    texts.for_each(|len| call.text((len, len + 1), size, false));
}

extern "C" fn greatest_1(call: &Call) {
    greatest(call, 1);
}

extern "C" fn greatest_4(call: &Call) {
    greatest(call, 4);
}

/// A text becomes one of another kind: the address of the result, the length, the text.
extern "C" fn converted_1(call: &Call) {
    call.text((1, 2), 1, false);
}

extern "C" fn converted_4(call: &Call) {
    call.text((1, 2), 4, false);
}

wrapped! {
    two_texts: "compare_string" "";
    two_texts: "string_" "index" "scan" "verify";
    text: "string_" "len_trim";
    third_text: "string_" "trim";
    selected: "select_string" "";
    adjusted: "adjust" "l" "r";
    concatenated: "concat_string" "";
    two_texts_4: "compare_string" "_char4";
    two_texts_4: "string_" "index_char4" "scan_char4" "verify_char4";
    text_4: "string_" "len_trim_char4";
    third_text_4: "string_" "trim_char4";
    selected_4: "select_string" "_char4";
    adjusted_4: "adjust" "l_char4" "r_char4";
    concatenated_4: "concat_string" "_char4";
    greatest_1: "string_" "minmax";
    greatest_4: "string_" "minmax_char4";
    converted_1: "convert_" "char1_to_char4";
    converted_4: "convert_" "char4_to_char1";
}
