//! References to nodes and templates as arguments of the library: the fastest dimension first, nodes from 1.

use super::objects::Objects;
use crate::diagnostics::Diagnostic;
use crate::directive::{Brackets, Reference, Subscript, Text};
use crate::meaning::{Language, Target, fastest_first};

/// Names of the variables of objects begin so.
pub const PREFIX: &str = "xmp__";

/// Names of variables that say which indices of a template an image has begin so.
pub const OWN: &str = "xmp_own__";

/// Names of variables that have the bounds of a template begin so.
pub const BOUNDS: &str = "xmp_bounds__";

/// Names of variables that describe the parts of an array begin so: an object may have any name after [`PREFIX`].
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
    /// The object of a reference.
    ///
    /// # Errors
    /// When there is no such object, or the reference has another number of dimensions.
    pub fn target(&self, reference: &Reference) -> Result<Target, Diagnostic> {
        let nodes = self.nodes_at(&reference.name).map(|of| of.declared.shape.subscripts.len());
        let template = self
            .template_at(&reference.name)
            .map(|number| (number, self.templates[number].declared.subscripts.len()));
        Target::of(reference, nodes, template, Language::C)
    }

    /// The expression that enters the nodes of a reference: whether this image is one of them. With `nocomm`,
    /// nothing is entered.
    ///
    /// # Errors
    /// As [`Objects::target`].
    pub fn entering(&self, reference: &Reference, nocomm: bool) -> Result<String, Diagnostic> {
        let on = self.on(Some(reference))?;
        let call = if nocomm { "xmprt_on" } else { "xmprt_enter" };
        Ok(format!("{call}({on}, __FILE__, __LINE__)"))
    }

    /// A reference as two arguments: the object, and a range of each dimension. Without it the executing images.
    ///
    /// # Errors
    /// As [`Objects::target`].
    pub fn on(&self, reference: Option<&Reference>) -> Result<String, Diagnostic> {
        let Some(reference) = reference else { return Ok("XMPRT_NO_OBJECT, NULL".to_owned()) };
        self.target(reference)?;
        let object = object(reference);
        match reference.brackets {
            None => Ok(format!("{object}, NULL")),
            Some(_) => Ok(format!("{object}, {}", self.ranges(reference)?)),
        }
    }

    /// The dimensions of a reference, as a list of ranges.
    ///
    /// # Errors
    /// As [`Objects::target`].
    pub fn ranges(&self, reference: &Reference) -> Result<String, Diagnostic> {
        let target = self.target(reference)?;
        let is_nodes = matches!(target, Target::Nodes(_));
        let from_0 = reference.brackets == Some(Brackets::Square) && is_nodes;
        let plus = if from_0 { " + 1" } else { "" };
        let (name, subscripts) = (&reference.name.text, fastest_first(reference));
        let mut ranges = Vec::new();
        for dim in 0..target.dims() {
            let subscript = subscripts.get(dim).copied();
            ranges.push(match subscript {
                Some(Subscript::Star(_)) => "xmprt_own()".to_owned(),
                None | Some(Subscript::All(_)) => "xmprt_whole()".to_owned(),
                Some(Subscript::At(text)) => format!("xmprt_at({}{plus})", operand(text)),
                Some(Subscript::Range { first, second, step, .. }) => {
                    let end = |which: &str| match which {
                        "lower" if is_nodes => "1".to_owned(),
                        _ if is_nodes => format!("xmprt_nodes_size({PREFIX}{name}, {dim})"),
                        _ => format!("xmprt_{which}({PREFIX}{name}, {dim})"),
                    };
                    let first = first.as_ref().map(|first| format!("{}{plus}", operand(first)));
                    let lower = first.unwrap_or_else(|| end("lower"));
                    // With a step, too, the length is the length of the range, as in Omni.
                    let (range, upper) = match (second, reference.brackets) {
                        (None, _) => ("xmprt_to", end("upper")),
                        (Some(len), Some(Brackets::Square)) => ("xmprt_of_length", operand(len)),
                        (Some(last), _) => ("xmprt_to", operand(last)),
                    };
                    let step = step.as_ref().map_or("1".to_owned(), operand);
                    format!("{range}({lower}, {upper}, {step})")
                }
            });
        }
        Ok(format!("(xmprt_range[]){{{}}}", ranges.join(", ")))
    }
}

/// The object of a reference as an argument.
pub fn object(reference: &Reference) -> String {
    format!("XMPRT_OBJECT({PREFIX}{})", reference.name.text)
}
