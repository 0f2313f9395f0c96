//! The statements that make a distributed array, and the view by which a function sees it.

use super::make::Statements;
use super::names::Class;
use super::objects::{ArrayObject, Layout, Objects};
use super::on::{MAP, PREFIX};
use crate::diagnostics::Diagnostic;
use crate::directive::{Format, Width};

impl Objects {
    /// Makes an array: its descriptor and, but for pointers, its part.
    ///
    /// # Errors
    /// For a size that is not known.
    pub fn make_array(&self, array: &ArrayObject) -> Statements {
        let name = &array.name.text;
        let template = format!("{PREFIX}{}", self.templates[array.template].declared.name.text);
        let (map, element) = (format!("{MAP}{name}"), element(array));
        let dims = array.dims.len();
        let mut sizes = Vec::new();
        for dim in &array.dims {
            sizes.push(match (&dim.size, &dim.with) {
                _ if array.pointer && dim.size.is_none() => "1".to_owned(),
                (Some(size), _) => format!("(int)({size})"),
                (None, Some((axis, offset))) => {
                    format!("(int)({template}.upper[{axis}] - {offset} + 1)")
                }
                (None, None) => {
                    let wrong = Diagnostic::new(
                        array.name.span.clone(),
                        "the size of the first dimension is not known",
                    );
                    return Err(
                        wrong.help("declare it, or align the dimension with one of the template")
                    );
                }
            });
        }
        let sizes = sizes.join(", ");
        let mut statements = vec![format!(
            "_XMP_init_array_desc(&{map}.desc, {template}.desc, {dims}, XMPT_TYPE({element}), sizeof({element}), {sizes});"
        )];
        for (nth, dim) in array.dims.iter().enumerate() {
            let origin = format!("&{map}.origin[{nth}]");
            statements.push(match (&dim.with, array.pointer) {
                (None, false) => format!("_XMP_align_array_NOT_ALIGNED({map}.desc, {nth});"),
                (None, true) => format!("_XMP_align_array_noalloc({map}.desc, {nth}, -1, 0, {origin}, &{map}.stride[{nth}]);"),
                (Some((axis, offset)), true) => {
                    format!("_XMP_align_array_noalloc({map}.desc, {nth}, {axis}, {offset}, {origin}, &{map}.stride[{nth}]);")
                }
                (Some((axis, offset)), false) => {
                    let kind = match self.templates[array.template].formats[*axis] {
                        Format::Star(_) => {
                            statements.push(format!("_XMP_align_array_DUPLICATION({map}.desc, {nth}, {axis}, {offset});"));
                            continue;
                        }
                        Format::Block(None, _) => "BLOCK",
                        Format::Block(Some(_), _) | Format::Gblock(..) => "GBLOCK",
                        Format::Cyclic(None, _) => "CYCLIC",
                        Format::Cyclic(Some(_), _) => "BLOCK_CYCLIC",
                    };
                    format!("_XMP_align_array_{kind}({map}.desc, {nth}, {axis}, {offset}, {origin});")
                }
            });
        }
        if !array.shadow.is_empty() {
            let widths: Vec<String> = array.shadow.iter().map(shadow_width).collect();
            let suffix = if array.pointer { "_noalloc" } else { "" };
            statements
                .push(format!("_XMP_init_shadow{suffix}({map}.desc, {});", widths.join(", ")));
        }
        if array.pointer {
            return Ok(statements);
        }
        statements.push(format!("_XMP_init_array_nodes({map}.desc);"));
        let strides: Vec<String> =
            (0..dims).rev().map(|dim| format!("&{map}.stride[{dim}]")).collect();
        let strides = strides.join(", ");
        statements.push(match array.class {
            Class::Parameter => format!(
                "_XMP_init_array_addr(&{map}.part, (void *){PREFIX}{name}, {map}.desc, {strides});"
            ),
            _ => {
                // All images make those of the file together: `gmove in` and `out` get at the parts of others.
                let exposed = i32::from(!array.home.local);
                format!("_XMP_alloc_array(&{map}.part, {map}.desc, {exposed}, {strides});")
            }
        });
        if array.class != Class::Parameter && !array.exclusive {
            statements.push(format!("{PREFIX}{name} = {map}.part;"));
        }
        statements
            .push(format!("xmpt_array_allocated(&{map}, {}, sizeof({element}));", formats(array)));
        if array.exclusive {
            statements.push(format!("{PREFIX}{name} = {map}.base;"));
        }
        Ok(statements)
    }
}

/// The layouts of an array for the runtime.
pub fn formats(array: &ArrayObject) -> String {
    let formats: Vec<&str> = array.dims.iter().map(|dim| format_of(&dim.layout)).collect();
    format!("(enum xmpt_format[]){{{}}}", formats.join(", "))
}

/// A layout for the runtime.
pub fn format_of(layout: &Layout) -> &'static str {
    match layout {
        Layout::Whole => "XMPT_WHOLE",
        Layout::Piece => "XMPT_PIECE",
        Layout::Cyclic(_) => "XMPT_CYCLIC",
    }
}

/// An element of an array, as an operand of `sizeof`.
pub fn element(array: &ArrayObject) -> String {
    let name = &array.name.text;
    let subscripts = "[0]".repeat(array.dims.len());
    match (array.class, array.pointer) {
        (_, true) => format!("{name}{subscripts}"),
        (Class::Parameter, _) => format!("{PREFIX}{name}{subscripts}"),
        _ => format!("*{PREFIX}{name}"),
    }
}

/// The declaration by which a function sees an array by its global indices. What comes from the pointer that is qualified points
/// to this array only.
pub fn view(array: &ArrayObject) -> String {
    let name = &array.name.text;
    let base = if array.exclusive {
        format!("(void *){PREFIX}{name}")
    } else {
        format!("{MAP}{name}.base")
    };
    format!("{} = {base};", pointer(array, name))
}

/// An array in an expression, to be followed by subscripts: the rows of an aligned pointer are those of the part, not those
/// that it was declared with.
pub fn rows_of(array: &ArrayObject) -> String {
    let name = &array.name.text;
    if array.pointer && array.dims.len() > 1 {
        format!("(({}){name})", pointer(array, ""))
    } else {
        name.clone()
    }
}

/// A declaration of a pointer to the rows of the part, or its type, without a name.
fn pointer(array: &ArrayObject, declared: &str) -> String {
    let (name, element) = (&array.name.text, element(array));
    let map = format!("{MAP}{name}");
    if array.dims.len() == 1 {
        return format!("__typeof__({element}) *{declared}");
    }
    let mut text = format!("__typeof__({element}) (*{declared})");
    for (nth, dim) in array.dims.iter().enumerate().skip(1) {
        let is_whole = dim.layout == Layout::Whole && array.shadow.get(nth).is_none_or(is_nothing);
        match (&dim.size, is_whole) {
            (Some(size), true) => text += &format!("[{size}]"),
            _ => text += &format!("[{map}.length[{nth}]]"),
        }
    }
    text
}

/// Whether a shadow adds to a dimension.
pub fn has_width(width: &Width) -> bool {
    !is_nothing(width)
}

/// Whether a width of a shadow is 0.
fn is_nothing(width: &Width) -> bool {
    matches!(width, Width::Widths { lower, upper, .. } if lower.text == "0" && upper.text == "0")
}

fn shadow_width(width: &Width) -> String {
    match width {
        Width::Full(_) => "402".to_owned(),
        width if is_nothing(width) => "400".to_owned(),
        Width::Widths { lower, upper, .. } => {
            format!("401, (int)({}), (int)({})", lower.text, upper.text)
        }
    }
}
