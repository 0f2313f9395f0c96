//! Initial values of distributed arrays: the whole list stays, and each image copies its part.

use super::make::{Statements, doing};
use super::objects::ArrayObject;
use super::on::{MAP, VALUES};
use super::unit::Unit;
use crate::meaning::naming;

impl Unit<'_> {
    /// The statement that gives an array the values of its declaration, as far as they are of this image.
    ///
    /// # Errors
    /// None.
    pub fn initial_values(&self, array: &ArrayObject) -> Statements {
        let mut declarations = self.names.declarations(array.variable);
        if array.pointer || declarations.all(|variable| variable.declarator.value.is_none()) {
            return Ok(Vec::new());
        }
        let name = &array.name.text;
        let values = format!("{VALUES}{name}");
        let call = format!("xmprt_array_initialize({MAP}{name}.array, {values}, sizeof {values})");
        Ok(vec![doing(&naming("initial values", name), &call)])
    }
}

/// Whether an initial value is a null pointer.
pub fn is_null(value: &str) -> bool {
    let value = value.trim().trim_end_matches([')', ' ']);
    let value = value.rsplit(')').next().unwrap_or(value).trim_start_matches(['(', ' ']);
    matches!(value, "NULL" | "0" | "nullptr")
}
