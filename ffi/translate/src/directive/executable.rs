//! The grammar of the directives that are executed: loops, tasks, communication and locks.

use super::ast::{Extent, Kind, Loop, Mode, Reflect};
use super::near::nearest;
use super::pieces::{bracketed, id, opening, reduction, reference, width};
use super::scan::{ScanResult, Scanner};
use super::terms::{Brackets, Reference, Text, Width};
use crate::diagnostics::Diagnostic;

pub fn on(scan: &mut Scanner) -> ScanResult<Option<Reference>> {
    match scan.accept_word("on") {
        Some(_) => Ok(Some(reference(scan, "nodes or a template")?)),
        None => Ok(None),
    }
}

/// Reads `on ..` and `async(..)` in any order.
pub fn on_and_async(scan: &mut Scanner) -> ScanResult<(Option<Reference>, Option<Text>)> {
    let (mut on, mut async_id) = (None, None);
    while let Some(word) = scan.clause() {
        match word.text.as_str() {
            "on" if on.is_none() => on = Some(reference(scan, "nodes or a template")?),
            "async" if async_id.is_none() => async_id = Some(id(scan)?),
            _ => return Err(unknown_clause(&word, &["on", "async"])),
        }
    }
    Ok((on, async_id))
}

/// Reads the clauses of `barrier`. Omni has `async` there as well; a barrier that is complete is a correct one.
pub fn barrier(scan: &mut Scanner) -> ScanResult<Kind> {
    let mut target = None;
    while let Some(word) = scan.clause() {
        match word.text.as_str() {
            "on" if target.is_none() => target = Some(reference(scan, "nodes or a template")?),
            "async" => {
                id(scan)?;
                let title = "Omni's clause `async` has no effect on `barrier`";
                scan.note(Diagnostic::note(word.span, title).help("all nodes wait here"));
            }
            _ => return Err(unknown_clause(&word, &["on"])),
        }
    }
    Ok(Kind::Barrier { on: target })
}

fn unknown_clause(word: &Text, allowed: &[&str]) -> Diagnostic {
    let title = format!("the clause `{}` is not allowed here", word.text);
    let wrong = Diagnostic::new(word.span.clone(), title);
    if word.text == "acc" {
        return wrong.help("`acc` of XcalableACC is for arrays on accelerators: leave it out");
    }
    match nearest(&word.text, allowed) {
        Some(known) if known != word.text => wrong.help(format!("did you mean `{known}`?")),
        _ => wrong,
    }
}

pub fn loops(scan: &mut Scanner) -> ScanResult<Kind> {
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
    while let Some(word) = scan.clause() {
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
                if kind == Extent::PeelAndWait {
                    check_peeled(&widths)?;
                }
                extent = Some((kind, widths, id, word.span.start..scan.end()));
            }
            _ => {
                return Err(unknown_clause(
                    &word,
                    &["on", "reduction", "expand", "margin", "peel_and_wait"],
                ));
            }
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

/// Refuses widths of `peel_and_wait` that go beyond the part of a node.
fn check_peeled(widths: &[Width]) -> ScanResult<()> {
    let both = widths.iter().filter_map(|width| match width {
        Width::Widths { lower, upper, .. } => Some([lower, upper]),
        Width::Full(_) => None,
    });
    let is_outside = |width: &&Text| width.text.trim().parse::<u64>().is_ok_and(|width| width > 0);
    match both.flatten().find(is_outside) {
        None => Ok(()),
        Some(width) => Err(Diagnostic::new(
            width.span.clone(),
            format!(
                "`peel_and_wait` peels off what is inside of a part: its width is -{}",
                width.text.trim()
            ),
        )
        .help(format!("write `-{}`, or 0 for a dimension that has no border", width.text.trim()))),
    }
}

pub fn task(scan: &mut Scanner) -> ScanResult<Kind> {
    scan.accept_word("on").ok_or_else(|| scan.missing("`on` and nodes or a template"))?;
    let on = reference(scan, "nodes or a template")?;
    let mut nocomm = false;
    while let Some(word) = scan.clause() {
        match word.text.as_str() {
            "nocomm" if !nocomm => nocomm = true,
            _ => return Err(unknown_clause(&word, &["nocomm"])),
        }
    }
    Ok(Kind::Task { on, nocomm })
}

pub fn end(scan: &mut Scanner) -> ScanResult<Kind> {
    match scan.word() {
        Some(word) if word.text == "task" => Ok(Kind::EndTask),
        Some(word) if word.text == "tasks" => Ok(Kind::EndTasks),
        Some(word) if word.text == "master_io" => Ok(Kind::EndIo { is_master: true }),
        Some(word) if word.text == "global_io" => Ok(Kind::EndIo { is_master: false }),
        _ => Err(scan.missing("`task`, `tasks`, `master_io` or `global_io` after `end`")),
    }
}

pub fn reflect(scan: &mut Scanner) -> ScanResult<Reflect> {
    scan.expect("(", "before the arrays")?;
    let arrays = scan.list(|scan| scan.name_with_members("the name of an array"))?;
    scan.expect(")", "after the arrays")?;
    let mut reflect = Reflect { arrays, widths: Vec::new(), orthogonal: None, id: None };
    while let Some(word) = scan.clause() {
        match word.text.as_str() {
            "width" if reflect.widths.is_empty() => {
                scan.expect("(", "before the widths")?;
                reflect.widths = scan.list(|scan| width(scan, Some("periodic")))?;
                scan.expect(")", "after the widths")?;
            }
            "orthogonal" => reflect.orthogonal = Some(word.span),
            "async" if reflect.id.is_none() => reflect.id = Some(id(scan)?),
            _ => return Err(unknown_clause(&word, &["width", "orthogonal", "async"])),
        }
    }
    Ok(reflect)
}

pub fn gmove(scan: &mut Scanner) -> ScanResult<Kind> {
    let (mut mode, mut async_id) = (Mode::Collective, None);
    while let Some(word) = scan.clause() {
        match word.text.as_str() {
            "in" if mode == Mode::Collective => mode = Mode::In,
            "out" if mode == Mode::Collective => mode = Mode::Out,
            "async" if async_id.is_none() => async_id = Some(id(scan)?),
            _ => return Err(unknown_clause(&word, &["in", "out", "async"])),
        }
    }
    Ok(Kind::Gmove { mode, id: async_id })
}

pub fn bcast(scan: &mut Scanner) -> ScanResult<Kind> {
    scan.expect("(", "before the variables")?;
    let variables = scan.list(|scan| reference(scan, "a variable"))?;
    scan.expect(")", "after the variables")?;
    let (mut from, mut target, mut async_id) = (None, None, None);
    while let Some(word) = scan.clause() {
        match word.text.as_str() {
            "from" if from.is_none() => from = Some(reference(scan, "nodes or a template")?),
            "on" if target.is_none() => target = Some(reference(scan, "nodes or a template")?),
            "async" if async_id.is_none() => async_id = Some(id(scan)?),
            _ => return Err(unknown_clause(&word, &["from", "on", "async"])),
        }
    }
    Ok(Kind::Bcast { variables, from, on: target, id: async_id })
}

pub fn post(scan: &mut Scanner) -> ScanResult<Kind> {
    scan.expect("(", "before the node")?;
    let node = reference(scan, "a node")?;
    scan.expect(",", "between the node and the tag")?;
    let tag = scan.expression(&[','], "the tag")?;
    scan.expect(")", "after the tag")?;
    Ok(Kind::Post { node, tag })
}

pub fn wait(scan: &mut Scanner) -> ScanResult<Kind> {
    if !scan.accept("(") {
        return Ok(Kind::Wait { node: None, tag: None });
    }
    let node = reference(scan, "a node")?;
    let tag = if scan.accept(",") { Some(scan.expression(&[','], "the tag")?) } else { None };
    scan.expect(")", "after the node and the tag")?;
    Ok(Kind::Wait { node: Some(node), tag })
}

pub fn lock(scan: &mut Scanner, unlock: bool) -> ScanResult<Kind> {
    scan.expect("(", "before the lock variable")?;
    let variable = scan.expression(&[')'], "a lock variable")?;
    scan.expect(")", "after the lock variable")?;
    let mut clauses = Vec::new();
    while let Some(word) = scan.word() {
        let known = ["acquired_lock", "stat"];
        if !known.contains(&word.text.as_str()) {
            return Err(unknown_clause(&word, &known));
        }
        scan.expect("(", "before the variable")?;
        let variable = scan.expression(&[')'], "a variable")?;
        scan.expect(")", "after the variable")?;
        clauses.push((word, variable));
    }
    Ok(Kind::Lock { unlock, variable, clauses })
}
