//! `local_alias x => a`: a local array, or a coarray, that is the part of this image of a distributed array.

use super::declarations::{cobounds, variable};
use super::heads::Unit as Program;
use super::items::Item;
use super::objects::{Alias, ArrayObject, Objects};
use super::scopes::Scopes;
use super::unit::{descriptor, own};
use super::writer::{Code, doing};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::Text;
use crate::meaning::Language;
use crate::meaning::declare::no_array;
use crate::meaning::naming;

/// The alias of a directive, and the number of its array.
///
/// # Errors
/// When one of the two is not a local array or a distributed array, as it should be.
pub fn alias(
    items: &[Item],
    scopes: &Scopes,
    objects: &Objects,
    scope: usize,
    names: [&Text; 2],
) -> Result<(usize, Alias), Diagnostic> {
    let [local, global] = names;
    let (number, array) = objects.array(global, scope)?;
    let wrong = |title: &str, help: &str| {
        Err(Diagnostic::new(global.span.clone(), format!("`{}` {title}", global.text)).help(help))
    };
    if array.home != scope || !matches!(scopes.all[scope].unit, Program::Program | Program::Module)
    {
        return wrong(
            "has no local alias here",
            "write the directive where a main program or a module declares the array",
        );
    }
    if array.is_deferred {
        return wrong("is allocated later: it has no local alias", "give it its bounds");
    }
    if array.variable.as_ref().is_some_and(|variable| variable.is_common) {
        return wrong("lies in `common`: it has no local alias", "make it a variable of a module");
    }
    if array.alias.is_some() {
        return wrong("has a local alias", "declare one alias");
    }
    let declared = variable(items, &scopes.all[scope], &local.text);
    let Some(declared) = declared.filter(|of| !of.dims.is_empty()) else {
        return Err(no_array(local, Language::Fortran));
    };
    if declared.dims.len() != array.dims.len()
        || declared.dims.iter().any(|dim| dim.upper.is_some())
    {
        let title = format!("`{}` is not declared as the part of a distributed array", local.text);
        return Err(Diagnostic::new(local.span.clone(), title).help(
            "give it as many dimensions, each with its lower bound only: `x(0:)` or `x(:)`",
        ));
    }
    let cobounds = cobounds(items, &scopes.all[scope], &local.text);
    if cobounds.as_ref().is_some_and(|cobounds| cobounds.trim() != "*") {
        return refuse(&local.span, "a local alias has one codimension: `[*]`");
    }
    let lowers = declared.dims.into_iter().map(|dim| dim.lower).collect();
    Ok((number, Alias { name: local.text.clone(), lowers, is_coarray: cobounds.is_some() }))
}

impl Alias {
    /// The new declaration: attributes, and the declared name.
    pub fn declared(&self) -> (&'static str, String) {
        let deferred = vec![":"; self.lowers.len()].join(", ");
        if self.is_coarray {
            ("allocatable, target", format!("{}({deferred})[:]", self.name))
        } else {
            ("pointer", format!("{}({deferred})", self.name))
        }
    }

    /// Statements before the allocation of the array, which uses the memory of the alias if that is a coarray.
    pub fn before(&self, array: &ArrayObject) -> Vec<Code> {
        if !self.is_coarray {
            return Vec::new();
        }
        let (name, own, rank) = (descriptor(&array.name), own(&array.name), array.dims.len());
        let bounds = self.lowers.iter().enumerate().map(|(nth, lower)| {
            let dim = nth + 1;
            format!("{lower}:{lower} + {own}(2, {dim}) - {own}(1, {dim})")
        });
        let bounds = bounds.collect::<Vec<_>>().join(", ");
        let what = naming("local_alias", &self.name);
        vec![
            doing(&what, &format!("xmprt_fortran_alike({rank}, {own})")),
            format!("allocate({}({bounds})[*])", self.name).into(),
            doing(&what, &format!("xmprt_fortran_place({name}, {}, 0)", self.name)),
        ]
    }

    /// Statements after the allocation.
    pub fn after(&self, array: &ArrayObject) -> Option<Code> {
        let bounds = self.lowers.iter().map(|lower| format!("{lower}:")).collect::<Vec<_>>();
        (!self.is_coarray)
            .then(|| format!("{}({}) => {}", self.name, bounds.join(", "), array.name).into())
    }
}
