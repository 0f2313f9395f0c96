//! `reflect` and `reduce_shadow`: the widths of shadows.

use super::Language;
use super::declare::check_count;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Reflect, Text, Width};

/// The widths of a dimension, and `/periodic/` or `/unbound/`.
#[derive(Clone, Copy, Debug)]
pub struct Widths<'a> {
    /// Below the part.
    pub lower: &'a Text,
    /// Above the part.
    pub upper: &'a Text,
    /// Whether the word between slashes is before them.
    pub flag: bool,
}

impl<'a> Widths<'a> {
    /// The widths of a directive, in which `*` is none.
    ///
    /// # Errors
    /// For `*`.
    pub fn of(width: &'a Width, directive: &str) -> Result<Self, Diagnostic> {
        match width {
            Width::Full(span) => refuse(span, format!("`*` is no width of `{directive}`")),
            Width::Widths { lower, upper, flag } => Ok(Self { lower, upper, flag: *flag }),
        }
    }
}

/// The widths for an array of `dims` dimensions, one for each; empty for the widths of its shadow. `has_shadow` is
/// known for arrays of this file.
///
/// # Errors
/// For an array without a shadow, and widths that do not fit.
pub fn widths<'a>(
    of: &'a Reflect,
    (array, dims): (&Text, usize),
    has_shadow: bool,
    language: Language,
) -> Result<Vec<Widths<'a>>, Diagnostic> {
    if !has_shadow {
        let remedy =
            format!("write `{} shadow {}(..)` after `align`", language.sentinel(), array.text);
        let remedy = match language {
            Language::C => remedy.replace("(..)", "[..]"),
            Language::Fortran => remedy,
        };
        let wrong = format!("`{}` has no shadow", array.text);
        return Err(Diagnostic::new(array.span.clone(), wrong).help(remedy));
    }
    if !of.widths.is_empty() {
        check_count((of.widths.len(), "width"), dims, &array.text, &array.span)?;
    }
    of.widths.iter().map(|width| Widths::of(width, "reflect")).collect()
}
