//! Directives as written, with their places in the source file.
//!
//! Expressions keep the text of the user. Square brackets (C) keep their order of dimensions and their `first:length`
//! meaning here; the translator of a language turns them into the arguments of the runtime.

use super::terms::{Brackets, Format, NodesOf, Reduction, Reference, Span, Subscript, Text, Width};
use crate::diagnostics::Diagnostic;

/// The effect of `expand`, `margin` and `peel_and_wait` on a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the specification")]
pub enum Extent {
    Expand,
    Margin,
    PeelAndWait,
}

/// `loop`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The loop variables; empty when they are left out.
    pub indices: Vec<Text>,
    /// Behind `on`.
    pub on: Reference,
    /// Reductions of all clauses.
    pub reductions: Vec<Reduction>,
    /// `expand(..)` and its like; the text is the id of `peel_and_wait`.
    pub extent: Option<(Extent, Vec<Width>, Option<Text>, Span)>,
}

/// The manner in which nodes access a file of `global_io`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the specification")]
pub enum Access {
    Collective,
    Atomic,
    Direct,
}

/// The way in which a `gmove` accesses the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the specification")]
pub enum Mode {
    Collective,
    In,
    Out,
}

/// `reflect` and `reduce_shadow`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reflect {
    /// The arrays.
    pub arrays: Vec<Text>,
    /// Widths, a dimension each; empty when the clause is left out.
    pub widths: Vec<Width>,
    /// `orthogonal`
    pub orthogonal: Option<Span>,
    /// The id of `async`.
    pub id: Option<Text>,
}

/// `nodes p(..) = ..`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// Name and sizes.
    pub shape: Reference,
    /// The set of which they are nodes.
    pub of: NodesOf,
}

/// `align a[i] with t(i)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Align {
    /// Names of arrays; Fortran's form with `::` has several.
    pub arrays: Vec<Text>,
    /// Dummy subscripts of the arrays: a name, `*` or `:`.
    pub subscripts: Vec<Subscript>,
    /// The template reference.
    pub with: Reference,
}

/// A directive without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the specification")]
pub enum Kind {
    Nodes(Vec<Nodes>),
    Template(Vec<Reference>),
    Distribute {
        templates: Vec<Text>,
        formats: Vec<Format>,
        brackets: Brackets,
        onto: Text,
    },
    Align(Align),
    Shadow {
        arrays: Vec<Text>,
        widths: Vec<Width>,
    },
    TemplateFix {
        formats: Vec<Format>,
        template: Reference,
    },
    Loop(Box<Loop>),
    Task {
        on: Reference,
        nocomm: bool,
    },
    Tasks,
    EndTask,
    EndTasks,
    Array {
        on: Reference,
    },
    Reflect(Reflect),
    ReduceShadow(Reflect),
    Gmove {
        mode: Mode,
        id: Option<Text>,
    },
    Barrier {
        on: Option<Reference>,
    },
    Reduction {
        reduction: Reduction,
        on: Option<Reference>,
        id: Option<Text>,
    },
    Bcast {
        variables: Vec<Reference>,
        from: Option<Reference>,
        on: Option<Reference>,
        id: Option<Text>,
    },
    WaitAsync {
        ids: Vec<Text>,
        on: Option<Reference>,
    },
    /// `coarray on p :: x`, or the older `coarray x : [*]` of C.
    Coarray {
        on: Option<Text>,
        names: Vec<Text>,
        coshape: Vec<Subscript>,
    },
    Image {
        nodes: Text,
    },
    Post {
        node: Reference,
        tag: Text,
    },
    Wait {
        node: Option<Reference>,
        tag: Option<Text>,
    },
    Lock {
        unlock: bool,
        variable: Text,
        clauses: Vec<(Text, Text)>,
    },
    LocalAlias {
        local: Text,
        global: Text,
    },
    StaticDesc(Vec<Text>),
    SaveDesc(Vec<Text>),
    MasterIo {
        begins: bool,
    },
    GlobalIo {
        access: Access,
        begins: bool,
    },
    EndIo {
        is_master: bool,
    },
    FileSyncAll {
        unit: Text,
    },
}

/// A directive in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The word that names it.
    pub keyword: Text,
    /// Its clauses.
    pub kind: Kind,
    /// From the `#` or the `!` to the end, continuation lines included.
    pub span: Span,
    /// Notes about text of the user without effect.
    pub notes: Vec<Diagnostic>,
}

impl Kind {
    /// Whether the directive declares something, and is in a specification part in Fortran.
    pub fn declares(&self) -> bool {
        matches!(
            self,
            Self::Nodes(_)
                | Self::Template(_)
                | Self::Distribute { .. }
                | Self::Align(_)
                | Self::Shadow { .. }
                | Self::Coarray { .. }
                | Self::LocalAlias { .. }
                | Self::StaticDesc(_)
                | Self::SaveDesc(_)
        )
    }

    /// Whether the directive is a statement by itself: it communicates, and applies to no construct after it.
    pub fn is_statement(&self) -> bool {
        matches!(
            self,
            Self::TemplateFix { .. }
                | Self::Reflect(_)
                | Self::ReduceShadow(_)
                | Self::Barrier { .. }
                | Self::Reduction { .. }
                | Self::Bcast { .. }
                | Self::WaitAsync { .. }
                | Self::Post { .. }
                | Self::Wait { .. }
                | Self::Lock { .. }
                | Self::FileSyncAll { .. }
        )
    }
}
