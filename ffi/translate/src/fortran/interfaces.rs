//! The interfaces of the run-time library for Fortran, from its headers in C.

use super::writer::Code;
use std::collections::BTreeSet;

/// The headers.
const HEADERS: [&str; 3] = [
    include_str!("../../../include/xmprt_global.h"),
    include_str!("../../../include/xmprt_fortran.h"),
    include_str!("../../../include/xmprt_translated.h"),
];

/// The kinds of the types of C.
const KINDS: &str = "use iso_c_binding, only: c_char, c_int, c_int64_t";

/// Interfaces that C cannot have: names and descriptors as Fortran passes them among its own procedures. The type is
/// the one of xmp_lib.h: types with SEQUENCE, and the same name and components, are the same.
const OWN: [(&str, &[&str]); 11] = [
    (
        "xmprt_fortran_fail",
        &[
            "subroutine xmprt_fortran_fail(what, file, line)",
            "character(*), intent(in) :: what, file",
            "integer(4), intent(in) :: line",
            "end subroutine",
        ],
    ),
    (
        "xmprt_fortran_int",
        &[
            "function xmprt_fortran_int(what, value, file, line)",
            "character(*), intent(in) :: what, file",
            "integer(8), intent(in) :: value",
            "integer(4), intent(in) :: line",
            "integer(4) :: xmprt_fortran_int",
            "end function",
        ],
    ),
    (
        "xmprt_fortran_name",
        &[
            "subroutine xmprt_fortran_name(of, name)",
            "integer(8), intent(in) :: of",
            "character(*), intent(in) :: name",
            "end subroutine",
        ],
    ),
    (
        "xmprt_fortran_descriptor",
        &[
            "function xmprt_fortran_descriptor(of)",
            "type xmp_desc",
            "sequence",
            "integer(8) :: desc",
            "end type",
            "integer(8), intent(in) :: of",
            "type(xmp_desc) :: xmprt_fortran_descriptor",
            "end function",
        ],
    ),
    (
        "xmprt_fortran_indices",
        &[
            "function xmprt_fortran_indices(first, last, step)",
            "type xmprt_indices",
            "sequence",
            "integer(8) :: numbers(3)",
            "end type",
            "integer(8), intent(in) :: first, last, step",
            "type(xmprt_indices) :: xmprt_fortran_indices",
            "end function",
        ],
    ),
    (
        "xmprt_cosubscript",
        &[
            "pure function xmprt_cosubscript(cosubscript, lower, upper, codimension, text, len) bind(c)",
            KINDS,
            "integer(c_int64_t), value :: cosubscript, lower, upper",
            "integer(c_int), value :: codimension",
            "integer(c_int64_t), value :: len",
            "character(kind=c_char), intent(in) :: text(*)",
            "integer(c_int) :: xmprt_cosubscript",
            "end function",
        ],
    ),
    (
        "xmprt_subscript",
        &[
            "elemental function xmprt_subscript(subscript, lower, upper, dimension, text, len)",
            "integer(8), intent(in) :: subscript, lower, upper, len",
            "integer(4), intent(in) :: dimension",
            "character(*), intent(in) :: text",
            "integer(8) :: xmprt_subscript",
            "end function",
        ],
    ),
    (
        "xmprt_result_image",
        &[
            "pure function xmprt_result_image(image, text, len) bind(c)",
            KINDS,
            "integer(c_int64_t), value :: image, len",
            "character(kind=c_char), intent(in) :: text(*)",
            "integer(c_int) :: xmprt_result_image",
            "end function",
        ],
    ),
    (
        "xmprt_loop_check",
        &[
            "function xmprt_loop_check(on, at, dim, outer, inner, first, last, step, offset, nodes) bind(c)",
            KINDS,
            "integer(c_int64_t), value :: on, first, last, step, offset",
            "integer(c_int64_t), intent(in) :: at(3, *)",
            "integer(c_int), value :: dim, outer, inner",
            "character(kind=c_char), intent(in) :: nodes(*)",
            "integer(c_int) :: xmprt_loop_check",
            "end function",
        ],
    ),
    (
        "xmprt_section_check",
        &[
            "function xmprt_section_check(on, at, executes, nodes) bind(c)",
            KINDS,
            "integer(c_int64_t), value :: on",
            "integer(c_int64_t), intent(in) :: at(3, *)",
            "integer(c_int), value :: executes",
            "character(kind=c_char), intent(in) :: nodes(*)",
            "integer(c_int) :: xmprt_section_check",
            "end function",
        ],
    ),
    (
        "xmprt_descriptor",
        &[
            "function xmprt_descriptor(of) bind(c)",
            KINDS,
            "integer(c_int64_t), value :: of",
            "integer(c_int64_t) :: xmprt_descriptor",
            "end function",
        ],
    ),
];

/// The names in a text that may be functions of the library.
pub fn called(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c| !is_word(c)).filter(|word| word.starts_with("xmprt_"))
}

/// The block of interfaces of functions; nothing for names of others.
pub fn of(names: &BTreeSet<String>) -> Vec<Code> {
    let bodies: Vec<String> = names.iter().flat_map(|name| body(name)).collect();
    if bodies.is_empty() {
        return Vec::new();
    }
    let ends = ["interface", "end interface"].map(Code::from);
    let [first, last] = ends;
    std::iter::once(first).chain(bodies.into_iter().map(Code::from)).chain([last]).collect()
}

/// The interface of a function.
fn body(name: &str) -> Vec<String> {
    if let Some((_, lines)) = OWN.iter().find(|(own, _)| *own == name) {
        return lines.iter().map(|line| (*line).to_owned()).collect();
    }
    let Some((result, parameters)) = HEADERS.iter().find_map(|header| prototype(header, name))
    else {
        return Vec::new();
    };
    let arguments: Vec<Argument> = parameters.split(',').filter_map(Argument::of).collect();
    let list: Vec<&str> = arguments.iter().map(|argument| argument.name.as_str()).collect();
    let (kind, word) = match result {
        "void" => (None, "subroutine"),
        "int64_t" => (Some("integer(c_int64_t)"), "function"),
        _ => (Some("integer(c_int)"), "function"),
    };
    let mut lines = vec![format!("{word} {name}({}) bind(c)", list.join(", ")), KINDS.to_owned()];
    lines.extend(arguments.iter().map(|of| of.declared.clone()));
    lines.extend(kind.map(|kind| format!("{kind} :: {name}")));
    lines.push(format!("end {word}"));
    lines
}

/// The result and the parameters of a function in a header.
fn prototype<'h>(header: &'h str, name: &str) -> Option<(&'h str, &'h str)> {
    let call = format!(" {name}(");
    let starts = header.match_indices(&call).map(|(at, _)| at);
    starts.into_iter().find_map(|at| {
        let result = header[..at].rsplit(['\n']).next()?;
        let rest = &header[at + call.len()..];
        let (parameters, after) = rest.split_once(')')?;
        (["xmprt_status", "int", "void", "int64_t"].contains(&result) && after.starts_with(';'))
            .then_some((result, parameters))
    })
}

/// A dummy argument.
struct Argument {
    name: String,
    declared: String,
}

impl Argument {
    /// The one of a parameter; none of `void`.
    fn of(parameter: &str) -> Option<Self> {
        let parameter = parameter.trim().replace('*', "* ");
        let words: Vec<&str> =
            parameter.split_whitespace().filter(|word| *word != "const").collect();
        let [kind, pointer @ .., name] = &words[..] else { return None };
        let name = name.trim_end_matches('_').to_owned();
        let is_const = parameter.starts_with("const ");
        let is_pointer = pointer.contains(&"*") || kind.ends_with('*');
        let kind = kind.trim_end_matches('*');
        let integer = match kind {
            "int" | "xmprt_type" | "xmprt_op" => "integer(c_int)",
            _ => "integer(c_int64_t)",
        };
        // Lists have as many entries as their object has dimensions.
        let shape = match (kind, name.as_str()) {
            ("xmprt_range" | "xmprt_halo" | "xmprt_format", _) => "(3, *)",
            ("xmprt_extent", _) => "(2, *)",
            ("CFI_cdesc_t", _) | (_, "async" | "tag") => "",
            ("int" | "int64_t", "own") => "(*)",
            _ if is_const => "(*)",
            _ => "",
        };
        let attributes = match (kind, is_pointer, is_const) {
            ("CFI_cdesc_t", _, true) => "type(*), dimension(..), intent(in)".to_owned(),
            // A variable that the library writes later is a target, so that the compiler keeps no copies of it.
            ("CFI_cdesc_t", ..) if name == "errmsg" => {
                "character(*, c_char), intent(inout), optional".to_owned()
            }
            ("CFI_cdesc_t", ..) if name == "data" => {
                "type(*), dimension(..), contiguous, target".to_owned()
            }
            ("CFI_cdesc_t", ..) if name.starts_with('l') => {
                "type(*), dimension(..), contiguous, target, optional".to_owned()
            }
            ("CFI_cdesc_t", ..) => "type(*), dimension(..), target".to_owned(),
            (_, false, _) => format!("{integer}, value"),
            (_, true, true) => format!("{integer}, intent(in), optional"),
            (_, true, false) if name == "stat" => format!("{integer}, intent(out), optional"),
            (_, true, false) => format!("{integer}, intent(inout)"),
        };
        let declared = format!("{attributes} :: {name}{shape}");
        Some(Self { name, declared })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str) -> String {
        body(name).join("\n")
    }

    #[test]
    fn parameters_of_c_become_dummy_arguments() {
        assert_eq!(
            text("xmprt_task_begin"),
            format!(
                "function xmprt_task_begin(on, at, executes) bind(c)\n{KINDS}\ninteger(c_int64_t), value :: on\n\
                 integer(c_int64_t), intent(in), optional :: at(3, *)\ninteger(c_int), intent(inout) :: executes\n\
                 integer(c_int) :: xmprt_task_begin\nend function"
            )
        );
        assert_eq!(
            text("xmprt_fortran_known"),
            format!(
                "subroutine xmprt_fortran_known(memory) bind(c)\n{KINDS}\n\
                 type(*), dimension(..), target :: memory\nend subroutine"
            )
        );
        let value = "type(*), dimension(..), intent(in) :: from\n";
        assert!(text("xmprt_fortran_gmove_from").contains(value));
        assert!(text("xmprt_task_end").starts_with("function xmprt_task_end() bind(c)\n"));
        assert!(text("xmprt_nothing").is_empty());
    }

    #[test]
    fn interfaces_are_those_of_the_functions_that_are_called() {
        let names = called("if (xmprt_task_end() /= 0) call f(xmprt_x, xmpt_u)").map(str::to_owned);
        let lines = of(&names.collect());
        assert_eq!(lines.len(), 6);
        assert!(of(&BTreeSet::new()).is_empty());
    }
}
