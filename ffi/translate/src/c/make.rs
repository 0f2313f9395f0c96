//! The statements that make nodes and templates.

use super::objects::{NodesObject, Objects, TemplateObject};
use super::on::{BOUNDS, OWN, PREFIX, operand};
use crate::diagnostics::Diagnostic;
use crate::directive::{Brackets, Format, NodesOf, Reference, Text};
use crate::meaning::Language;
use crate::meaning::declare;
use crate::meaning::naming;
use crate::meaning::shape::{Bounds, bounds, fixed_bounds, fixed_formats, sizes};

/// Statements of generated code.
pub type Statements = Result<Vec<String>, Diagnostic>;

/// The error that something is not declared.
fn unknown(what: &str, name: &Text) -> Diagnostic {
    declare::unknown(what, name, Language::C)
}

impl Objects {
    /// Makes nodes.
    ///
    /// # Errors
    /// For sizes that are none, and nodes that they are to be a part of and that are not declared.
    pub fn make_nodes(&self, nodes: &NodesObject) -> Statements {
        let shape = &nodes.declared.shape;
        let name = format!("{PREFIX}{}", shape.name.text);
        let size = |size: Option<&Text>| size.map_or("0", |size| &size.text).to_owned();
        let sizes: Vec<String> = sizes(&nodes.declared)?.into_iter().map(size).collect();
        let dims = shape.subscripts.len();
        let sizes = format!("{dims}, (int64_t[]){{{}}}, &{name}", sizes.join(", "));
        let square = match shape.brackets {
            Some(Brackets::Square) => " | XMPRT_SQUARE_BRACKETS",
            _ => "",
        };
        let call = match &nodes.declared.of {
            NodesOf::All => {
                format!("xmprt_nodes_of_sizes(XMPRT_ALL_IMAGES | XMPRT_FORTRAN{square}, {sizes})")
            }
            NodesOf::Executing => format!("xmprt_nodes_of_sizes(XMPRT_FORTRAN{square}, {sizes})"),
            NodesOf::Part(part) => {
                self.nodes_at(&part.name).ok_or_else(|| unknown("nodes", &part.name))?;
                let ranges = self.ranges(part)?;
                format!("xmprt_nodes_part_of_sizes({PREFIX}{}, {ranges}, {sizes})", part.name.text)
            }
        };
        Ok(vec![doing(&naming("nodes", &shape.name.text), &call)])
    }

    /// Makes a template, before it is distributed.
    ///
    /// # Errors
    /// For bounds that are none.
    pub fn make_template(&self, template: &TemplateObject) -> Statements {
        let declared = &template.declared;
        let name = format!("{PREFIX}{}", declared.name.text);
        let dims = declared.subscripts.len();
        let extents = extents(bounds(declared)?, declared);
        let call = format!("xmprt_template_create({dims}, {extents}, &{name})");
        Ok(vec![doing(&naming("template", &declared.name.text), &call)])
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
        Ok(vec![
            doing(&naming("distribute", &template.declared.name.text), &call),
            own_indices(&template.declared.name.text),
        ])
    }

    /// `template_fix`
    ///
    /// # Errors
    /// For a template that is not declared, and formats other than `gblock`.
    pub fn fix_template(&self, formats: &[Format], reference: &Reference) -> Statements {
        let number = self
            .template_at(&reference.name)
            .ok_or_else(|| unknown("template", &reference.name))?;
        let template = &self.templates[number];
        let name = format!("{PREFIX}{}", template.declared.name.text);
        let dims = template.declared.subscripts.len();
        let extents = extents(fixed_bounds(reference, dims)?, reference);
        let known = match fixed_formats(&template.formats, formats, reference)? {
            Some(formats) => {
                let formats: Vec<String> = formats.iter().map(format).collect();
                format!("(xmprt_format[]){{{}}}", formats.join(", "))
            }
            None => "NULL".to_owned(),
        };
        let call = format!("xmprt_template_fix({name}, {extents}, {known})");
        Ok(vec![
            doing(&naming("template_fix", &template.declared.name.text), &call),
            own_indices(&template.declared.name.text),
        ])
    }
}

/// A call in a statement, which ends the program with the line of the user after an error; `what` is the name of the
/// statement in messages.
pub fn doing(what: &str, call: &str) -> String {
    let what = what.replace('\\', "\\\\").replace('"', "\\\"");
    format!("XMPRT_DO(\"{what}\", {call});")
}

/// The statement that tells the library the name of an object with this handle.
pub fn named(handle: &str, name: &str) -> String {
    format!("(void)xmprt_object_name(XMPRT_OBJECT({handle}), \"{name}\");")
}

/// The statements that ask for the bounds of a template, and for the indices that this image has of it.
fn own_indices(template: &str) -> String {
    let ask = |of: &str, result: &str| {
        let call = format!("xmprt_template_{of}({PREFIX}{template}, {result}{template})");
        doing(&naming("distribute", template), &call)
    };
    format!("{} {}", ask("extents", BOUNDS), ask("blocks", OWN))
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

/// Bounds of a template as a list.
fn extents(bounds: Option<Vec<Bounds<'_>>>, template: &Reference) -> String {
    let is_square = template.brackets == Some(Brackets::Square);
    let extent = |bounds| match bounds {
        Bounds::Size(size) => format!("{{{}, {}}}", u8::from(!is_square), operand(size)),
        Bounds::Between(first, size) if is_square => {
            format!("{{{}, {}}}", operand(first), operand(size))
        }
        Bounds::Between(first, last) => {
            let (first, last) = (operand(first), operand(last));
            format!("{{{first}, {last} - {first} + 1}}")
        }
    };
    bounds.map_or_else(
        || "NULL".to_owned(),
        |bounds| {
            let extents: Vec<String> = bounds.into_iter().map(extent).collect();
            format!("(xmprt_extent[]){{{}}}", extents.join(", "))
        },
    )
}
