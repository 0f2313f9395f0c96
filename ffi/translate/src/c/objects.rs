//! The objects that the directives of a C file declare: nodes, templates and distributed arrays.

use super::names::{Class, Member, Names};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Format, Nodes, Reference, Text, Width};
use std::ops::Range;
use tree_sitter::Node;

/// The greatest number of dimensions that the runtime supports.
pub const MAX_DIMS: usize = 7;

/// The scope and the lifetime of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The part of the file in which its name is known.
    pub scope: Range<usize>,
    /// Whether it is made in a block: it ends there, unless it is kept.
    pub local: bool,
    /// Whether an object of a block stays when the block ends: `static_desc`, or a static array.
    pub kept: bool,
}

impl Home {
    /// What is not declared in a block.
    pub fn of_file(text: &str) -> Self {
        Self { scope: 0..text.len(), local: false, kept: false }
    }
}

/// `nodes`
#[derive(Clone, Debug)]
pub struct NodesObject {
    /// As declared.
    pub declared: Nodes,
    /// Its scope.
    pub home: Home,
    /// The directive that declares it.
    pub directive: usize,
}

/// `template` and `distribute`
#[derive(Clone, Debug)]
pub struct TemplateObject {
    /// Name and bounds.
    pub declared: Reference,
    /// Formats, the fastest dimension first; empty until `distribute`.
    pub formats: Vec<Format>,
    /// The nodes that it is distributed onto.
    pub onto: Option<Text>,
    /// Its scope.
    pub home: Home,
    /// The directive that declares it.
    pub directive: usize,
    /// The directive that distributes it.
    pub distributed: Option<usize>,
}

/// How the elements of one dimension of an array lie on an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// All indices.
    Whole,
    /// One piece.
    Piece,
    /// Blocks in turn; the width is 1 without a text.
    Cyclic(Option<Text>),
}

impl Layout {
    /// The layout of a format.
    pub fn of(format: &Format) -> Self {
        match format {
            Format::Star(_) => Self::Whole,
            Format::Block(..) | Format::Gblock(..) => Self::Piece,
            Format::Cyclic(width, _) => Self::Cyclic(width.clone()),
        }
    }
}

/// One dimension of an array.
#[derive(Clone, Debug)]
pub struct Dim {
    /// The dimension of the template, the fastest first, and what is added to the index.
    pub with: Option<(usize, String)>,
    /// The layout.
    pub layout: Layout,
    /// The size as declared; none for an open size.
    pub size: Option<String>,
}

/// A distributed array.
#[derive(Clone, Debug)]
pub struct ArrayObject {
    /// Its name.
    pub name: Text,
    /// The number of its variable.
    pub variable: usize,
    /// How it is declared.
    pub class: Class,
    /// Whether it is a pointer that `xmp_malloc` gives memory to.
    pub pointer: bool,
    /// Its dimensions in the order of C.
    pub dims: Vec<Dim>,
    /// The widths of its shadow; empty without one.
    pub shadow: Vec<Width>,
    /// The number of its template.
    pub template: usize,
    /// The last directive that names it. A local array is made there.
    pub directive: usize,
    /// Its scope.
    pub home: Home,
    /// Whether the program reaches it by its name only.
    pub exclusive: bool,
}

impl ArrayObject {
    /// The qualifier of the pointer to its part.
    pub fn qualifier(&self) -> &'static str {
        if self.exclusive { "__restrict " } else { "" }
    }
}

/// All objects of a file.
#[derive(Debug, Default)]
pub struct Objects {
    /// Node arrays.
    pub nodes: Vec<NodesObject>,
    /// Templates.
    pub templates: Vec<TemplateObject>,
    /// Distributed arrays.
    pub arrays: Vec<ArrayObject>,
}

/// A file whose objects are collected.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The syntax tree.
    pub root: Node<'a>,
    /// The readable text.
    pub text: &'a str,
    /// Its variables.
    pub names: &'a Names,
    /// The distributed members of structures among them.
    pub members: &'a [Member],
}

impl Objects {
    /// The nodes of this name at a place.
    pub fn nodes_at(&self, name: &Text) -> Option<&NodesObject> {
        let at = name.span.start;
        let known = self
            .nodes
            .iter()
            .filter(|of| of.declared.shape.name.text == name.text && of.home.scope.contains(&at));
        known.min_by_key(|of| of.home.scope.len())
    }

    /// The template of this name at a place, and its number.
    pub fn template_at(&self, name: &Text) -> Option<usize> {
        let at = name.span.start;
        let known = self.templates.iter().enumerate();
        let known = known
            .filter(|(_, of)| of.declared.name.text == name.text && of.home.scope.contains(&at));
        known.min_by_key(|(_, of)| of.home.scope.len()).map(|(nth, _)| nth)
    }

    /// The array that is this variable.
    pub fn array_of(&self, variable: usize) -> Option<&ArrayObject> {
        self.arrays.iter().find(|array| array.variable == variable)
    }
}

/// A message that something is not declared.
pub fn unknown(what: &str, name: &Text) -> Diagnostic {
    let wrong = format!("there is no {what} `{}` here", name.text);
    Diagnostic::new(name.span.clone(), wrong)
        .help("declare it before, in this block, around it or outside of functions")
}

/// Checks a number of dimensions.
///
/// # Errors
/// For more than [`MAX_DIMS`].
pub fn check_dims(dims: usize, span: &Range<usize>) -> Result<(), Diagnostic> {
    match dims {
        0..=MAX_DIMS => Ok(()),
        _ => refuse(span.clone(), format!("{dims} dimensions; at most {MAX_DIMS} are possible")),
    }
}
