//! The statements that make nodes and templates.

use super::objects::{NodesObject, Objects, TemplateObject, unknown};
use super::on::{PREFIX, operand};
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
        let mut stars = 0;
        let subscripts = fastest_first(shape);
        let of_all = nodes.declared.of == NodesOf::All;
        for (dim, subscript) in subscripts.iter().enumerate() {
            match subscript {
                Subscript::At(size) => sizes.push(format!("(int)({})", size.text)),
                // Where the program is not the whole set, only the last size can be open, and is not said.
                Subscript::Star(span) if !of_all && dim + 1 < subscripts.len() => {
                    return Err(Diagnostic::new(
                        span.clone(),
                        "only the slowest dimension of these nodes may be `*`",
                    )
                    .help("it is the last one in `(..)` and the first one in `[..]`"));
                }
                Subscript::Star(_) => {
                    stars += 1;
                    sizes.push(if of_all { "-1, &xmpt_unused" } else { "&xmpt_unused" }.to_owned());
                }
                other => {
                    return refuse(other.span().clone(), "a size of nodes is a number or `*`");
                }
            }
        }
        let dims = shape.subscripts.len();
        let places = vec!["&xmpt_unused"; dims].join(", ");
        let kind = if stars > 0 { "DYNAMIC" } else { "STATIC" };
        let (of, before) = match &nodes.declared.of {
            NodesOf::All => ("GLOBAL", String::new()),
            NodesOf::Executing => ("EXEC", String::new()),
            NodesOf::Part(part) => {
                self.nodes_at(&part.name).ok_or_else(|| unknown("nodes", &part.name))?;
                ("NODES_NAMED", format!("{PREFIX}{}, {}, ", part.name.text, self.triplets(part)?))
            }
        };
        let sizes = sizes.join(", ");
        Ok(vec![format!(
            "_XMP_init_nodes_{kind}_{of}(&{name}, {dims}, {before}{sizes}, {places});"
        )])
    }

    /// Makes a template, before it is distributed.
    ///
    /// # Errors
    /// For bounds that are none.
    pub fn make_template(&self, template: &TemplateObject) -> Statements {
        let declared = &template.declared;
        let name = format!("{PREFIX}{}", declared.name.text);
        let dims = declared.subscripts.len();
        Ok(vec![match bounds(declared)? {
            None => format!("_XMP_init_template_UNFIXED(&{name}.desc, {dims});"),
            Some(bounds) => format!("_XMP_init_template_FIXED(&{name}.desc, {dims}, {bounds});"),
        }])
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
        let mut statements = vec![format!("_XMP_init_template_chunk({name}.desc, {nodes});")];
        let mut over = 0;
        for (dim, format) in template.formats.iter().enumerate() {
            statements.push(match format {
                Format::Star(_) => format!("_XMP_dist_template_DUPLICATION({name}.desc, {dim});"),
                Format::Block(None, _) => format!("_XMP_dist_template_BLOCK({name}.desc, {dim}, {over});"),
                Format::Block(Some(width), _) => {
                    format!("xmpt_distribute_blocks(&{name}, {dim}, {over}, {nodes}, {});", operand(width))
                }
                Format::Cyclic(None, _) => format!("_XMP_dist_template_CYCLIC({name}.desc, {dim}, {over});"),
                Format::Cyclic(Some(width), _) => {
                    let width = operand(width);
                    format!("_XMP_dist_template_BLOCK_CYCLIC({name}.desc, {dim}, {over}, (unsigned long long){width});")
                }
                Format::Gblock(map, _) => {
                    let map = map.as_ref().map_or("0".to_owned(), operand);
                    format!("_XMP_dist_template_GBLOCK({name}.desc, {dim}, {over}, {map}, 0);")
                }
            });
            if !matches!(format, Format::Star(_)) {
                over += 1;
            }
        }
        statements.push(format!("xmpt_template_fixed(&{name});"));
        Ok(statements)
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
        let mut statements = Vec::new();
        if reference.brackets.is_some() {
            let Some(bounds) = bounds(reference)? else {
                return refuse(&reference.span, "`template_fix` has to say the bounds");
            };
            let given = reference.subscripts.len();
            if given != dims {
                return refuse(&reference.span, format!("{given} bounds for {dims} dimensions"));
            }
            statements.push(format!("_XMP_set_template_size({name}.desc, {dims}, {bounds});"));
        }
        for (nth, format) in formats.iter().enumerate() {
            let axis =
                if reference.brackets == Some(Brackets::Square) { dims - 1 - nth } else { nth };
            match (format, template.formats.get(axis)) {
                (Format::Gblock(Some(map), _), Some(Format::Gblock(..))) => {
                    let over = template.formats[..axis]
                        .iter()
                        .filter(|of| !matches!(of, Format::Star(_)))
                        .count();
                    let map = operand(map);
                    statements.push(format!(
                        "_XMP_dist_template_GBLOCK({name}.desc, {axis}, {over}, {map}, 0);"
                    ));
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
        statements.push(format!("xmpt_template_fixed(&{name});"));
        Ok(statements)
    }
}

/// Bounds of a template; none for `:`.
fn bounds(declared: &Reference) -> Result<Option<String>, Diagnostic> {
    let mut bounds = Vec::new();
    let mut open = 0;
    for subscript in fastest_first(declared) {
        let (lower, upper) = match (subscript, declared.brackets) {
            (Subscript::All(_), _) => {
                open += 1;
                continue;
            }
            (Subscript::At(size), Some(Brackets::Square)) => {
                ("0".to_owned(), format!("{} - 1", operand(size)))
            }
            (Subscript::At(size), _) => ("1".to_owned(), operand(size)),
            (
                Subscript::Range { first: Some(first), second: Some(second), step: None, .. },
                brackets,
            ) => {
                let (first, second) = (operand(first), operand(second));
                match brackets {
                    Some(Brackets::Square) => (first.clone(), format!("{first} + {second} - 1")),
                    _ => (first, second),
                }
            }
            (other, _) => {
                return refuse(
                    other.span().clone(),
                    "bounds of a template are `lower:upper`, a size or `:`",
                );
            }
        };
        bounds.push(format!("(long long)({lower}), (long long)({upper})"));
    }
    match (open, bounds.len()) {
        (0, _) => Ok(Some(bounds.join(", "))),
        (_, 0) => Ok(None),
        _ => refuse(&declared.span, "either all dimensions of a template are `:` or none"),
    }
}
