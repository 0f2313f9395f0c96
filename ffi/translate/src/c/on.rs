//! References to nodes and templates as arguments of the runtime: the fastest dimension first, nodes from 1.

use super::objects::{Objects, unknown};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Brackets, Reference, Subscript, Text};

/// What a reference refers to.
#[derive(Clone, Copy, Debug)]
pub enum Target<'o> {
    /// Nodes, and how many dimensions they have.
    Nodes(&'o Text, usize),
    /// A template by its number, and how many dimensions it has.
    Template(usize, usize),
}

/// Names of the variables of objects begin so.
pub const PREFIX: &str = "xmp__";

/// Names of variables that say how an array lies begin so: an object may have any name behind [`PREFIX`].
pub const MAP: &str = "xmp_map__";

/// Names of initial values of arrays begin so.
pub const VALUES: &str = "xmp_values__";

/// Names of descriptors of coarrays begin so.
pub const DESCRIPTOR: &str = "xmp_descriptor__";

/// Names of generated variables of blocks begin so, which no object's do.
pub const LOCAL: &str = "xmpt__";

/// An expression of the user as one operand.
pub fn operand(text: &Text) -> String {
    let simple = text.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if simple { text.text.clone() } else { format!("({})", text.text) }
}

impl Objects {
    /// What a reference refers to.
    ///
    /// # Errors
    /// When there is no such object, or the reference has another number of dimensions.
    pub fn target(&self, reference: &Reference) -> Result<Target<'_>, Diagnostic> {
        let (target, needed) = if let Some(nodes) = self.nodes_at(&reference.name) {
            let dims = nodes.declared.shape.subscripts.len();
            (Target::Nodes(&nodes.declared.shape.name, dims), dims)
        } else if let Some(number) = self.template_at(&reference.name) {
            let dims = self.templates[number].declared.subscripts.len();
            (Target::Template(number, dims), dims)
        } else {
            return Err(unknown("nodes or template", &reference.name));
        };
        let given = reference.subscripts.len();
        if reference.brackets.is_some() && given != needed {
            let wrong =
                format!("{given} subscripts for {needed} dimensions of `{}`", reference.name.text);
            return refuse(&reference.span, wrong);
        }
        Ok(target)
    }

    /// The expression that enters the nodes of a reference: whether this image is one of them. With `nocomm`,
    /// nothing is entered.
    ///
    /// # Errors
    /// As [`Objects::target`].
    pub fn entering(&self, reference: &Reference, nocomm: bool) -> Result<String, Diagnostic> {
        let target = self.target(reference)?;
        let (kind, name) = match target {
            Target::Nodes(name, _) => ("NODES", format!("{PREFIX}{}", name.text)),
            Target::Template(number, _) => {
                ("TEMPLATE", format!("{PREFIX}{}.desc", self.templates[number].declared.name.text))
            }
        };
        let (suffix, call) = if nocomm { ("_nocomm", "") } else { ("", "XMPT_CALL, ") };
        if let (None, Target::Nodes(..)) = (reference.brackets, target) {
            return Ok(format!("_XMP_exec_task_NODES_ENTIRE{suffix}({call}{name})"));
        }
        let triplets = self.triplets(reference)?;
        if let (false, Target::Nodes(_, 1)) = (nocomm, target) {
            let rest = if triplets == "1" { ", 0, 0, 0" } else { "" };
            return Ok(format!("xmprt_omni_task_on_line({name}, {triplets}{rest})"));
        }
        Ok(format!("_XMP_exec_task_{kind}_PART{suffix}({call}{name}, {triplets})"))
    }

    /// The number of the node in a reference to one of some nodes of one dimension.
    pub fn number(&self, reference: &Reference) -> Option<String> {
        let from_0 = reference.brackets == Some(Brackets::Square);
        match reference.subscripts.as_slice() {
            [Subscript::At(text)] if from_0 => Some(format!("(int)({} + 1)", operand(text))),
            [Subscript::At(text)] => Some(format!("(int)({})", operand(text))),
            _ => None,
        }
    }

    /// The dimensions of a reference: `1` for `*`, else `0, first, last, step`.
    ///
    /// # Errors
    /// As [`Objects::target`].
    pub fn triplets(&self, reference: &Reference) -> Result<String, Diagnostic> {
        let target = self.target(reference)?;
        let dims = match target {
            Target::Nodes(_, dims) | Target::Template(_, dims) => dims,
        };
        let all = |dim: usize| match target {
            Target::Nodes(name, _) => {
                ("1".to_owned(), format!("xmpt_nodes_size({PREFIX}{}, {dim})", name.text))
            }
            Target::Template(number, _) => {
                let name = &self.templates[number].declared.name.text;
                (format!("{PREFIX}{name}.lower[{dim}]"), format!("{PREFIX}{name}.upper[{dim}]"))
            }
        };
        let cast = match target {
            Target::Nodes(..) => "(int)",
            Target::Template(..) => "(long long)",
        };
        let from_0 =
            reference.brackets == Some(Brackets::Square) && matches!(target, Target::Nodes(..));
        let mut triplets = Vec::new();
        for dim in 0..dims {
            let subscript = match reference.brackets {
                None => None,
                Some(Brackets::Round) => Some(&reference.subscripts[dim]),
                Some(Brackets::Square) => Some(&reference.subscripts[dims - 1 - dim]),
            };
            let (first, last, step) = match subscript {
                Some(Subscript::Star(_)) => {
                    triplets.push("1".to_owned());
                    continue;
                }
                None | Some(Subscript::All(_)) => {
                    let (first, last) = all(dim);
                    (first, last, "1".to_owned())
                }
                Some(Subscript::At(text)) => {
                    let at = if from_0 { format!("{} + 1", operand(text)) } else { operand(text) };
                    (at.clone(), at, "1".to_owned())
                }
                Some(Subscript::Range { first, second, step, .. }) => {
                    bounds(first, second, step, reference.brackets, from_0, all(dim))
                }
            };
            triplets.push(format!("0, {cast}({first}), {cast}({last}), {cast}({step})"));
        }
        Ok(triplets.join(", "))
    }
}

/// First, last and step of a range.
fn bounds(
    first: &Option<Text>,
    second: &Option<Text>,
    step: &Option<Text>,
    brackets: Option<Brackets>,
    from_0: bool,
    all: (String, String),
) -> (String, String, String) {
    let step = step.as_ref().map_or("1".to_owned(), operand);
    let plus = if from_0 { " + 1" } else { "" };
    let lower = first.as_ref().map_or(all.0, |first| format!("{}{plus}", operand(first)));
    let upper = match (second, brackets) {
        (None, _) => all.1,
        // With a step, too, the length is that of the range, as Omni has it.
        (Some(len), Some(Brackets::Square)) => format!("{lower} + {} - 1", operand(len)),
        (Some(last), _) => operand(last),
    };
    (lower, upper, step)
}
