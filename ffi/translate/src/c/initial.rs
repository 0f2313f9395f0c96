//! Initial values of distributed arrays: the whole list stays, and each image copies what it has of it.

use super::make::Statements;
use super::make_array::{element, format_of};
use super::objects::{ArrayObject, Layout};
use super::on::{MAP, PREFIX, VALUES};
use super::unit::Unit;

impl Unit<'_> {
    /// The statement that gives an array the values of its declaration, as far as they are of this image.
    ///
    /// # Errors
    /// When a size is not declared.
    pub fn initial_values(&self, array: &ArrayObject) -> Statements {
        let mut declarations = self.names.declarations(array.variable);
        if array.pointer || declarations.all(|variable| variable.declarator.value.is_none()) {
            return Ok(Vec::new());
        }
        let name = &array.name.text;
        let template = &self.objects.templates[array.template].declared.name.text;
        let mut dims = Vec::new();
        for dim in &array.dims {
            let size = match &dim.size {
                Some(size) => format!("(long)({size})"),
                None => {
                    format!("(long)(sizeof {VALUES}{name} / sizeof *{VALUES}{name})")
                }
            };
            let format = format_of(&dim.layout);
            let (axis, offset) =
                dim.with.as_ref().map_or((&0, "0"), |(axis, offset)| (axis, offset));
            let width = match &dim.layout {
                Layout::Cyclic(Some(width)) => &width.text,
                _ => "1",
            };
            dims.push(format!("{{{format}, {size}, {axis}, {offset}, {width}}}"));
        }
        Ok(vec![format!(
            "xmpt_initialize(&{MAP}{name}, &{PREFIX}{template}, (struct xmpt_dim[]){{{}}}, {VALUES}{name}, sizeof({}));",
            dims.join(", "),
            element(array)
        )])
    }
}

/// Whether an initial value is a null pointer.
pub fn is_null(value: &str) -> bool {
    let value = value.rsplit(')').next().unwrap_or(value).trim();
    matches!(value, "NULL" | "0" | "nullptr")
}
