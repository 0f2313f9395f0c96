//! References to nodes and templates: `on p(1)`, `on t[i]`.

use super::Language;
use super::declare::{check_count, unknown};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Reference, Subscript};

/// The object of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nodes, and how many dimensions they have.
    Nodes(usize),
    /// A template by its number, and how many dimensions it has.
    Template(usize, usize),
}

impl Target {
    /// The object of a reference: `nodes` is the number of dimensions of the nodes of this name, `template` the number
    /// of the template and of its dimensions.
    ///
    /// # Errors
    /// When there is no such object, or the reference has another number of dimensions.
    pub fn of(
        reference: &Reference,
        nodes: Option<usize>,
        template: Option<(usize, usize)>,
        language: Language,
    ) -> Result<Self, Diagnostic> {
        let nodes = nodes.map(Self::Nodes);
        let target = nodes.or(template.map(|(number, dims)| Self::Template(number, dims)));
        let target =
            target.ok_or_else(|| unknown("nodes or template", &reference.name, language))?;
        if reference.brackets.is_some() {
            let (given, name) = (reference.subscripts.len(), &reference.name.text);
            check_count((given, "subscript"), target.dims(), name, &reference.span)?;
        }
        Ok(target)
    }

    /// The number of a template.
    pub fn template(self) -> Option<usize> {
        match self {
            Self::Nodes(_) => None,
            Self::Template(number, _) => Some(number),
        }
    }

    /// The number of its dimensions.
    pub fn dims(self) -> usize {
        match self {
            Self::Nodes(dims) | Self::Template(_, dims) => dims,
        }
    }

    /// Checks that a reference to it is one node, as `post` and `wait` need it.
    ///
    /// # Errors
    /// For a template, and several nodes.
    pub fn check_node(self, reference: &Reference) -> Result<(), Diagnostic> {
        let name = &reference.name.text;
        let Self::Nodes(dims) = self else {
            return refuse(&reference.span, format!("`{name}` is a template; a node is needed"));
        };
        check_count((reference.subscripts.len(), "subscript"), dims, name, &reference.span)?;
        match reference.subscripts.iter().find(|of| !matches!(of, Subscript::At(_))) {
            Some(several) => refuse(several.span(), "one node is needed here"),
            None => Ok(()),
        }
    }

    /// Checks the source of a `bcast`.
    ///
    /// # Errors
    /// For several indices of a template.
    pub fn check_source(self, from: &Reference) -> Result<(), Diagnostic> {
        if matches!(self, Self::Nodes(_)) {
            return Ok(());
        }
        // Of several nodes that have the index, the first one sends.
        let is_range = |of: &&Subscript| matches!(of, Subscript::Range { .. });
        if let Some(several) = from.subscripts.iter().find(is_range) {
            let wrong =
                Diagnostic::new(several.span().clone(), "`from` is one index of a template");
            return Err(wrong.help("write an index for each dimension, `:` or `*`"));
        }
        if !from.subscripts.iter().any(|of| matches!(of, Subscript::At(_))) {
            return refuse(&from.span, "`from` a template needs an index");
        }
        Ok(())
    }
}
