//! `align` and `shadow`: which dimension of a template each dimension of an array follows.

use super::names::{Class, Variable};
use super::objects::{ArrayObject, Dim, File, Home, Layout, Objects, check_dims, unknown};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::index_and_offset;
use crate::directive::{Align, Brackets, Format, Subscript, Text, Width};
use std::ops::Range;

impl Objects {
    /// Records the array of an `align` directive.
    ///
    /// # Errors
    /// For names that are not declared, and dimensions that do not fit.
    pub fn align(
        &mut self,
        file: File<'_>,
        nth: usize,
        name: &Text,
        align: &Align,
    ) -> Result<(), Diagnostic> {
        let number = self
            .template_at(&align.with.name)
            .ok_or_else(|| unknown("template", &align.with.name))?;
        let template = &self.templates[number];
        if template.formats.is_empty() {
            let wrong = format!("the template `{}` is not distributed", align.with.name.text);
            return Err(Diagnostic::new(align.with.name.span.clone(), wrong)
                .help("write the `distribute` directive before `align`"));
        }
        let (given, needed) = (align.with.subscripts.len(), template.declared.subscripts.len());
        if given != needed {
            let wrong =
                format!("{given} subscripts for {needed} dimensions of `{}`", align.with.name.text);
            return refuse(&align.with.span, wrong);
        }
        let (variable, declared) = known_array(file, name)?;
        let class = declared.class;
        let pointer = declared.declarator.pointer && class != Class::Parameter;
        let mut sizes = declared.declarator.sizes.clone();
        if declared.declarator.pointer {
            sizes.insert(0, 0..0);
        }
        let (given, needed) = (align.subscripts.len(), sizes.len());
        if given != needed {
            let wrong = format!("{given} subscripts for {needed} dimensions of `{}`", name.text);
            return refuse(&name.span, wrong);
        }
        check_dims(given, &name.span)?;
        let size = |place: &Range<usize>| {
            Some(file.text[place.clone()].trim().to_owned()).filter(|size| !size.is_empty())
        };
        let mut dims: Vec<Dim> = sizes
            .iter()
            .map(|place| Dim { with: None, layout: Layout::Whole, size: size(place) })
            .collect();
        match_dims(align, &template.formats, &mut dims)?;
        for (dim, place) in dims.iter().zip(&sizes).skip(1) {
            if dim.size.is_none() {
                return refuse(
                    place.start..place.start + 1,
                    "only the first dimension may have no size",
                );
            }
        }
        let home = match class {
            Class::Local | Class::LocalStatic | Class::Parameter => Home {
                scope: declared.scope.clone(),
                local: true,
                kept: class == Class::LocalStatic,
            },
            _ => Home::of_file(file.text),
        };
        if self.templates[number].home.local && !home.local {
            self.outlast(file, number, name)?;
        }
        if self.array_of(variable).is_some() {
            // A structure that is declared as extern as well has its member twice.
            if file.names.variable(variable).of.is_some() {
                return Ok(());
            }
            return refuse(&name.span, format!("`{}` is aligned twice", name.text));
        }
        if file.names.variable(variable).of.is_none() {
            self.check_new(name, &home)?;
        }
        self.arrays.push(ArrayObject {
            name: name.clone(),
            variable,
            class,
            pointer,
            dims,
            shadow: Vec::new(),
            template: number,
            directive: nth,
            home,
            exclusive: false,
        });
        Ok(())
    }

    /// Records the shadow of an array.
    ///
    /// # Errors
    /// For arrays that are not aligned, and another number of dimensions.
    pub fn shadow(
        &mut self,
        file: File<'_>,
        nth: usize,
        name: &Text,
        widths: &[Width],
    ) -> Result<(), Diagnostic> {
        let (variable, _) = known_array(file, name)?;
        let Some(array) = self.arrays.iter_mut().find(|array| array.variable == variable) else {
            let wrong = format!("`{}` is not distributed", name.text);
            return Err(Diagnostic::new(name.span.clone(), wrong)
                .help("write the `align` directive before `shadow`"));
        };
        // A structure that is declared as extern as well has its member twice.
        if !array.shadow.is_empty() && file.names.variable(variable).of.is_none() {
            return refuse(&name.span, format!("`{}` has two shadows", name.text));
        }
        let (given, needed) = (widths.len(), array.dims.len());
        if given != needed {
            let wrong = format!("{given} widths for {needed} dimensions of `{}`", name.text);
            return refuse(&name.span, wrong);
        }
        for (dim, width) in array.dims.iter_mut().zip(widths) {
            if matches!(width, Width::Full(_)) {
                dim.layout = Layout::Whole;
            }
        }
        array.shadow = widths.to_vec();
        array.directive = nth;
        Ok(())
    }
}

fn known_array<'n>(file: File<'n>, name: &Text) -> Result<(usize, &'n Variable), Diagnostic> {
    match file.names.meant(&name.text, name.span.start) {
        Some((number, variable))
            if variable.declarator.pointer || !variable.declarator.sizes.is_empty() =>
        {
            Ok((number, variable))
        }
        Some(_) => {
            let wrong = format!("`{}` is declared without dimensions", name.text);
            Err(Diagnostic::new(name.span.clone(), wrong)
                .help("write them behind its name: those of a type are not seen"))
        }
        None => {
            let wrong = format!("there is no array `{}` here", name.text);
            Err(Diagnostic::new(name.span.clone(), wrong)
                .help("the directive has to stand behind the declaration, in the same block"))
        }
    }
}

/// Finds for each dimension of an array its dimension of the template.
fn match_dims(align: &Align, formats: &[Format], dims: &mut [Dim]) -> Result<(), Diagnostic> {
    let axes = align.with.subscripts.len();
    let axis_of = |nth: usize| {
        if align.with.brackets == Some(Brackets::Square) { axes - 1 - nth } else { nth }
    };
    let mut colons = align
        .subscripts
        .iter()
        .enumerate()
        .filter(|(_, subscript)| matches!(subscript, Subscript::All(_)));
    for (nth, subscript) in align.with.subscripts.iter().enumerate() {
        let axis = axis_of(nth);
        let (dim, offset) = match subscript {
            Subscript::Star(_) => continue,
            Subscript::All(span) => {
                let Some((dim, _)) = colons.next() else {
                    return refuse(span.clone(), "there is no `:` of the array for this one");
                };
                (dim, "0".to_owned())
            }
            Subscript::At(text) => {
                let found = index_and_offset(&text.text).and_then(|(name, offset)| {
                    let dim = align
                        .subscripts
                        .iter()
                        .position(|of| matches!(of, Subscript::At(dummy) if dummy.text == name))?;
                    Some((dim, offset))
                });
                found.ok_or_else(|| {
                    let wrong = Diagnostic::new(text.span.clone(), format!("`{}` cannot be understood here", text.text));
                    wrong.help("write an index of the array, alone or with a number added: `i`, `i+1`, `i-1`")
                })?
            }
            Subscript::Range { span, .. } => {
                return refuse(span.clone(), "a range cannot stand in `align`");
            }
        };
        if dims[dim].with.is_some() {
            return refuse(subscript.span().clone(), "this index is used twice");
        }
        dims[dim].with = Some((axis, offset));
        dims[dim].layout = Layout::of(&formats[axis]);
    }
    Ok(())
}
