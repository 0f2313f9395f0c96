//! What the declarative directives of a C file declare: nodes, templates and distributed arrays, checked against each other.

use super::names::{Class, Names};
use super::syntax::block_around;
use crate::diagnostics::Diagnostic;
use crate::directive::{
    Align, Brackets, Directive, Format, Kind, Nodes, Reference, Subscript, Text, Width,
};
use std::ops::Range;
use tree_sitter::Node;

/// The most dimensions that the runtime knows.
pub const MAX_DIMS: usize = 7;

/// Where an object is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Where its name is known.
    pub scope: Range<usize>,
    /// Whether it lives in a block; otherwise as long as the program.
    pub local: bool,
}

/// `nodes`
#[derive(Clone, Debug)]
pub struct NodesObject {
    /// As declared.
    pub declared: Nodes,
    /// Where it lives.
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
    /// Where it lives.
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
    /// The last directive that says something of it: there it is made when it is local.
    pub directive: usize,
    /// Where it lives.
    pub home: Home,
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

/// What collecting needs to know of a file.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The syntax tree.
    pub root: Node<'a>,
    /// The readable text.
    pub text: &'a str,
    /// Its variables.
    pub names: &'a Names,
}

impl Objects {
    /// Collects what the directives of a file declare.
    pub fn of(file: File<'_>, directives: &[Directive], wrong: &mut Vec<Diagnostic>) -> Self {
        let mut objects = Self::default();
        for (nth, directive) in directives.iter().enumerate() {
            if let Err(error) = objects.declare(file, nth, directive) {
                wrong.push(error);
            }
        }
        objects
    }

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

    fn declare(
        &mut self,
        file: File<'_>,
        nth: usize,
        directive: &Directive,
    ) -> Result<(), Diagnostic> {
        let home = home(file, directive.span.start);
        match &directive.kind {
            Kind::Nodes(list) => {
                for declared in list {
                    check_dims(declared.shape.subscripts.len(), &declared.shape.span)?;
                    self.check_new(&declared.shape.name, &home)?;
                    self.nodes.push(NodesObject {
                        declared: declared.clone(),
                        home: home.clone(),
                        directive: nth,
                    });
                }
            }
            Kind::Template(list) => {
                for declared in list {
                    check_dims(declared.subscripts.len(), &declared.span)?;
                    self.check_new(&declared.name, &home)?;
                    self.templates.push(TemplateObject {
                        declared: declared.clone(),
                        formats: Vec::new(),
                        onto: None,
                        home: home.clone(),
                        directive: nth,
                        distributed: None,
                    });
                }
            }
            Kind::Distribute { templates, formats, brackets, onto } => {
                for template in templates {
                    self.distribute(nth, template, (formats, *brackets), onto)?;
                }
            }
            Kind::Align(align) => {
                for array in &align.arrays {
                    self.align(file, nth, array, align)?;
                }
            }
            Kind::Shadow { arrays, widths } => {
                for array in arrays {
                    self.shadow(file, nth, array, widths)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn check_new(&self, name: &Text, home: &Home) -> Result<(), Diagnostic> {
        let same =
            |other: &Text, at: &Home| other.text == name.text && at.scope.end == home.scope.end;
        let known = self.nodes.iter().any(|of| same(&of.declared.shape.name, &of.home))
            || self.templates.iter().any(|of| same(&of.declared.name, &of.home));
        match known {
            true => Err(Diagnostic::new(
                name.span.clone(),
                format!("`{}` is declared twice", name.text),
            )),
            false => Ok(()),
        }
    }

    fn distribute(
        &mut self,
        nth: usize,
        name: &Text,
        (formats, brackets): (&[Format], Brackets),
        onto: &Text,
    ) -> Result<(), Diagnostic> {
        let template = self.template_at(name).ok_or_else(|| unknown("template", name))?;
        let nodes = self.nodes_at(onto).ok_or_else(|| unknown("nodes", onto))?;
        let node_dims = nodes.declared.shape.subscripts.len();
        let template = &mut self.templates[template];
        let (given, needed) = (formats.len(), template.declared.subscripts.len());
        if given != needed {
            let wrong = Diagnostic::new(
                name.span.clone(),
                format!("{given} formats for {needed} dimensions of `{}`", name.text),
            );
            return Err(wrong
                .help("write a format for each dimension, `*` for one that is not distributed"));
        }
        if template.distributed.is_some() {
            return Err(Diagnostic::new(
                name.span.clone(),
                format!("`{}` is distributed twice", name.text),
            ));
        }
        template.formats = formats.to_vec();
        if brackets == Brackets::Square {
            template.formats.reverse();
        }
        template.onto = Some(onto.clone());
        template.distributed = Some(nth);
        let distributed =
            formats.iter().filter(|format| !matches!(format, Format::Star(_))).count();
        if distributed != node_dims {
            let wrong = format!(
                "{distributed} distributed dimensions onto {node_dims} dimensions of `{}`",
                onto.text
            );
            return Err(Diagnostic::new(onto.span.clone(), wrong).help(
                "each dimension of the nodes takes one distributed dimension of the template",
            ));
        }
        Ok(())
    }

    fn align(
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
            return Err(Diagnostic::new(align.with.span.clone(), wrong));
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
            return Err(Diagnostic::new(name.span.clone(), wrong));
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
                return Err(Diagnostic::new(
                    place.start..place.start + 1,
                    "only the first dimension may have no size",
                ));
            }
        }
        let home = match class {
            Class::Local => Home { scope: declared.scope.clone(), local: true },
            Class::Parameter => Home { scope: declared.scope.clone(), local: true },
            Class::LocalStatic => {
                let wrong = format!(
                    "`{}` is a static array of a function: it cannot be distributed",
                    name.text
                );
                return Err(Diagnostic::new(name.span.clone(), wrong)
                    .help("declare it outside of the function"));
            }
            _ => Home { scope: 0..file.text.len(), local: false },
        };
        if self.array_of(variable).is_some() {
            return Err(Diagnostic::new(
                name.span.clone(),
                format!("`{}` is aligned twice", name.text),
            ));
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
        });
        Ok(())
    }

    fn shadow(
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
        let (given, needed) = (widths.len(), array.dims.len());
        if given != needed {
            let wrong = format!("{given} widths for {needed} dimensions of `{}`", name.text);
            return Err(Diagnostic::new(name.span.clone(), wrong));
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

/// A message that something is not declared.
pub fn unknown(what: &str, name: &Text) -> Diagnostic {
    let wrong = format!("there is no {what} `{}` here", name.text);
    Diagnostic::new(name.span.clone(), wrong)
        .help("declare it before, in this block, around it or outside of functions")
}

fn check_dims(dims: usize, span: &Range<usize>) -> Result<(), Diagnostic> {
    match dims {
        0..=MAX_DIMS => Ok(()),
        _ => Err(Diagnostic::new(
            span.clone(),
            format!("{dims} dimensions; at most {MAX_DIMS} are possible"),
        )),
    }
}

fn home(file: File<'_>, at: usize) -> Home {
    match block_around(file.root, at) {
        Some(block) => Home { scope: at..block.end_byte(), local: true },
        None => Home { scope: 0..file.text.len(), local: false },
    }
}

fn known_array<'n>(
    file: File<'n>,
    name: &Text,
) -> Result<(usize, &'n super::names::Variable), Diagnostic> {
    if name.text.contains('.') {
        let wrong =
            format!("`{}` is a member: members of structures cannot be distributed", name.text);
        return Err(Diagnostic::new(name.span.clone(), wrong)
            .help("distribute a variable, and let the structure point to it"));
    }
    let found = file.names.meant(&name.text, name.span.start);
    let found = found.filter(|(_, variable)| {
        variable.declarator.pointer || !variable.declarator.sizes.is_empty()
    });
    found.ok_or_else(|| {
        let wrong =
            Diagnostic::new(name.span.clone(), format!("there is no array `{}` here", name.text));
        wrong.help("the directive has to stand behind the declaration, in the same block")
    })
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
                    return Err(Diagnostic::new(
                        span.clone(),
                        "there is no `:` of the array for this one",
                    ));
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
                return Err(Diagnostic::new(span.clone(), "a range cannot stand in `align`"));
            }
        };
        if dims[dim].with.is_some() {
            return Err(Diagnostic::new(subscript.span().clone(), "this index is used twice"));
        }
        dims[dim].with = Some((axis, offset));
        dims[dim].layout = match &formats[axis] {
            Format::Star(_) => Layout::Whole,
            Format::Block(..) | Format::Gblock(..) => Layout::Piece,
            Format::Cyclic(width, _) => Layout::Cyclic(width.clone()),
        };
    }
    Ok(())
}

/// Takes `i`, `i+k` and `i-k` apart: the index, and what is added.
pub fn index_and_offset(text: &str) -> Option<(&str, String)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    let rest = rest.trim();
    match rest.chars().next() {
        None => Some((name, "0".to_owned())),
        Some('+') => Some((name, format!("({})", rest[1..].trim()))),
        // All that follows counts: `i-1+2` adds `-1+2`.
        Some('-') => Some((name, format!("({rest})"))),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_with_offsets() {
        assert_eq!(index_and_offset(" i "), Some(("i", "0".into())));
        assert_eq!(index_and_offset("i+N-1"), Some(("i", "(N-1)".into())));
        assert_eq!(index_and_offset("i - 1+2"), Some(("i", "(- 1+2)".into())));
        assert_eq!(index_and_offset("2*i"), None);
        assert_eq!(index_and_offset("i*2"), None);
    }
}
