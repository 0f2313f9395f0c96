//! The grammar of XcalableMP 1.4: reads the text of a directive into its clauses.

use super::ast::Kind;
use super::declarative::{
    align, coarray, distribute, names_after_colons, nodes, shadow, template, template_fix,
};
use super::executable::{
    barrier, bcast, end, gmove, lock, loops, on, on_and_async, post, reflect, task, wait,
};
use super::io::{file_sync_all, global_io, master_io};
use super::near::nearest;
use super::pieces::{reduction, reference};
use super::scan::{ScanResult, Scanner};
use super::terms::Text;
use crate::diagnostics::Diagnostic;

/// The words that begin a directive, for messages.
const KEYWORDS: [&str; 31] = [
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
    "master_io",
    "global_io",
    "file_sync_all",
    "end",
    "tasklet",
];

/// Reads the text after `#pragma xmp` or `!$xmp`.
///
/// # Errors
/// Describes the first piece that does not fit.
pub fn directive(scan: &mut Scanner) -> ScanResult<(Text, Kind)> {
    let keyword = scan.name("the name of a directive")?;
    let kind = body(scan, &keyword)?;
    if !scan.is_at_end() {
        return Err(scan.missing(&format!("the end of the `{}` directive", keyword.text)));
    }
    Ok((keyword, kind))
}

fn body(scan: &mut Scanner, keyword: &Text) -> ScanResult<Kind> {
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
        "barrier" => barrier(scan),
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
        "static_desc" => Ok(Kind::StaticDesc(names_after_colons(scan)?)),
        "save_desc" => Ok(Kind::SaveDesc(names_after_colons(scan)?)),
        "master_io" => Ok(master_io(scan)),
        "global_io" => Ok(global_io(scan)),
        "file_sync_all" => file_sync_all(scan),
        _ => Err(unknown(keyword)),
    }
}

fn unknown(keyword: &Text) -> Diagnostic {
    let wrong =
        Diagnostic::new(keyword.span.clone(), format!("unknown directive `{}`", keyword.text));
    match nearest(&keyword.text, &KEYWORDS) {
        Some(known) => wrong.help(format!("did you mean `{known}`?")),
        None => wrong.help("directives are those of the XcalableMP specification 1.4"),
    }
}
