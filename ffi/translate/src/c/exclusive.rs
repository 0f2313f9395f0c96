//! Arrays that the program accesses by their names only: they are declared so that the compiler need not expect two of
//! them to overlap.

use super::definitions::{Definitions, any_used};
use super::names::{Class, Variable};
use super::objects::{ArrayObject, File, Objects};
use super::syntax::{descendants, is_subscripted};
use crate::directive::{Directive, Kind};
use tree_sitter::Node;

impl Objects {
    /// Finds the static arrays of a file that no pointer points to: each use is an element, whose address is not taken.
    pub fn find_exclusive(
        &mut self,
        file: File<'_>,
        macros: &Definitions,
        directives: &[Directive],
    ) {
        let all = descendants(file.root);
        for array in &mut self.arrays {
            let mut uses = all.iter().copied().filter(|node| is_use(file, array, *node));
            array.exclusive = is_hidden(file, array, &all)
                && !has_alias(array, directives)
                && uses.all(|node| is_value(file, array, macros, node));
        }
    }
}

/// Whether an array is a variable of this file only, with elements that are numbers.
fn is_hidden(file: File<'_>, array: &ArrayObject, all: &[Node<'_>]) -> bool {
    let is_static =
        |variable: &Variable| variable.class == Class::FileStatic && variable.of.is_none();
    !array.pointer
        && file.names.declarations(array.variable).all(is_static)
        && has_numbers(file, &file.names.variable(array.variable).declaration, all)
}

/// Whether the type of a declaration is one of numbers, by itself or by a `typedef` of the file.
fn has_numbers(file: File<'_>, declaration: &std::ops::Range<usize>, all: &[Node<'_>]) -> bool {
    let is_number = |node: Node<'_>| {
        let of = node.child_by_field_name("type");
        of.is_some_and(|of| ["primitive_type", "sized_type_specifier"].contains(&of.kind()))
    };
    let found = all.iter().find(|node| node.byte_range() == *declaration);
    let Some(node) = found else { return false };
    let name = node.child_by_field_name("type").map(|of| &file.text[of.byte_range()]);
    let mut definitions = all.iter().filter(|node| node.kind() == "type_definition");
    is_number(*node)
        || definitions.any(|node| {
            let defined = node.child_by_field_name("declarator");
            let is_plain = defined.is_some_and(|of| of.kind() == "type_identifier");
            is_plain && is_number(*node) && defined.map(|of| &file.text[of.byte_range()]) == name
        })
}

/// Whether a `local_alias` points to an array.
fn has_alias(array: &ArrayObject, directives: &[Directive]) -> bool {
    directives.iter().any(|directive| match &directive.kind {
        Kind::LocalAlias { global, .. } => global.text == array.name.text,
        _ => false,
    })
}

/// Whether an identifier means an array, where it is not declared.
fn is_use(file: File<'_>, array: &ArrayObject, node: Node<'_>) -> bool {
    let name = &file.text[node.byte_range()];
    node.kind() == "identifier"
        && name == array.name.text
        && file.names.meant(name, node.start_byte()).is_some_and(|(of, _)| of == array.variable)
        && !file
            .names
            .declarations(array.variable)
            .any(|of| of.declarator.name == node.byte_range())
}

/// Whether a use has all subscripts, and is a value or the target of an assignment.
fn is_value(file: File<'_>, array: &ArrayObject, macros: &Definitions, name: Node<'_>) -> bool {
    let (mut node, mut subscripts) = (name, 0);
    loop {
        let Some(parent) = node.parent() else { return false };
        let is_subscript = is_subscripted(node);
        if !is_subscript && parent.kind() != "parenthesized_expression" {
            let takes_address = parent.kind() == "pointer_expression"
                || parent.kind() == "argument_list" && may_take_address(file, macros, parent);
            return subscripts == array.dims.len() && !takes_address;
        }
        subscripts += usize::from(is_subscript);
        node = parent;
    }
}

/// Whether a macro that takes the addresses of its arguments may be called with this list: one of the program with `&`, or one of the
/// system, by its name.
fn may_take_address(file: File<'_>, macros: &Definitions, arguments: Node<'_>) -> bool {
    let function = arguments.parent().and_then(|call| call.child_by_field_name("function"));
    let Some(function) = function else { return true };
    let name = &file.text[function.byte_range()];
    let find = |name: &str| macros.get(name).and_then(Option::as_ref);
    match find(name) {
        Some(_) => any_used(name, find, |of| of.body.iter().any(|token| token.text == "&")),
        None => !name.contains(|c: char| c.is_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Options, translate};
    use std::path::Path;

    /// Whether the array `a` of a program with this function and this declaration is exclusive.
    fn is_exclusive(declaration: &str, function: &str) -> bool {
        let source = format!(
            "#pragma xmp nodes p[*]\n#pragma xmp template t[9]\n#pragma xmp distribute t[block] onto p\n{declaration}\n\
             #pragma xmp align a[i] with t[i]\n{function}\n"
        );
        let text = translate(Path::new("a.c"), &source, Options::default()).unwrap();
        text.contains("*__restrict xmp__a")
    }

    #[test]
    fn arrays_that_only_names_reach_do_not_overlap_others() {
        let plain = "void f(int i) { a[i] = a[i + 1]; g((a[i]), -a[i]); }";
        assert!(is_exclusive("static double a[9];", plain));
        assert!(is_exclusive("typedef float real; static real a[9], b[2];", plain));
        assert!(is_exclusive(
            "#define SQUARE(x) ((x) * (x))\nstatic double a[9];",
            "double f(int i) { return SQUARE(a[i]); }"
        ));
        assert!(is_exclusive("static int a[9];", "void f(int *a) { *a = a[1]; g(a); }"));
    }

    #[test]
    fn pointers_may_point_to_other_arrays() {
        for (declaration, function) in [
            ("double a[9];", "void f(int i) { a[i] = 0; }"),
            ("static double a[9];", "void f(int i) { g(&a[i]); }"),
            ("static double a[9];", "void f(int i) { g(&(a[i])); }"),
            ("static double a[9];", "void f(void) { g(a); }"),
            ("static double a[9];", "void f(void) { double *b = a; g(b); }"),
            ("static double a[9];", "void *f(void) { return xmp_desc_of(a); }"),
            ("static double a[9];", "void f(int i) { ADDRESS(a[i]); }"),
            ("#define at(x) g(&x)\nstatic double a[9];", "void f(int i) { at(a[i]); }"),
            ("static double a[9];\n#define START a", "void f(void) { g(START); }"),
            ("typedef double row[3]; static row a[9];", "void f(int i) { g(a[i]); }"),
            ("static struct { double x[3]; } a[9];", "void f(int i) { g(a[i].x); }"),
        ] {
            assert!(!is_exclusive(declaration, function), "{declaration} {function}");
        }
    }
}
