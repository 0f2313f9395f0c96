//! The statements that make a distributed array, and the view by which a function sees it.

use super::make::{Statements, doing, named};
use super::names::Class;
use super::objects::{ArrayObject, Objects};
use super::on::{MAP, PREFIX};
use crate::diagnostics::Diagnostic;
use crate::directive::Width;
use crate::meaning::naming;
use crate::meaning::{ALLOCATION, Layout};

impl Objects {
    /// Makes an array: its descriptor and, but for pointers, its part.
    ///
    /// # Errors
    /// For a size that is not known.
    pub fn make_array(&self, array: &ArrayObject) -> Statements {
        let name = &array.name.text;
        let template = format!("{PREFIX}{}", self.templates[array.template].declared.name.text);
        let (map, element) = (format!("{MAP}{name}"), element(array));
        let mut dims = Vec::new();
        for (nth, (dim, size)) in array.dims.iter().zip(&array.sizes).enumerate() {
            let count = match (size, &dim.with) {
                _ if array.pointer && size.is_none() => "1".to_owned(),
                (Some(size), _) => operand_of(size),
                (None, Some(_)) => "XMPRT_WHOLE".to_owned(),
                (None, None) => {
                    let wrong = Diagnostic::new(
                        array.name.span.clone(),
                        "the size of the first dimension is not known",
                    );
                    return Err(
                        wrong.help("declare it, or align the dimension with one of the template")
                    );
                }
            };
            let along = match &dim.with {
                Some((axis, offset)) => format!("{axis}, {offset}"),
                None => "XMPRT_NOT_DISTRIBUTED, 0".to_owned(),
            };
            let shadow = array.shadow.get(nth).map_or("0, 0".to_owned(), shadow_width);
            dims.push(format!("{{{{0, {count}}}, {along}, {shadow}}}"));
        }
        let dims = format!("{}, (xmprt_dimension[]){{{}}}", array.dims.len(), dims.join(", "));
        let mut statements = vec![doing(
            &naming("align", name),
            &format!(
                "xmprt_array_describe({template}, XMPRT_ELEMENT_TYPE({element}), sizeof({element}), {dims}, &{map}.array)"
            ),
        )];
        statements.push(named(&format!("{map}.array"), name));
        if array.pointer {
            return Ok(statements);
        }
        statements.push(match array.class {
            Class::Parameter => doing(
                &naming("an array as argument", name),
                &format!("xmprt_array_place({map}.array, (void *){PREFIX}{name})"),
            ),
            _ => {
                // All images make the arrays of the file together: `gmove in` and `out` access the parts of other
                // images.
                let flags = if array.home.local { "0" } else { "XMPRT_EXPOSE" };
                let call = format!("xmprt_array_allocate({map}.array, {flags})");
                doing(&naming(ALLOCATION, name), &call)
            }
        });
        let call = format!("xmprt_array_part({map}.array, &{map})");
        statements.push(doing(&naming("align", name), &call));
        if array.class != Class::Parameter {
            let from = if array.exclusive { "base" } else { "part" };
            statements.push(format!("{PREFIX}{name} = {map}.{from};"));
        }
        Ok(statements)
    }
}

/// A size of the user as one operand.
fn operand_of(size: &str) -> String {
    let simple = size.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if simple { size.to_owned() } else { format!("({size})") }
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

/// An array in an expression, to be followed by subscripts: an aligned pointer has the rows of the part, not the rows
/// of its declaration.
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
        match (&array.sizes[nth], is_whole) {
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
        Width::Full(_) => "XMPRT_FULL, XMPRT_FULL".to_owned(),
        Width::Widths { lower, upper, .. } => format!("{}, {}", lower.text, upper.text),
    }
}
