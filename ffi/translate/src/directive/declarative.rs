//! The grammar of the directives that declare: nodes, templates, alignments, shadows and coarrays.

use super::ast::{Align, Kind, Nodes};
use super::pieces::{bracketed, format, opening, reference, subscript, width};
use super::scan::{ScanResult, Scanner};
use super::terms::{Format, NodesOf, Reference, Text};

pub fn nodes(scan: &mut Scanner) -> ScanResult<Kind> {
    if let Some(shape) = shared_shape(scan)? {
        let names = scan.list(|scan| scan.name("the name of nodes"))?;
        let nodes = names
            .into_iter()
            .map(|name| Nodes { shape: with_name(&shape, name), of: NodesOf::All });
        return Ok(Kind::Nodes(nodes.collect()));
    }
    scan.accept("::");
    let nodes = scan.list(|scan| {
        let shape = reference(scan, "the name of nodes")?;
        if shape.brackets.is_none() {
            return Err(scan.missing("the sizes of the nodes, as in `p(4)`"));
        }
        let of = if !scan.accept("=") || scan.accept("**") {
            NodesOf::All
        } else if scan.accept("*") {
            NodesOf::Executing
        } else {
            NodesOf::Part(reference(scan, "nodes, `*` or `**`")?)
        };
        Ok(Nodes { shape, of })
    })?;
    Ok(Kind::Nodes(nodes))
}

/// Reads `(..) ::`, the form of Fortran with the shape before the names.
fn shared_shape(scan: &mut Scanner) -> ScanResult<Option<Reference>> {
    let start = scan.here();
    let Some(brackets) = opening(scan) else { return Ok(None) };
    let subscripts = bracketed(scan, brackets, subscript)?;
    let span = start.start..scan.end();
    scan.expect("::", "between the shape and the names")?;
    let name = Text { text: String::new(), span: start };
    Ok(Some(Reference { name, brackets: Some(brackets), subscripts, span }))
}

fn with_name(shape: &Reference, name: Text) -> Reference {
    Reference { name, ..shape.clone() }
}

pub fn template(scan: &mut Scanner) -> ScanResult<Kind> {
    if let Some(shape) = shared_shape(scan)? {
        let names = scan.list(|scan| scan.name("the name of a template"))?;
        return Ok(Kind::Template(names.into_iter().map(|name| with_name(&shape, name)).collect()));
    }
    scan.accept("::");
    let templates = scan.list(|scan| {
        let template = reference(scan, "the name of a template")?;
        match template.brackets {
            Some(_) => Ok(template),
            None => Err(scan.missing("the bounds of the template, as in `t(0:99)` or `t(:)`")),
        }
    })?;
    Ok(Kind::Template(templates))
}

fn onto(scan: &mut Scanner) -> ScanResult<Text> {
    scan.accept_word("onto").ok_or_else(|| scan.missing("`onto`"))?;
    scan.name("the name of nodes")
}

pub fn distribute(scan: &mut Scanner) -> ScanResult<Kind> {
    let mut templates = scan.word().into_iter().collect::<Vec<_>>();
    let brackets = opening(scan).ok_or_else(|| scan.missing("the formats of the dimensions"))?;
    let formats = bracketed(scan, brackets, format)?;
    let onto = onto(scan)?;
    if templates.is_empty() {
        scan.expect("::", "before the templates")?;
        templates = scan.list(|scan| scan.name("the name of a template"))?;
    }
    Ok(Kind::Distribute { templates, formats, brackets, onto })
}

pub fn align(scan: &mut Scanner) -> ScanResult<Kind> {
    let mut arrays = match scan.peek() {
        Some('(' | '[') => Vec::new(),
        _ => vec![scan.name_with_members("the name of an array")?],
    };
    let brackets = opening(scan).ok_or_else(|| scan.missing("the dimensions of the array"))?;
    let subscripts = bracketed(scan, brackets, subscript)?;
    scan.accept_word("with").ok_or_else(|| scan.missing("`with`"))?;
    let with = reference(scan, "a template")?;
    if with.brackets.is_none() {
        return Err(scan.missing("the dimensions of the template"));
    }
    if arrays.is_empty() {
        scan.expect("::", "before the arrays")?;
        arrays = scan.list(|scan| scan.name_with_members("the name of an array"))?;
    }
    Ok(Kind::Align(Align { arrays, subscripts, with }))
}

pub fn shadow(scan: &mut Scanner) -> ScanResult<Kind> {
    let mut arrays = match scan.peek() {
        Some('(' | '[') => Vec::new(),
        _ => vec![scan.name_with_members("the name of an array")?],
    };
    let brackets = opening(scan).ok_or_else(|| scan.missing("the widths of the shadow"))?;
    let widths = bracketed(scan, brackets, |scan| width(scan, None))?;
    if arrays.is_empty() {
        scan.expect("::", "before the arrays")?;
        arrays = scan.list(|scan| scan.name_with_members("the name of an array"))?;
    }
    Ok(Kind::Shadow { arrays, widths })
}

pub fn template_fix(scan: &mut Scanner) -> ScanResult<Kind> {
    let formats: Vec<Format> = match opening(scan) {
        Some(brackets) => bracketed(scan, brackets, format)?,
        None => Vec::new(),
    };
    let template = reference(scan, "a template")?;
    Ok(Kind::TemplateFix { formats, template })
}

pub fn names_after_colons(scan: &mut Scanner) -> ScanResult<Vec<Text>> {
    scan.accept("::");
    scan.list(|scan| scan.name("a name"))
}

pub fn coarray(scan: &mut Scanner) -> ScanResult<Kind> {
    if scan.accept_word("on").is_some() {
        let on = Some(scan.name("the name of nodes")?);
        scan.expect("::", "before the coarrays")?;
        let names = scan.list(|scan| scan.name("the name of a coarray"))?;
        return Ok(Kind::Coarray { on, names, coshape: Vec::new() });
    }
    let names = scan.list(|scan| scan.name("the name of a coarray"))?;
    scan.expect(":", "before the coshape")?;
    let brackets = opening(scan).ok_or_else(|| scan.missing("the coshape, as in `[*]`"))?;
    Ok(Kind::Coarray { on: None, names, coshape: bracketed(scan, brackets, subscript)? })
}
