//! The grammar of XcalableMP 1.4: from the text of a directive to what it says.

use super::ast::{
    Align, Brackets, Extent, Format, Kind, Loop, Mode, Nodes, NodesOf, Reference, Reflect, Text,
};
use super::pieces::{bracketed, format, id, opening, reduction, reference, subscript, width};
use super::scan::{Read, Scanner};
use crate::diagnostics::Diagnostic;

/// The words that begin a directive, for messages.
const KEYWORDS: [&str; 28] = [
    "nodes",
    "template",
    "distribute",
    "align",
    "shadow",
    "template_fix",
    "loop",
    "task",
    "tasks",
    "array",
    "reflect",
    "reduce_shadow",
    "gmove",
    "barrier",
    "reduction",
    "bcast",
    "wait_async",
    "coarray",
    "image",
    "post",
    "wait",
    "lock",
    "unlock",
    "local_alias",
    "static_desc",
    "save_desc",
    "end",
    "tasklet",
];

/// Reads what stands behind `#pragma xmp` or `!$xmp`.
///
/// # Errors
/// Says what is wrong with the first piece that does not fit.
pub fn directive(scan: &mut Scanner) -> Read<(Text, Kind)> {
    let keyword = scan.name("the name of a directive")?;
    let kind = body(scan, &keyword)?;
    if !scan.is_at_end() {
        return Err(scan.missing(&format!("the end of the `{}` directive", keyword.text)));
    }
    Ok((keyword, kind))
}

fn body(scan: &mut Scanner, keyword: &Text) -> Read<Kind> {
    match keyword.text.as_str() {
        "nodes" => nodes(scan),
        "template" => template(scan),
        "distribute" => distribute(scan),
        "align" => align(scan),
        "shadow" => shadow(scan),
        "template_fix" => template_fix(scan),
        "loop" => loops(scan),
        "task" => task(scan),
        "tasks" => Ok(Kind::Tasks),
        "end" => end(scan),
        "array" => {
            scan.accept_word("on").ok_or_else(|| scan.missing("`on`"))?;
            Ok(Kind::Array { on: reference(scan, "a template")? })
        }
        "reflect" => Ok(Kind::Reflect(reflect(scan)?)),
        "reduce_shadow" => Ok(Kind::ReduceShadow(reflect(scan)?)),
        "gmove" => gmove(scan),
        "barrier" => Ok(Kind::Barrier { on: on(scan)? }),
        "reduction" => {
            let reduction = reduction(scan)?;
            let (on, id) = on_and_async(scan)?;
            Ok(Kind::Reduction { reduction, on, id })
        }
        "bcast" => bcast(scan),
        "wait_async" => {
            scan.expect("(", "before the ids")?;
            let ids = scan.list(|scan| scan.expression(&[','], "an id"))?;
            scan.expect(")", "after the ids")?;
            Ok(Kind::WaitAsync { ids, on: on(scan)? })
        }
        "coarray" => coarray(scan),
        "image" => {
            scan.expect("(", "before the nodes")?;
            let nodes = scan.name("the name of nodes")?;
            scan.expect(")", "after the nodes")?;
            Ok(Kind::Image { nodes })
        }
        "post" => post(scan),
        "wait" => wait(scan),
        "lock" | "unlock" => lock(scan, keyword.text == "unlock"),
        "local_alias" => {
            let local = scan.name("a local array")?;
            scan.expect("=>", "between the arrays")?;
            Ok(Kind::LocalAlias { local, global: scan.name("a distributed array")? })
        }
        "static_desc" => Ok(Kind::StaticDesc(names_behind_colons(scan)?)),
        "save_desc" => Ok(Kind::SaveDesc(names_behind_colons(scan)?)),
        _ => Err(unknown(keyword)),
    }
}

fn unknown(keyword: &Text) -> Diagnostic {
    let wrong =
        Diagnostic::new(keyword.span.clone(), format!("unknown directive `{}`", keyword.text));
    let near = KEYWORDS
        .iter()
        .map(|known| (strsim::damerau_levenshtein(known, &keyword.text), known))
        .min()
        .filter(|(distance, _)| *distance <= 2);
    match near {
        Some((_, known)) => wrong.help(format!("did you mean `{known}`?")),
        None => wrong.help("directives are those of the XcalableMP specification 1.4"),
    }
}

fn on(scan: &mut Scanner) -> Read<Option<Reference>> {
    match scan.accept_word("on") {
        Some(_) => Ok(Some(reference(scan, "nodes or a template")?)),
        None => Ok(None),
    }
}

/// Reads `on ..` and `async(..)` in any order.
fn on_and_async(scan: &mut Scanner) -> Read<(Option<Reference>, Option<Text>)> {
    let (mut on, mut async_id) = (None, None);
    while let Some(word) = scan.word() {
        match word.text.as_str() {
            "on" if on.is_none() => on = Some(reference(scan, "nodes or a template")?),
            "async" if async_id.is_none() => async_id = Some(id(scan)?),
            _ => return Err(unknown_clause(&word)),
        }
    }
    Ok((on, async_id))
}

fn unknown_clause(word: &Text) -> Diagnostic {
    Diagnostic::new(word.span.clone(), format!("the clause `{}` cannot stand here", word.text))
}

fn nodes(scan: &mut Scanner) -> Read<Kind> {
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
fn shared_shape(scan: &mut Scanner) -> Read<Option<Reference>> {
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

fn template(scan: &mut Scanner) -> Read<Kind> {
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

fn onto(scan: &mut Scanner) -> Read<Text> {
    scan.accept_word("onto").ok_or_else(|| scan.missing("`onto`"))?;
    scan.name("the name of nodes")
}

fn distribute(scan: &mut Scanner) -> Read<Kind> {
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

fn align(scan: &mut Scanner) -> Read<Kind> {
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

fn shadow(scan: &mut Scanner) -> Read<Kind> {
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

fn template_fix(scan: &mut Scanner) -> Read<Kind> {
    let formats: Vec<Format> = match opening(scan) {
        Some(brackets) => bracketed(scan, brackets, format)?,
        None => Vec::new(),
    };
    let template = reference(scan, "a template")?;
    Ok(Kind::TemplateFix { formats, template })
}

fn loops(scan: &mut Scanner) -> Read<Kind> {
    let indices = match opening(scan) {
        Some(Brackets::Round) => {
            let indices = scan.list(|scan| scan.name("a loop variable"))?;
            scan.expect(")", "after the loop variables")?;
            indices
        }
        Some(Brackets::Square) => {
            bracketed(scan, Brackets::Square, |scan| scan.name("a loop variable"))?
        }
        None => Vec::new(),
    };
    let (mut target, mut reductions, mut extent) = (None, Vec::new(), None);
    while let Some(word) = scan.word() {
        match word.text.as_str() {
            "on" if target.is_none() => target = Some(reference(scan, "a template or nodes")?),
            "reduction" => reductions.push(reduction(scan)?),
            "expand" | "margin" | "peel_and_wait" if extent.is_none() => {
                let kind = match word.text.as_str() {
                    "expand" => Extent::Expand,
                    "margin" => Extent::Margin,
                    _ => Extent::PeelAndWait,
                };
                scan.expect("(", "before the widths")?;
                let mut id = None;
                if kind == Extent::PeelAndWait {
                    id = Some(scan.expression(&[','], "the id of the asynchronous operation")?);
                    scan.expect(",", "after the id")?;
                }
                let widths = scan.list(|scan| width(scan, Some("unbound")))?;
                scan.expect(")", "after the widths")?;
                extent = Some((kind, widths, id, word.span.start..scan.end()));
            }
            _ => return Err(unknown_clause(&word)),
        }
    }
    let on = target.ok_or_else(|| scan.missing("`on` and a template or nodes"))?;
    if on.brackets.is_none() {
        let wrong = Diagnostic::new(
            on.span,
            "`on` has to say which loop variable belongs to which dimension",
        );
        return Err(
            wrong.help(format!("write `on {}(i)`, where `i` is the loop variable", on.name.text))
        );
    }
    Ok(Kind::Loop(Box::new(Loop { indices, on, reductions, extent })))
}

fn task(scan: &mut Scanner) -> Read<Kind> {
    scan.accept_word("on").ok_or_else(|| scan.missing("`on` and nodes or a template"))?;
    let on = reference(scan, "nodes or a template")?;
    let nocomm = scan.accept_word("nocomm").is_some();
    Ok(Kind::Task { on, nocomm })
}

fn end(scan: &mut Scanner) -> Read<Kind> {
    match scan.word() {
        Some(word) if word.text == "task" => Ok(Kind::EndTask),
        Some(word) if word.text == "tasks" => Ok(Kind::EndTasks),
        _ => Err(scan.missing("`task` or `tasks` after `end`")),
    }
}

fn reflect(scan: &mut Scanner) -> Read<Reflect> {
    scan.expect("(", "before the arrays")?;
    let arrays = scan.list(|scan| scan.name_with_members("the name of an array"))?;
    scan.expect(")", "after the arrays")?;
    let mut reflect = Reflect { arrays, widths: Vec::new(), orthogonal: None, id: None };
    while let Some(word) = scan.word() {
        match word.text.as_str() {
            "width" if reflect.widths.is_empty() => {
                scan.expect("(", "before the widths")?;
                reflect.widths = scan.list(|scan| width(scan, Some("periodic")))?;
                scan.expect(")", "after the widths")?;
            }
            "orthogonal" => reflect.orthogonal = Some(word.span),
            "async" if reflect.id.is_none() => reflect.id = Some(id(scan)?),
            _ => return Err(unknown_clause(&word)),
        }
    }
    Ok(reflect)
}

fn gmove(scan: &mut Scanner) -> Read<Kind> {
    let (mut mode, mut async_id) = (Mode::Collective, None);
    while let Some(word) = scan.word() {
        match word.text.as_str() {
            "in" if mode == Mode::Collective => mode = Mode::In,
            "out" if mode == Mode::Collective => mode = Mode::Out,
            "async" if async_id.is_none() => async_id = Some(id(scan)?),
            _ => return Err(unknown_clause(&word)),
        }
    }
    Ok(Kind::Gmove { mode, id: async_id })
}

fn bcast(scan: &mut Scanner) -> Read<Kind> {
    scan.expect("(", "before the variables")?;
    let variables = scan.list(|scan| reference(scan, "a variable"))?;
    scan.expect(")", "after the variables")?;
    let (mut from, mut target, mut async_id) = (None, None, None);
    while let Some(word) = scan.word() {
        match word.text.as_str() {
            "from" if from.is_none() => from = Some(reference(scan, "nodes or a template")?),
            "on" if target.is_none() => target = Some(reference(scan, "nodes or a template")?),
            "async" if async_id.is_none() => async_id = Some(id(scan)?),
            _ => return Err(unknown_clause(&word)),
        }
    }
    Ok(Kind::Bcast { variables, from, on: target, id: async_id })
}

fn names_behind_colons(scan: &mut Scanner) -> Read<Vec<Text>> {
    scan.accept("::");
    scan.list(|scan| scan.name("a name"))
}

fn coarray(scan: &mut Scanner) -> Read<Kind> {
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

fn post(scan: &mut Scanner) -> Read<Kind> {
    scan.expect("(", "before the node")?;
    let node = reference(scan, "a node")?;
    scan.expect(",", "between the node and the tag")?;
    let tag = scan.expression(&[','], "the tag")?;
    scan.expect(")", "after the tag")?;
    Ok(Kind::Post { node, tag })
}

fn wait(scan: &mut Scanner) -> Read<Kind> {
    if !scan.accept("(") {
        return Ok(Kind::Wait { node: None, tag: None });
    }
    let node = reference(scan, "a node")?;
    let tag = match scan.accept(",") {
        true => Some(scan.expression(&[','], "the tag")?),
        false => None,
    };
    scan.expect(")", "after the node and the tag")?;
    Ok(Kind::Wait { node: Some(node), tag })
}

fn lock(scan: &mut Scanner, unlock: bool) -> Read<Kind> {
    scan.expect("(", "before the lock variable")?;
    let variable = scan.expression(&[')'], "a lock variable")?;
    scan.expect(")", "after the lock variable")?;
    let mut clauses = Vec::new();
    while let Some(word) = scan.word() {
        if !["acquired_lock", "stat"].contains(&word.text.as_str()) {
            return Err(unknown_clause(&word));
        }
        scan.expect("(", "before the variable")?;
        let variable = scan.expression(&[')'], "a variable")?;
        scan.expect(")", "after the variable")?;
        clauses.push((word, variable));
    }
    Ok(Kind::Lock { unlock, variable, clauses })
}
