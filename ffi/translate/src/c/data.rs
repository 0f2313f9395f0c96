//! Variables of clauses: the memory that a communication reads and writes.

use super::make_array::element;
use super::names::Class;
use super::on::{MAP, PREFIX};
use super::unit::Unit;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Brackets, Reference, Subscript, Text};
use std::ops::Range;
use xmp_map::counted::counted;

/// Variables of a clause for the runtime.
#[derive(Debug)]
pub struct Data {
    /// Address of the first element.
    pub address: String,
    /// Number of elements.
    pub count: String,
    /// An element, as an operand of `sizeof`.
    pub element: String,
}

impl Unit<'_> {
    /// The elements that a variable in a clause means.
    ///
    /// # Errors
    /// For pointers, of which the number of elements is not known, and distributed arrays.
    pub fn data(&self, variable: &Reference) -> Result<Data, Diagnostic> {
        let name = &variable.name.text;
        let wrong = |title: String| Diagnostic::new(variable.span.clone(), title);
        let number = self.names.meant(name, variable.span.start).map(|(number, _)| number);
        if let Some(array) = number.and_then(|number| self.objects.array_of(number))
            && variable.subscripts.is_empty()
            && !array.pointer
        {
            // All that this image stores: of use for dimensions of which several nodes have copies.
            let (map, element) = (format!("{MAP}{name}"), element(array));
            let address = format!("(__typeof__({element}) *){map}.part");
            let count = format!("xmprt_elements(&{map})");
            return Ok(Data { address, count, element });
        }
        let base = self.plain_name(&variable.name)?;
        if variable.subscripts.is_empty() {
            return self.whole(variable, base);
        }
        if variable.brackets != Some(Brackets::Square) {
            return Err(wrong(format!("`{name}` is no variable")));
        }
        let data = section(variable, base)?;
        let known = self.names.meant(name, variable.span.start);
        let dims = known.map_or(0, |(_, known)| known.declarator.sizes.len());
        if dims > variable.subscripts.len() {
            return Err(wrong(format!("`{name}` needs {}", counted(dims, "subscript"))));
        }
        Ok(data)
    }

    /// A whole variable, which is the expression `base`.
    fn whole(&self, variable: &Reference, base: String) -> Result<Data, Diagnostic> {
        let name = &variable.name.text;
        let Some((_, known)) = self.names.meant(name, variable.span.start) else {
            return Ok(Data { address: format!("&{base}"), count: "1".into(), element: base });
        };
        let sizes = &known.declarator.sizes;
        let is_array_argument = known.class == Class::Parameter && !sizes.is_empty();
        let argument = is_array_argument.then(|| self.whole_argument(&base, sizes)).flatten();
        if let Some(data) = argument.filter(|_| !known.declarator.pointer) {
            return Ok(data);
        }
        if known.declarator.pointer || is_array_argument {
            let wrong = format!("the number of elements of `{name}` is not known");
            return Err(Diagnostic::new(variable.span.clone(), wrong)
                .help(format!("write a section: `{name}[0:n]`")));
        }
        if sizes.is_empty() {
            return Ok(Data { address: format!("&{base}"), count: "1".into(), element: base });
        }
        let element = format!("{base}{}", "[0]".repeat(sizes.len()));
        let count = format!("(sizeof({base}) / sizeof({element}))");
        Ok(Data { address: base, count, element })
    }

    /// An array argument with all its sizes, as it is declared; none for `a[]`.
    fn whole_argument(&self, name: &str, sizes: &[Range<usize>]) -> Option<Data> {
        let size = |size: &Range<usize>| {
            let text = self.source[size.clone()].trim();
            (!text.is_empty() && !text.starts_with("static")).then(|| format!("(size_t)({text})"))
        };
        let sizes: Option<Vec<String>> = sizes.iter().map(size).collect();
        let sizes = sizes?;
        let element = format!("{name}{}", "[0]".repeat(sizes.len()));
        Some(Data { address: name.to_owned(), count: sizes.join(" * "), element })
    }

    /// A name in a clause, as an expression: not one of a distributed array.
    fn plain_name(&self, name: &Text) -> Result<String, Diagnostic> {
        if let Some((number, _)) = self.names.meant(&name.text, name.span.start) {
            if self.objects.array_of(number).is_some() {
                let wrong =
                    format!("`{}` is distributed: each node has another part of it", name.text);
                return refuse(&name.span, wrong);
            }
            if self.coarrays.of(number).is_some() {
                return Ok(format!("(*{PREFIX}{})", name.text));
            }
        }
        Ok(name.text.clone())
    }
}

/// The section of a variable, which is the expression `base`.
fn section(variable: &Reference, base: String) -> Result<Data, Diagnostic> {
    let mut element = base;
    let mut count = Vec::new();
    for subscript in &variable.subscripts {
        match subscript {
            Subscript::At(at) if count.is_empty() => element += &format!("[{}]", at.text),
            Subscript::Range { first, second: Some(len), step: None, .. } if count.is_empty() => {
                count.push(format!("(size_t)({})", len.text));
                element += &format!("[{}]", first.as_ref().map_or("0", |first| &first.text));
            }
            Subscript::All(_) => {
                count.push(format!("(sizeof({element}) / sizeof({element}[0]))"));
                element += "[0]";
            }
            other => {
                return Err(Diagnostic::new(
                    other.span().clone(),
                    "a section in this clause is contiguous",
                )
                .help(
                    "write `[first:length]` once, only `[i]` before it and only `[:]` after it",
                ));
            }
        }
    }
    let count = if count.is_empty() { "1".to_owned() } else { count.join(" * ") };
    Ok(Data { address: format!("&{element}"), count, element })
}
