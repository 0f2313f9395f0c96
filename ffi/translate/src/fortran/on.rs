//! References to nodes and templates, as calls of the run-time library.

use super::objects::unknown;
use super::unit::{Unit, descriptor, integer};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Reference, Subscript};

/// Nothing, where a reference may be left out.
pub const NOTHING: &str = "0_8";

/// What a reference refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nodes, and how many dimensions they have.
    Nodes(usize),
    /// A template by its number, and how many dimensions it has.
    Template(usize, usize),
}

impl Unit<'_> {
    /// What a reference refers to.
    ///
    /// # Errors
    /// When there is no such object, or the reference has another number of dimensions.
    pub fn target(&self, reference: &Reference, scope: usize) -> Result<Target, Diagnostic> {
        let name = &reference.name;
        let (target, needed) = if let Some(nodes) = self.objects.nodes_at(&name.text, scope) {
            (Target::Nodes(nodes.dims), nodes.dims)
        } else if let Some((number, template)) = self.objects.template_at(&name.text, scope) {
            (Target::Template(number, template.dims), template.dims)
        } else {
            return Err(unknown("nodes or template", name));
        };
        let given = reference.subscripts.len();
        if reference.brackets.is_some() && given != needed {
            let wrong = format!("{given} subscripts for {needed} dimensions of `{}`", name.text);
            return refuse(&reference.span, wrong);
        }
        Ok(target)
    }

    /// The call that makes a reference.
    ///
    /// # Errors
    /// As [`Unit::target`].
    pub fn on(&self, reference: &Reference, scope: usize) -> Result<String, Diagnostic> {
        self.target(reference, scope)?;
        let dims = reference.subscripts.iter().map(dimension).collect();
        Ok(made(&reference.name.text, dims))
    }

    /// The call that makes a reference, or nothing.
    ///
    /// # Errors
    /// As [`Unit::target`].
    pub fn on_or_nothing(
        &self,
        reference: Option<&Reference>,
        scope: usize,
    ) -> Result<String, Diagnostic> {
        reference.map_or_else(|| Ok(NOTHING.to_owned()), |reference| self.on(reference, scope))
    }
}

/// A dimension of a reference or of a section: kind, lower, upper, step.
pub type Pick = [String; 4];

/// A dimension that is taken as a whole; `kind` says so.
pub fn whole(kind: u8) -> Pick {
    [kind.to_string(), "0".into(), "0".into(), "1".into()]
}

/// A dimension of a reference.
pub fn dimension(subscript: &Subscript) -> Pick {
    let one = || "1".to_owned();
    match subscript {
        Subscript::Star(_) => whole(0),
        Subscript::All(_) => whole(6),
        Subscript::At(text) => [one(), integer(&text.text), "0".into(), one()],
        Subscript::Range { first, second, step, .. } => {
            let kind = match (first, second) {
                (Some(_), Some(_)) => 2,
                (None, Some(_)) => 3,
                (Some(_), None) => 4,
                (None, None) => 5,
            };
            let text = |text: &Option<crate::directive::Text>, default: &str| {
                text.as_ref().map_or(default.to_owned(), |text| integer(&text.text))
            };
            [kind.to_string(), text(first, "0"), text(second, "0"), text(step, "1")]
        }
    }
}

/// The call that makes a reference to an object; without dimensions, to all of it.
pub fn made(name: &str, dims: Vec<Pick>) -> String {
    let count = dims.len();
    let dims = if dims.is_empty() { vec![whole(6)] } else { dims };
    format!("xmptf_on({}, {count}, {})", descriptor(name), lists(&dims))
}

/// Kinds, lower and upper bounds and steps, as array constructors.
pub fn lists(dims: &[Pick]) -> String {
    let list = |part: usize| {
        let parts: Vec<&str> = dims.iter().map(|dim| dim[part].as_str()).collect();
        format!("[{}]", parts.join(", "))
    };
    (0..4).map(list).collect::<Vec<_>>().join(", ")
}

/// All of an array with so many dimensions, as lists of a section.
pub fn all_of(dims: usize) -> String {
    lists(&vec![whole(0); dims])
}
