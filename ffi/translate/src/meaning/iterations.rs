//! Iterations of a `loop` that communicate: the nodes of `on` execute an iteration, so they are its executing nodes.

use super::Target;
use crate::directive::{Kind, Loop};

/// A part of a loop that may communicate.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// A directive.
    Directive(&'a Kind),
    /// A call of a procedure of this name.
    Call(&'a str),
}

/// Whether the nodes of `on` execute each iteration of a loop with these parts as a task. Procedures of the library communicate by
/// themselves, and other procedures may where each node has iterations of its own.
pub fn are_tasks<'a>(of: &Loop, target: Target, parts: impl IntoIterator<Item = Part<'a>>) -> bool {
    let communicates = |part| match part {
        Part::Directive(kind) => is_of_executing_nodes(kind),
        Part::Call(name) => matches!(target, Target::Nodes(_)) && !name.starts_with("xmp"),
    };
    // Iterations beyond the part of a node, which `expand` and its like add, have other nodes.
    of.extent.is_none() && parts.into_iter().any(communicates)
}

/// Whether a directive is one that the executing nodes execute together. In an iteration they are the nodes of `on`.
fn is_of_executing_nodes(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Barrier { on: None }
            | Kind::Reduction { on: None, .. }
            | Kind::Bcast { on: None, .. }
            | Kind::Gmove { .. }
    )
}
