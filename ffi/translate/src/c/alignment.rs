//! `align` and `shadow`: which dimension of a template each dimension of an array follows.

use super::names::{Class, Variable};
use super::objects::{ArrayObject, File, Home, Objects};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Align, Text, Width};
use crate::meaning::alignment::{aligned, check_template};
use crate::meaning::declare::{
    check_count, check_dims, check_shadow, fill, no_array, not_distributed, twice, unknown,
};
use crate::meaning::{Language, Layout};
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
            .ok_or_else(|| unknown("template", &align.with.name, Language::C))?;
        let template = &self.templates[number];
        check_template(align, template.declared.subscripts.len(), &template.layouts)?;
        let (variable, declared) = known_array(file, name)?;
        let class = declared.class;
        let sizes = declared_sizes(file, name, declared, align)?;
        let dims = aligned(align, &template.layouts, Language::C)?;
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
            return Err(twice(name, "aligned"));
        }
        if file.names.variable(variable).of.is_none() {
            self.check_new(name, &home)?;
        }
        self.arrays.push(ArrayObject {
            name: name.clone(),
            variable,
            class,
            pointer: declared.declarator.pointer && class != Class::Parameter,
            dims,
            sizes,
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
            return Err(not_distributed(name));
        };
        // A structure that is declared as extern as well has its member twice.
        let has_shadow = !array.shadow.is_empty() && file.names.variable(variable).of.is_none();
        check_shadow(name, &array.dims, has_shadow, widths)?;
        fill(&mut array.dims, widths, Layout::Whole);
        array.shadow = widths.to_vec();
        array.directive = nth;
        Ok(())
    }
}

/// The sizes of the dimensions of an array, of which the first one may have none.
fn declared_sizes(
    file: File<'_>,
    name: &Text,
    declared: &Variable,
    align: &Align,
) -> Result<Vec<Option<String>>, Diagnostic> {
    let mut places = declared.declarator.sizes.clone();
    if declared.declarator.pointer {
        places.insert(0, 0..0);
    }
    let given = (align.subscripts.len(), "subscript");
    check_count(given, places.len(), &name.text, &name.span)?;
    check_dims(places.len(), name, Language::C)?;
    let size = |place: &Range<usize>| {
        Some(file.text[place.clone()].trim().to_owned()).filter(|size| !size.is_empty())
    };
    let sizes: Vec<Option<String>> = places.iter().map(size).collect();
    if let Some((_, place)) = sizes.iter().zip(&places).skip(1).find(|(size, _)| size.is_none()) {
        let wrong = "only the first dimension may have no size";
        return refuse(place.start..place.start + 1, wrong);
    }
    Ok(sizes)
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
                .help("write them after its name: the dimensions of a type are not seen"))
        }
        None => Err(no_array(name, Language::C)),
    }
}
