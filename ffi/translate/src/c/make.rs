//! The statements that make nodes and templates.

use super::objects::{NodesObject, Objects, TemplateObject, unknown};
use super::on::{OWN, PREFIX, operand};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Brackets, Format, NodesOf, Reference, Subscript};

/// Statements of generated code.
pub type Statements = Result<Vec<String>, Diagnostic>;

/// Subscripts of a declaration, the fastest dimension first.
fn fastest_first(shape: &Reference) -> Vec<&Subscript> {
    let mut subscripts: Vec<&Subscript> = shape.subscripts.iter().collect();
    if shape.brackets == Some(Brackets::Square) {
        subscripts.reverse();
    }
    subscripts
}

impl Objects {
    /// Makes nodes.
    ///
    /// # Errors
    /// For sizes that are none, and nodes that they are to be a part of and that are not declared.
    pub fn make_nodes(&self, nodes: &NodesObject) -> Statements {
        let shape = &nodes.declared.shape;
        let name = format!("{PREFIX}{}", shape.name.text);
        let mut sizes = Vec::new();
        let subscripts = fastest_first(shape);
        let of_all = nodes.declared.of == NodesOf::All;
        for (dim, subscript) in subscripts.iter().enumerate() {
            match subscript {
                Subscript::At(size) => sizes.push(format!("(int)({})", size.text)),
                // Where the program is not the whole set, only the last size can be open.
                Subscript::Star(span) if !of_all && dim + 1 < subscripts.len() => {
                    return Err(Diagnostic::new(
                        span.clone(),
                        "only the slowest dimension of these nodes may be `*`",
                    )
                    .help("it is the last one in `(..)` and the first one in `[..]`"));
                }
                Subscript::Star(_) => sizes.push("0".to_owned()),
                other => {
                    return refuse(other.span().clone(), "a size of nodes is a number or `*`");
                }
            }
        }
        let dims = shape.subscripts.len();
        let sizes = format!("{dims}, (int[]){{{}}}, &{name}", sizes.join(", "));
        let call = match &nodes.declared.of {
            NodesOf::All => {
                format!("xmprt_nodes_create(XMPRT_ALL_IMAGES | XMPRT_FORTRAN, {sizes})")
            }
            NodesOf::Executing => format!("xmprt_nodes_create(XMPRT_FORTRAN, {sizes})"),
            NodesOf::Part(part) => {
                self.nodes_at(&part.name).ok_or_else(|| unknown("nodes", &part.name))?;
                let ranges = self.ranges(part)?;
                format!("xmprt_nodes_section({PREFIX}{}, {ranges}, {sizes})", part.name.text)
            }
        };
        Ok(vec![doing("nodes", &call)])
    }

    /// Makes a template, before it is distributed.
    ///
    /// # Errors
    /// For bounds that are none.
    pub fn make_template(&self, template: &TemplateObject) -> Statements {
        let declared = &template.declared;
        let name = format!("{PREFIX}{}", declared.name.text);
        let dims = declared.subscripts.len();
        let extents = bounds(declared)?.unwrap_or_else(|| "NULL".to_owned());
        Ok(vec![doing("template", &format!("xmprt_template_create({dims}, {extents}, &{name})"))])
    }

    /// Distributes a template.
    ///
    /// # Errors
    /// When its nodes are not declared.
    pub fn distribute_template(&self, template: &TemplateObject) -> Statements {
        let name = format!("{PREFIX}{}", template.declared.name.text);
        let onto = template.onto.as_ref().expect("it is distributed");
        let nodes = self.nodes_at(onto).ok_or_else(|| unknown("nodes", onto))?;
        let nodes = format!("{PREFIX}{}", nodes.declared.shape.name.text);
        let formats: Vec<String> = template.formats.iter().map(format).collect();
        let formats = formats.join(", ");
        let call =
            format!("xmprt_template_distribute({name}, (xmprt_format[]){{{formats}}}, {nodes})");
        Ok(vec![doing("distribute", &call), own_indices(&template.declared.name.text)])
    }

    /// `template_fix`
    ///
    /// # Errors
    /// For a template that is not declared, and formats other than those of `gblock`.
    pub fn fix_template(&self, formats: &[Format], reference: &Reference) -> Statements {
        let number = self
            .template_at(&reference.name)
            .ok_or_else(|| unknown("template", &reference.name))?;
        let template = &self.templates[number];
        let name = format!("{PREFIX}{}", template.declared.name.text);
        let dims = template.declared.subscripts.len();
        let mut extents = None;
        if reference.brackets.is_some() {
            extents = bounds(reference)?;
            if extents.is_none() {
                return refuse(&reference.span, "`template_fix` has to say the bounds");
            }
            let given = reference.subscripts.len();
            if given != dims {
                return refuse(&reference.span, format!("{given} bounds for {dims} dimensions"));
            }
        }
        let mut known = template.formats.clone();
        let mut maps = false;
        for (nth, format) in formats.iter().enumerate() {
            let axis =
                if reference.brackets == Some(Brackets::Square) { dims - 1 - nth } else { nth };
            match (format, known.get_mut(axis)) {
                (Format::Gblock(Some(_), _), Some(of @ Format::Gblock(..))) => {
                    *of = format.clone();
                    maps = true;
                }
                (Format::Gblock(..), _) => {
                    return refuse(
                        &reference.span,
                        "this dimension is not distributed by `gblock`",
                    );
                }
                _ => {}
            }
        }
        let known: Vec<String> = known.iter().map(self::format).collect();
        let known = if maps {
            format!("(xmprt_format[]){{{}}}", known.join(", "))
        } else {
            "NULL".to_owned()
        };
        let extents = extents.unwrap_or_else(|| "NULL".to_owned());
        let call = format!("xmprt_template_fix({name}, {extents}, {known})");
        Ok(vec![doing("template_fix", &call), own_indices(&template.declared.name.text)])
    }
}

/// A call in a statement, which ends the program with the line of the user after an error; messages call it `what`.
pub fn doing(what: &str, call: &str) -> String {
    format!("XMPRT_DO(\"{what}\", {call});")
}

/// The statement that asks for the indices that this image has of a template.
fn own_indices(template: &str) -> String {
    doing("distribute", &format!("xmprt_template_blocks({PREFIX}{template}, {OWN}{template})"))
}

/// A format of a template.
fn format(of: &Format) -> String {
    match of {
        Format::Star(_) => "{XMPRT_COLLAPSED, 0, NULL}".to_owned(),
        Format::Block(None, _) => "{XMPRT_BLOCK, 0, NULL}".to_owned(),
        Format::Block(Some(width), _) => format!("{{XMPRT_BLOCK, {}, NULL}}", operand(width)),
        Format::Cyclic(None, _) => "{XMPRT_CYCLIC, 0, NULL}".to_owned(),
        Format::Cyclic(Some(width), _) => format!("{{XMPRT_CYCLIC, {}, NULL}}", operand(width)),
        Format::Gblock(None, _) => "{XMPRT_GBLOCK, 0, NULL}".to_owned(),
        Format::Gblock(Some(map), _) => {
            let map = operand(map);
            format!("{{XMPRT_GBLOCK, sizeof *{map}, {map}}}")
        }
    }
}

/// Bounds of a template; none for `:`.
fn bounds(declared: &Reference) -> Result<Option<String>, Diagnostic> {
    let mut bounds = Vec::new();
    let mut open = 0;
    for subscript in fastest_first(declared) {
        bounds.push(match (subscript, declared.brackets) {
            (Subscript::All(_), _) => {
                open += 1;
                continue;
            }
            (Subscript::At(size), Some(Brackets::Square)) => format!("{{0, {}}}", operand(size)),
            (Subscript::At(size), _) => format!("{{1, {}}}", operand(size)),
            (
                Subscript::Range { first: Some(first), second: Some(second), step: None, .. },
                brackets,
            ) => {
                let (first, second) = (operand(first), operand(second));
                match brackets {
                    Some(Brackets::Square) => format!("{{{first}, {second}}}"),
                    _ => format!("{{{first}, {second} - {first} + 1}}"),
                }
            }
            (other, _) => {
                return refuse(
                    other.span().clone(),
                    "bounds of a template are `lower:upper`, a size or `:`",
                );
            }
        });
    }
    match (open, bounds.len()) {
        (0, _) => Ok(Some(format!("(xmprt_extent[]){{{}}}", bounds.join(", ")))),
        (_, 0) => Ok(None),
        _ => refuse(&declared.span, "either all dimensions of a template are `:` or none"),
    }
}
