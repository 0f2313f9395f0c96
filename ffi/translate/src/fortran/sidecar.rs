//! The data about the objects of a module for other files, as text: a line for each object, beside the file of the
//! compiler.

use super::declarations::{Bounds, Variable};
use super::objects::{ArrayObject, NodesObject, Objects, OnNode, TemplateObject};
use crate::directive::{Format, Text, Width};
use crate::meaning::{Dim, Layout};
use std::collections::HashMap;

/// The first line of such a file.
const MAGIC: &str = "XMP-RT module 4";

/// The objects of modules as text: a line each.
pub fn written(
    objects: &Objects,
    homes: &[usize],
    class: impl Fn(&ArrayObject, &Variable) -> u8,
) -> String {
    let layout = |layout: &Layout| match layout {
        Layout::Whole => "whole",
        Layout::Piece => "piece",
        Layout::Cyclic(true) => "cyclic1",
        Layout::Cyclic(false) => "cyclic",
    };
    let mut text = format!("{MAGIC}\n");
    for nodes in objects.nodes.iter().filter(|of| homes.contains(&of.home)) {
        text += &format!("nodes {} {}\n", nodes.name, nodes.dims);
    }
    for template in objects.templates.iter().filter(|of| homes.contains(&of.home)) {
        let layouts: Vec<&str> = template.layouts.iter().map(layout).collect();
        let distributed = template.distributed.as_ref().and_then(|(formats, onto)| {
            let formats: Option<Vec<String>> = formats.iter().map(format_of).collect();
            Some(format!("{} {}", onto.text, formats?.join(",")))
        });
        text += &format!(
            "template {} {} {} {}\n",
            template.name,
            template.dims,
            layouts.join(","),
            distributed.unwrap_or_else(|| "?".into())
        );
    }
    for of in objects.on_node.iter().filter(|of| homes.contains(&of.home)) {
        let from = u8::from(of.counts_from_1);
        text += &format!("coarray {} {} {} {from}\n", of.name, of.nodes, of.corank);
    }
    for array in objects.arrays.iter().filter(|of| homes.contains(&of.home)) {
        let dims: Vec<String> = array
            .dims
            .iter()
            .map(|dim| {
                let with = dim.with.as_ref().map_or("-".to_owned(), |(axis, offset)| {
                    format!("{axis}:{}", offset.replace(' ', ""))
                });
                format!("{}:{with}", layout(&dim.layout))
            })
            .collect();
        let template = &objects.templates[array.template].name;
        let variable = array.variable.as_ref().and_then(|variable| {
            let of_type = type_of(class(array, variable));
            let kind = match (variable.is_pointer, variable.is_deferred) {
                (true, _) => "pointer",
                (_, true) => "allocatable",
                _ => "plain",
            };
            Some(format!("{kind} {of_type} {} {}", shadow(array)?, bounds(variable)))
        });
        let variable = variable.unwrap_or_else(|| "?".into());
        text += &format!("array {} {template} {} {variable}\n", array.name, dims.join(","));
    }
    text
}

/// Adds the objects of a module of another file to those that are known; none if the text is none of this library.
pub fn read(text: &str, home: usize, objects: &mut Objects) -> Option<()> {
    let mut lines = text.lines();
    if lines.next()? != MAGIC {
        return None;
    }
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["nodes", name, dims] => {
                let dims = dims.parse().ok()?;
                objects.nodes.push(NodesObject { name: name.into(), home, dims, declared: None });
            }
            ["template", name, dims, layouts, ref distributed @ ..] => {
                numbers.insert(name.into(), objects.templates.len());
                objects.templates.push(TemplateObject {
                    name: name.into(),
                    home,
                    dims: dims.parse().ok()?,
                    layouts: layouts.split(',').map(layout).collect(),
                    declared: None,
                    distributed: distributed_as(distributed),
                });
            }
            ["coarray", name, nodes, corank, from] => {
                objects.on_node.push(OnNode {
                    name: name.into(),
                    home,
                    nodes: nodes.into(),
                    corank: corank.parse().ok()?,
                    counts_from_1: from == "1",
                });
            }
            ["array", name, template, dims, ref variable @ ..] => {
                let template = *numbers.get(template)?;
                let dims = dims.split(',').map(dim).collect::<Option<_>>()?;
                let array = array_of(name, home, template, dims, variable);
                objects.arrays.push(array);
            }
            _ => return None,
        }
    }
    Some(())
}

/// An array of a module of another file.
fn array_of(
    name: &str,
    home: usize,
    template: usize,
    dims: Vec<Dim>,
    variable: &[&str],
) -> ArrayObject {
    let (variable, shadow) = match known(variable) {
        Some((variable, shadow)) => (Some(variable), shadow),
        None => (None, Vec::new()),
    };
    ArrayObject {
        name: name.into(),
        home,
        template,
        dims,
        shadow,
        is_dummy: false,
        is_deferred: variable.as_ref().is_some_and(|variable| variable.is_deferred),
        variable,
        component: None,
        alias: None,
        place: Text { text: name.into(), span: 0..0 },
    }
}

/// A dimension: its layout, the dimension of the template, and the offset.
fn dim(text: &str) -> Option<Dim> {
    let mut parts = text.splitn(3, ':');
    let layout = layout(parts.next()?);
    let axis = parts.next()?.parse().ok();
    let with = axis.map(|axis| (axis, parts.next().unwrap_or("0").to_owned()));
    Some(Dim { with, layout })
}

fn layout(word: &str) -> Layout {
    match word {
        "piece" => Layout::Piece,
        "cyclic1" => Layout::Cyclic(true),
        "cyclic" => Layout::Cyclic(false),
        _ => Layout::Whole,
    }
}

/// A format in one word; none if it cannot be written so.
fn format_of(format: &Format) -> Option<String> {
    Some(match format {
        Format::Star(_) => "*".into(),
        Format::Block(None, _) => "block".into(),
        Format::Block(Some(width), _) => format!("block/{}", word(&width.text)?),
        Format::Cyclic(None, _) => "cyclic".into(),
        Format::Cyclic(Some(width), _) => format!("cyclic/{}", word(&width.text)?),
        Format::Gblock(None, _) => "gblock".into(),
        Format::Gblock(Some(map), _) => format!("gblock/{}", word(&map.text)?),
    })
}

/// The formats and the nodes in the last words of a line.
fn distributed_as(words: &[&str]) -> Option<(Vec<Format>, Text)> {
    let [onto, formats] = words else { return None };
    let text = |text: &str| Text { text: text.into(), span: 0..0 };
    let format = |word: &str| {
        let (name, argument) = word
            .split_once('/')
            .map_or((word, None), |(name, argument)| (name, Some(text(argument))));
        match name {
            "block" => Format::Block(argument, 0..0),
            "cyclic" => Format::Cyclic(argument, 0..0),
            "gblock" => Format::Gblock(argument, 0..0),
            _ => Format::Star(0..0),
        }
    };
    Some((formats.split(',').map(format).collect(), text(onto)))
}

/// A type of this class, as its code begins.
pub fn type_of(class: u8) -> &'static str {
    match class {
        1 => "integer",
        2 => "logical",
        3 => "real",
        4 => "complex",
        _ => "type",
    }
}

/// The widths of the shadow of an array; none if they cannot be written in one word.
fn shadow(array: &ArrayObject) -> Option<String> {
    let widths: Vec<String> = array
        .shadow
        .iter()
        .map(|width| match width {
            Width::Full(_) => Some("*".to_owned()),
            Width::Widths { lower, upper, .. } => {
                Some(format!("{}:{}", word(&lower.text)?, word(&upper.text)?))
            }
        })
        .collect::<Option<_>>()?;
    Some(if widths.is_empty() { "-".into() } else { widths.join(",") })
}

/// The bounds of an array; `-` if they are not known, or cannot be written in one word.
fn bounds(variable: &Variable) -> String {
    let bound = |bounds: &Bounds| {
        Some(format!("{}:{}", word(&bounds.lower)?, word(bounds.upper.as_ref()?)?))
    };
    let all: Option<Vec<String>> = variable.dims.iter().map(bound).collect();
    all.filter(|all| !all.is_empty()).map_or("-".into(), |all| all.join(","))
}

/// A text without blanks, if it has none of the marks between parts.
fn word(text: &str) -> Option<String> {
    let text = text.replace(' ', "");
    (!text.contains([',', ':', '*'])).then_some(text)
}

/// The last words of a line about an array: its declaration and its shadow.
fn known(words: &[&str]) -> Option<(Variable, Vec<Width>)> {
    let [kind, of_type, shadow, bounds] = words else { return None };
    let text = |text: &str| Text { text: text.into(), span: 0..0 };
    let width = |width: &str| match width.split_once(':') {
        Some((lower, upper)) => {
            Width::Widths { lower: text(lower), upper: text(upper), flag: false }
        }
        None => Width::Full(0..0),
    };
    let bound = |bounds: &str| {
        let (lower, upper) = bounds.split_once(':')?;
        Some(Bounds { lower: lower.into(), upper: Some(upper.into()) })
    };
    let listed =
        |list: &str| list.split(',').filter(|part| *part != "-").map(str::to_owned).collect();
    let (widths, dims): (Vec<String>, Vec<String>) = (listed(shadow), listed(bounds));
    if *kind == "plain" && dims.is_empty() {
        return None;
    }
    let variable = Variable {
        dims: dims.iter().filter_map(|dim| bound(dim)).collect(),
        type_code: (*of_type).to_owned(),
        is_deferred: *kind != "plain",
        is_pointer: *kind == "pointer",
        ..Variable::default()
    };
    Some((variable, widths.iter().map(|part| width(part)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = format!(
            "{MAGIC}\nnodes p 1\ntemplate t 2 piece,whole p gblock/m(1),*\ntemplate u 1 cyclic ?\ncoarray s p 1 1\narray a t whole:-,piece:0:(2) plain real 0:0,1:w 1:n,0:9\n\
             array b t cyclic:0:0 allocatable type - -\narray c t piece:0:0 ?\n"
        );
        let mut objects = Objects::default();
        read(&text, 7, &mut objects).expect("it is of this version");
        let class = |_: &ArrayObject, variable: &Variable| match variable.type_code.as_str() {
            "real" => 3,
            _ => 6,
        };
        assert_eq!(written(&objects, &[7], class), text);
        assert!(objects.arrays[1].is_deferred && objects.arrays[2].variable.is_none());
        assert!(read("XMP-RT module 1\n", 7, &mut objects).is_none());
    }
}
