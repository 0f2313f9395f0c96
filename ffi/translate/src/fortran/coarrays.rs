//! `coarray on p`: image indices of these coarrays are numbers of nodes of `p`; and `image`, for the indices of the
//! next statement.

use super::declarations::cobounds;
use super::extensions::Changes;
use super::items::Item;
use super::objects::{Objects, OnNode};
use super::scopes::Scope;
use super::source::Statement;
use super::tokens::{after, closing, outside, split, uses};
use super::unit::{TranslationResult, Unit, descriptor};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Directive, Text};
use crate::meaning::declare::{unknown, wrong_count};
use crate::meaning::{IMAGE_INDICES, Language};
use std::ops::Range;

/// A coarray that a directive maps onto nodes.
///
/// # Errors
/// When the scope declares no coarray of that name.
pub fn on_node(
    items: &[Item],
    scope: &Scope,
    home: usize,
    name: &Text,
    nodes: &Text,
) -> Result<OnNode, Diagnostic> {
    let Some(cobounds) = cobounds(items, scope, &name.text) else {
        let wrong = format!("there is no coarray `{}` here", name.text);
        return Err(Diagnostic::new(name.span.clone(), wrong)
            .help("the directive has to be in the specification part that declares the coarray"));
    };
    let corank = split(&cobounds, 0..cobounds.len(), b',').len();
    let counts_from_1 = matches!(cobounds.trim(), "*" | ":");
    Ok(OnNode { name: name.text.clone(), home, nodes: nodes.text.clone(), corank, counts_from_1 })
}

/// Rewrites image selectors of coarrays that are mapped onto nodes, and `this_image` of them. Whether there are some.
///
/// # Errors
/// For selectors that cannot be rewritten.
pub fn selectors(
    statement: &Statement,
    scope: usize,
    objects: &Objects,
    changes: &mut Changes,
) -> Result<bool, Diagnostic> {
    let code = &statement.code;
    let before = changes.len();
    for of in objects.on_node.iter().filter(|of| sees(objects, of, scope)) {
        for at in uses(code, &of.name) {
            if let Some(inner) = selector(code, at + of.name.len()) {
                selected(statement, objects, of, inner, changes)?;
            }
        }
        for at in uses(code, "this_image") {
            let open = at + "this_image".len();
            let rest = &code[open..];
            let open = open + rest.len() - rest.trim_start().len();
            let Some(close) = code[open..].starts_with('(').then(|| closing(code, open)).flatten()
            else {
                continue;
            };
            let arguments = split(code, open + 1..close, b',');
            if arguments.first().is_some_and(|first| code[first.clone()] == of.name) {
                let text = own_cosubscripts(statement, of, &arguments);
                changes.push((at..close + 1, text));
            }
        }
    }
    Ok(changes.len() > before)
}

fn sees(objects: &Objects, of: &OnNode, scope: usize) -> bool {
    objects.on_node_at(&of.name, scope).is_some_and(|seen| seen.home == of.home)
}

/// The contents of the image selector of a reference whose name ends here.
fn selector(code: &str, after_name: usize) -> Option<Range<usize>> {
    let mut at = after_name;
    loop {
        at += code[at..].len() - code[at..].trim_start().len();
        match code.as_bytes().get(at)? {
            b'(' => at = closing(code, at)? + 1,
            b'[' => return Some(at + 1..closing(code, at)?),
            _ => return None,
        }
    }
}

/// Rewrites the image selector in these brackets.
fn selected(
    statement: &Statement,
    objects: &Objects,
    of: &OnNode,
    inner: Range<usize>,
    changes: &mut Changes,
) -> Result<(), Diagnostic> {
    let code = &statement.code;
    let mut parts = split(code, inner.clone(), b',');
    parts.retain(|part| outside(&code[part.clone()], |rest| rest.starts_with('=')).is_none());
    if parts.len() != of.corank {
        let (given, needed) = ((parts.len(), "cosubscript"), (of.corank, "codimension"));
        let wrong = wrong_count(given, needed, &of.name);
        return refuse(statement.span(inner), wrong);
    }
    let nodes = descriptor(&of.nodes);
    if of.counts_from_1 {
        let only = &parts[0];
        changes.push((only.start..only.start, format!("xmprt_fortran_image({nodes}, int(")));
        changes.push((only.end..only.end, ", 8))".to_owned()));
        return Ok(());
    }
    let changes_again = |name: &str| uses(&code[inner.clone()], name).next().is_some();
    let names = objects.on_node.iter().map(|of| &of.name);
    if names.chain(objects.arrays.iter().map(|of| &of.name)).any(|name| changes_again(name)) {
        return Err(Diagnostic::new(
            statement.span(inner),
            "a cosubscript that is computed from distributed arrays or coarrays on nodes",
        )
        .help("assign it to a variable first"));
    }
    let texts: Vec<&str> = parts.iter().map(|part| &statement.text[part.clone()]).collect();
    let list = texts.join(", ");
    for (nth, part) in parts.into_iter().enumerate() {
        let (dim, corank, name) = (nth + 1, of.corank, &of.name);
        let text = format!(
            "xmprt_fortran_cosubscript({nodes}, {dim}, {corank}, [integer(8) :: {list}], lcobound({name}), ucobound({name}))"
        );
        changes.push((part, text));
    }
    Ok(())
}

/// The cosubscripts of this image: one, or all of them.
fn own_cosubscripts(statement: &Statement, of: &OnNode, arguments: &[Range<usize>]) -> String {
    let (nodes, name) = (descriptor(&of.nodes), &of.name);
    let one = |dim: &str| {
        format!(
            "xmprt_fortran_this_image({nodes}, {dim}, {}, lcobound({name}), ucobound({name}))",
            of.corank
        )
    };
    match arguments.get(1) {
        Some(dim) => {
            let text = &statement.text[dim.clone()];
            let dim = text.split_once('=').map_or(text, |(_, dim)| dim).trim();
            one(&super::unit::integer(dim))
        }
        None => {
            let all: Vec<String> = (1..=of.corank).map(|dim| one(&dim.to_string())).collect();
            format!("[{}]", all.join(", "))
        }
    }
}

impl Unit<'_> {
    /// Translates an `image` directive and the statement after it.
    ///
    /// # Errors
    /// When no statement follows that synchronises images.
    pub fn image(&mut self, item: usize, directive: &Directive, nodes: &Text) -> TranslationResult {
        let scope = self.scope_of(item);
        if self.objects.nodes_at(&nodes.text, scope).is_none() {
            return Err(unknown("nodes", nodes, Language::Fortran));
        }
        let next = self.next_statement(item, &directive.keyword)?;
        let statement = self.statement(next);
        let code = statement.code.as_str();
        let descriptor = descriptor(&nodes.text);
        let arguments = |rest: &str| {
            let open = code.len() - rest.len();
            let close = closing(code, open).filter(|_| rest.starts_with('('))?;
            Some(split(code, open + 1..close, b','))
        };
        // Specifiers have the names of the arguments: `stat = s, errmsg = e`.
        let specifiers = |arguments: &[Range<usize>]| -> String {
            arguments.iter().map(|span| format!(", {}", &statement.text[span.clone()])).collect()
        };
        let text = if let Some(rest) = after(code, &["sync", "all"]) {
            let mut arguments = arguments(rest).unwrap_or_default();
            arguments.retain(|argument| !argument.is_empty());
            format!("call xmprt_fortran_sync_all({descriptor}{})", specifiers(&arguments))
        } else if let Some(arguments) = after(code, &["sync", "images"]).and_then(arguments) {
            let (images, rest) = arguments.split_first().expect("there is one part at least");
            let rest = specifiers(rest);
            match statement.text[images.clone()].trim() {
                "*" => format!("call xmprt_fortran_sync_all_images({descriptor}{rest})"),
                images => format!(
                    "call xmprt_fortran_sync_images({descriptor}, size([{images}]), int([{images}], 8){rest})"
                ),
            }
        } else {
            return Err(Diagnostic::new(
                statement.whole(),
                "a `sync all` or `sync images` statement has to follow the `image` directive",
            )
            .help(IMAGE_INDICES));
        };
        self.instead(item, Vec::new());
        self.output.replace(next, vec![text.into()]);
        Ok(())
    }
}
