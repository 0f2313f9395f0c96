//! The macro that tokens begin with, written out with its arguments.

use super::distributed_names::DistributedNames;
use super::substitution::{arguments, with_options};
use crate::c::definitions::Definition;
use crate::c::macro_kinds::Macros;
use crate::c::tokens::{Token, invocation_len, spelled, tokens};
use std::collections::BTreeSet;

/// Words of directives, which are none of the user's.
const KEYWORDS: &str = "nodes template distribute onto block cyclic gblock align with shadow template_fix loop on reduction expand margin \
    peel_and_wait unbound periodic task tasks end nocomm array reflect reduce_shadow width orthogonal async gmove in out \
    barrier bcast from wait_async coarray image post wait lock unlock stat acquired_lock local_alias static_desc \
    save_desc firstmax firstmin lastmax lastmin max min";

/// Writes out the macros of a source.
pub struct Expander<'d> {
    pub macros: Macros<'d>,
    /// Macros in directives, where names are written out: in the code they are the same names.
    pub in_directives: BTreeSet<String>,
    pub distributed: DistributedNames,
    /// The place in the source at which a macro is met.
    pub at: usize,
}

/// The place of a macro, on which depends whether it is written out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Code,
    Directive,
    /// An argument, where all macros are written out.
    Argument,
}

/// The text of a pragma that tokens begin with as an operator: `_Pragma("..")`.
pub fn pragma(tokens: &[Token]) -> Option<String> {
    let [operator, open, text, close, ..] = tokens else { return None };
    let is_pragma = operator.text == "_Pragma" && open.text == "(" && close.text == ")";
    let inside = text.text.strip_prefix('"')?.strip_suffix('"').filter(|_| is_pragma)?;
    Some(inside.replace("\\\"", "\"").replace("\\\\", "\\"))
}

impl Expander<'_> {
    /// The replacement of the macro that tokens begin with, and the number of tokens that it replaces. `hidden` macros are being
    /// written out.
    pub fn first(
        &self,
        all: &[Token],
        hidden: &BTreeSet<String>,
        place: Place,
    ) -> Option<(Vec<Token>, usize)> {
        let first = all.first().filter(|token| token.is_word())?;
        let name = &first.text;
        let of = self.macros.definition(name, self.at).filter(|_| !hidden.contains(name))?;
        match place {
            Place::Code if !self.is_written_out(name, of, all) => return None,
            Place::Directive if KEYWORDS.split_whitespace().any(|word| word == name) => {
                return None;
            }
            // Sizes keep their names.
            Place::Directive if !of.body.iter().any(Token::is_word) => return None,
            _ => {}
        }
        let (arguments, len) = match &of.parameters {
            None => (Vec::new(), 1),
            Some(_) if all.get(1).is_none_or(|next| next.text != "(") => return None,
            Some(parameters) => {
                let len = 1 + invocation_len(&all[1..]);
                (arguments(&all[2..len - 1], parameters)?, len)
            }
        };
        let mut inner = hidden.clone();
        inner.insert(name.clone());
        let substituted = self.substituted(of, &arguments, hidden, place)?;
        let mut new = self.rescanned(&substituted, &inner, place);
        // The compiler would write it out again.
        let is_again = |(nth, token): (usize, &Token)| {
            let has_list = new.get(nth + 1).is_none_or(|next| next.text == "(");
            token.text == *name && (of.parameters.is_none() || has_list)
        };
        if new.iter().enumerate().any(is_again) {
            return None;
        }
        if let Some(token) = new.first_mut() {
            token.spaced = first.spaced;
        }
        Some((new, len))
    }

    /// Whether a macro that tokens of code begin with is written out.
    fn is_written_out(&self, name: &str, of: &Definition, all: &[Token]) -> bool {
        let (macros, at) = (&self.macros, self.at);
        macros.is_grammar(name, at)
            || self.in_directives.contains(name)
            || macros.uses(name, at, &self.distributed.all)
            || of.parameters.is_some() && self.distributed.has_bare_array(&all[1..])
    }

    /// Tokens with the macros in them written out.
    fn rescanned(&self, all: &[Token], hidden: &BTreeSet<String>, place: Place) -> Vec<Token> {
        let mut new = Vec::new();
        let mut nth = 0;
        while nth < all.len() {
            if let Some((inner, len)) = self.first(&all[nth..], hidden, place) {
                new.extend(inner);
                nth += len;
            } else {
                new.push(all[nth].clone());
                nth += 1;
            }
        }
        new
    }

    /// The body of a macro with its arguments.
    fn substituted(
        &self,
        of: &Definition,
        arguments: &[Vec<Token>],
        hidden: &BTreeSet<String>,
        place: Place,
    ) -> Option<Vec<Token>> {
        let names = of.parameters.as_deref().unwrap_or_default();
        let argument = |token: &Token| {
            let name = if token.text == "__VA_ARGS__" { "..." } else { &token.text };
            names.iter().position(|of| of == name).map(|nth| &arguments[nth])
        };
        let rest = names.iter().position(|name| name == "...").map(|nth| &arguments[nth]);
        let body = with_options(&of.body, rest.is_some_and(|rest| !rest.is_empty()))?;
        let inside = |token: &Token| self.macros.takes_text(&token.text, self.at);
        let is_text_taken = place == Place::Code && body.iter().any(inside);
        let mut new: Vec<Token> = Vec::new();
        let mut nth = 0;
        while let Some(token) = body.get(nth) {
            let next = body.get(nth + 1);
            let pastes = next.is_some_and(|next| next.text == "##");
            if token.text == "##" {
                let right = body.get(nth + 1)?;
                paste(&mut new, right, argument(right).cloned());
                nth += 2;
                continue;
            }
            if token.text == "#"
                && let Some(spelled_as) = next.and_then(argument)
            {
                let text = spelled(spelled_as).trim().replace('\\', "\\\\").replace('"', "\\\"");
                new.push(Token { text: format!("\"{text}\""), spaced: token.spaced });
                nth += 2;
                continue;
            }
            match argument(token) {
                Some(raw) => {
                    // A macro that the compiler writes out later uses the text of the argument, for `#` and `##`.
                    let place = if is_text_taken { Place::Argument } else { place };
                    let mut of_argument =
                        if pastes { raw.clone() } else { self.rescanned(raw, hidden, place) };
                    if let Some(first) = of_argument.first_mut() {
                        first.spaced = token.spaced;
                    }
                    new.extend(of_argument);
                }
                None => new.push(token.clone()),
            }
            nth += 1;
        }
        Some(new)
    }

    /// Tokens as text, with pragmas on lines of their own, for which `line` is the `#line` of the source.
    pub fn written(&self, tokens_of: &[Token], line: &str) -> String {
        let mut text = String::new();
        let mut from = 0;
        for nth in 0..tokens_of.len() {
            if nth < from {
                continue;
            }
            let Some(of) = pragma(&tokens_of[nth..]) else { continue };
            text += &spelled(&tokens_of[from..nth]);
            let directive = tokens(&of);
            let of = spelled(&self.rescanned(&directive, &BTreeSet::new(), Place::Directive));
            text += &format!("\n{line}#pragma {of}\n{line}");
            from = nth + 4;
        }
        text + &spelled(&tokens_of[from..])
    }
}

/// Joins the token after `##`, or the argument of its name, to the tokens before.
fn paste(before: &mut Vec<Token>, right: &Token, argument: Option<Vec<Token>>) {
    // GNU's `, ## __VA_ARGS__`: without arguments there is no comma.
    let is_list = right.text == "__VA_ARGS__" && before.last().is_some_and(|last| last.text == ",");
    let mut raw = argument.unwrap_or_else(|| vec![right.clone()]).into_iter();
    match (is_list, raw.next()) {
        (true, None) => {
            before.pop();
        }
        (false, Some(first)) => match before.last_mut() {
            Some(last) => last.text += &first.text,
            None => before.push(first),
        },
        (_, first) => before.extend(first),
    }
    before.extend(raw);
}
