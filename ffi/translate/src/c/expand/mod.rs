//! Macros that are a part of the grammar, such as `FORALL(i, n)`, `CHECK(x)` without a semicolon, `INLINE`, names in directives, and
//! macros that use distributed arrays: they are written out. Others stay for the compiler.

mod distributed_names;
mod expander;
mod substitution;
#[cfg(test)]
mod tests;

use self::distributed_names::DistributedNames;
use self::expander::{Expander, Place, pragma};
use super::definitions::Definitions;
use super::headers::line_at;
use super::macro_kinds::Macros;
use super::normal::blank;
use super::tokens::{Placed, Token, logical_line, placed};
use crate::directive::has_pragma_operator;
use std::collections::BTreeSet;
use std::ops::Range;

/// A part of the text with macros written out.
#[derive(Debug)]
struct Piece {
    start: usize,
    /// Its place in the source.
    from: Range<usize>,
    /// Whether it is written out.
    is_new: bool,
}

/// A source with macros written out.
#[derive(Debug)]
pub struct Expanded {
    /// The text. Its lines have the numbers of the source, or a `#line` before them.
    pub text: String,
    pieces: Vec<Piece>,
}

impl Expanded {
    /// The part of the source that a part of the text is from, and whether a macro was written out there.
    pub fn place(&self, span: &Range<usize>) -> (Range<usize>, bool) {
        let nth = self.pieces.partition_point(|piece| piece.start <= span.start).saturating_sub(1);
        let Piece { start, from, is_new } = &self.pieces[nth];
        if *is_new {
            return (from.clone(), true);
        }
        let at = from.start + (span.start - start);
        (at..(at + span.len()).min(from.end.max(at)), false)
    }
}

/// Writes out the macros of a source that are a part of the grammar; none if there are none. `path` is the compiler's
/// name of the file.
pub fn expanded(path: &str, source: &str, definitions: &Definitions) -> Option<Expanded> {
    let macros = Macros::of(source, definitions);
    let all = placed(source);
    let words = all.iter().filter(|of| of.in_directive && of.token.is_word());
    let names = words.map(|of| &of.token.text).filter(|name| macros.is_other_name(name));
    let in_directives = names.cloned().collect();
    let distributed = DistributedNames::of(&all, &macros);
    let mut expander = Expander { macros, in_directives, distributed, at: 0 };
    let mut out = Expanded { text: String::new(), pieces: Vec::new() };
    let (mut at, mut nth) = (0, 0);
    let mut changed = false;
    let copy = |out: &mut Expanded, at: &mut usize, end: usize| {
        out.pieces.push(Piece { start: out.text.len(), from: *at..end, is_new: false });
        out.text += &source[*at..end];
        *at = end;
    };
    while let Some(first) = all.get(nth) {
        let place = if first.in_directive { Place::Directive } else { Place::Code };
        expander.at = first.at.start;
        let rest: Vec<Token> = invocation(&all[nth..]).iter().map(|of| of.token.clone()).collect();
        // Or a directive that the source has in an operator.
        let is_directive = || pragma(&rest).is_some_and(|of| of.trim_start().starts_with("xmp"));
        let new = expander.first(&rest, &BTreeSet::new(), place);
        let new = new.or_else(|| is_directive().then(|| (rest[..4].to_vec(), 4)));
        let Some((mut new, mut len)) = new else {
            nth += 1;
            continue;
        };
        // A macro may be replaced by the name of another one, whose arguments follow.
        while let Some(last) = new.last().filter(|last| last.is_word()).cloned() {
            let Some(next) = all.get(nth + len).filter(|next| next.token.text == "(") else {
                break;
            };
            let name =
                Placed { token: last, at: next.at.clone(), in_directive: first.in_directive };
            let with_list: Vec<Placed> =
                std::iter::once(name).chain(all[nth + len..].iter().cloned()).collect();
            let rest: Vec<Token> =
                invocation(&with_list).iter().map(|of| of.token.clone()).collect();
            let Some((more, of_list)) = expander.first(&rest, &BTreeSet::new(), place) else {
                break;
            };
            new.pop();
            new.extend(more);
            len += of_list - 1;
        }
        let from = first.at.start..all[nth + len - 1].at.end;
        copy(&mut out, &mut at, from.start);
        out.pieces.push(Piece { start: out.text.len(), from: from.clone(), is_new: true });
        out.text += &expander.written(&new, &line_at(source, path, from.start));
        out.text.extend(std::iter::repeat_n('\n', source[from.clone()].matches('\n').count()));
        at = from.end;
        nth += len;
        changed = true;
    }
    copy(&mut out, &mut at, source.len());
    changed.then_some(out)
}

/// The text without definitions of macros that have directives of XcalableMP: all of these macros are written out.
pub fn without_pragmas(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < text.len() {
        let end = at + logical_line(&text[at..]);
        let line = &text[at..end];
        let word = line.trim_start().strip_prefix('#').map(str::trim_start);
        let is_definition = word.is_some_and(|word| word.starts_with("define"));
        // Others cannot be written out.
        let is_gone = has_pragma_operator(line) && !line.contains("#__VA_OPT__");
        if is_definition && is_gone {
            blank(&mut bytes[at..end]);
        }
        at = end + 1;
    }
    String::from_utf8(bytes).expect("whole lines are replaced")
}

/// The tokens up to the end of an invocation that may begin with the first one.
fn invocation(all: &[Placed]) -> &[Placed] {
    let mut depth = 0;
    if all.get(1).is_none_or(|next| next.token.text != "(") {
        return &all[..1];
    }
    for (nth, placed) in all.iter().enumerate().skip(1) {
        match placed.token.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &all[..=nth];
        }
    }
    &all[..1]
}
