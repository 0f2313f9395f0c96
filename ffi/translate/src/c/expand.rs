//! Macros that are a part of the grammar, such as `FORALL(i, n)`, `CHECK(x)` without a semicolon, `INLINE`, names in directives, and those
//! that use distributed arrays: they are written out. Others stay for the compiler.

use super::definitions::{Definition, Definitions};
use super::headers::line_at;
use super::macro_kinds::Macros;
use super::normal::blank;
use super::tokens::{Placed, Token, invocation_len, logical_line, placed, spelled, tokens};
use crate::directive::has_pragma_operator;
use std::collections::BTreeSet;
use std::ops::Range;

/// Words of directives, which are none of the user's.
const KEYWORDS: &str = "nodes template distribute onto block cyclic gblock align with shadow template_fix loop on reduction expand margin \
    peel_and_wait unbound periodic task tasks end nocomm array reflect reduce_shadow width orthogonal async gmove in out \
    barrier bcast from wait_async coarray image post wait lock unlock stat acquired_lock local_alias static_desc \
    save_desc firstmax firstmin lastmax lastmin max min";

/// A part of the text with macros written out.
#[derive(Debug)]
struct Piece {
    /// Where it begins.
    start: usize,
    /// Where it is from.
    from: Range<usize>,
    /// Whether it is written out.
    is_new: bool,
}

/// A source with macros written out.
#[derive(Debug)]
pub struct Expanded {
    /// The text. Its lines are those of the source, or `#line` tells them.
    pub text: String,
    pieces: Vec<Piece>,
}

impl Expanded {
    /// Where a part of the text is from, and whether a macro stands there.
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

/// What is known when macros are written out.
struct Expander<'d> {
    macros: Macros<'d>,
    /// Macros in directives, where names are written out: in the code they are the same names.
    in_directives: BTreeSet<String>,
    shared: Shared,
    /// The place in the source at which a macro is met.
    at: usize,
}

/// Which macros are written out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Code,
    Directive,
    /// In an argument: all of them.
    Argument,
}

/// Writes out the macros of a source that are a part of the grammar; none if there are none. `path` is what the compiler calls the file.
pub fn expanded(path: &str, source: &str, definitions: &Definitions) -> Option<Expanded> {
    let macros = Macros::of(source, definitions);
    let all = placed(source);
    let words = all.iter().filter(|of| of.in_directive && of.token.is_word());
    let names = words.map(|of| &of.token.text).filter(|name| macros.is_other_name(name));
    let in_directives = names.cloned().collect();
    let shared = Shared::of(&all, &macros);
    let mut expander = Expander { macros, in_directives, shared, at: 0 };
    let mut out = Expanded { text: String::new(), pieces: Vec::new() };
    let (mut at, mut nth) = (0, 0);
    let mut changed = false;
    let copy = |out: &mut Expanded, at: &mut usize, end: usize| {
        out.pieces.push(Piece { start: out.text.len(), from: *at..end, is_new: false });
        out.text += &source[*at..end];
        *at = end;
    };
    while let Some(first) = all.get(nth) {
        let place = if first.in_directive { Where::Directive } else { Where::Code };
        expander.at = first.at.start;
        let rest: Vec<Token> = invocation(&all[nth..]).iter().map(|of| of.token.clone()).collect();
        let new = match expander.first(&rest, &BTreeSet::new(), place) {
            Some((new, len)) => Some((new, len)),
            // A directive that the source has in an operator.
            None if pragma(&rest).is_some_and(|of| of.trim_start().starts_with("xmp")) => {
                Some((rest[..4].to_vec(), 4))
            }
            None => None,
        };
        let Some((mut new, mut len)) = new else {
            nth += 1;
            continue;
        };
        // A macro that stands for the name of another one, whose arguments follow.
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

/// The text without definitions of macros that have directives of XcalableMP, where all of them are written out.
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

/// The text of a pragma that tokens begin with as an operator: `_Pragma("..")`.
fn pragma(tokens: &[Token]) -> Option<String> {
    let [operator, open, text, close, ..] = tokens else { return None };
    let is_pragma = operator.text == "_Pragma" && open.text == "(" && close.text == ")";
    let inside = text.text.strip_prefix('"')?.strip_suffix('"').filter(|_| is_pragma)?;
    Some(inside.replace("\\\"", "\"").replace("\\\\", "\\"))
}

impl Expander<'_> {
    /// What the macro stands for that tokens begin with, and how many of them it takes. Hidden macros are being written out.
    fn first(
        &self,
        all: &[Token],
        hidden: &BTreeSet<String>,
        place: Where,
    ) -> Option<(Vec<Token>, usize)> {
        let first = all.first().filter(|token| token.is_word())?;
        let name = &first.text;
        let of = self.macros.definition(name, self.at).filter(|_| !hidden.contains(name))?;
        match place {
            Where::Code if !self.is_written_out(name, of, all) => return None,
            Where::Directive if KEYWORDS.split_whitespace().any(|word| word == name) => {
                return None;
            }
            // Sizes keep their names.
            Where::Directive if !of.body.iter().any(Token::is_word) => return None,
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
            || macros.uses(name, at, &self.shared.all)
            || of.parameters.is_some() && self.shared.has_bare_array(&all[1..])
    }

    /// Tokens with the macros in them written out.
    fn rescanned(&self, all: &[Token], hidden: &BTreeSet<String>, place: Where) -> Vec<Token> {
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
        place: Where,
    ) -> Option<Vec<Token>> {
        let names = of.parameters.as_deref().unwrap_or_default();
        let argument = |token: &Token| {
            let name = if token.text == "__VA_ARGS__" { "..." } else { &token.text };
            names.iter().position(|of| of == name).map(|nth| &arguments[nth])
        };
        let rest = names.iter().position(|name| name == "...").map(|nth| &arguments[nth]);
        let body = with_options(&of.body, rest.is_some_and(|rest| !rest.is_empty()))?;
        let inside = |token: &Token| self.macros.takes_text(&token.text, self.at);
        let is_text_taken = place == Where::Code && body.iter().any(inside);
        let mut new: Vec<Token> = Vec::new();
        let mut nth = 0;
        while let Some(token) = body.get(nth) {
            let next = body.get(nth + 1);
            let pastes = next.is_some_and(|next| next.text == "##");
            if token.text == "##" {
                let right = body.get(nth + 1)?;
                let raw = argument(right).cloned().unwrap_or_else(|| vec![right.clone()]);
                // GNU's `, ## __VA_ARGS__`: without arguments there is no comma.
                let is_list =
                    right.text == "__VA_ARGS__" && new.last().is_some_and(|last| last.text == ",");
                let mut raw = raw.into_iter();
                match (is_list, raw.next()) {
                    (true, None) => {
                        new.pop();
                    }
                    (false, Some(first)) => match new.last_mut() {
                        Some(last) => last.text += &first.text,
                        None => new.push(first),
                    },
                    (_, first) => new.extend(first),
                }
                new.extend(raw);
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
                    // What the compiler writes out later takes the argument as it is for `#` and `##`.
                    let place = if is_text_taken { Where::Argument } else { place };
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

    /// Tokens as text, with pragmas on lines of their own; `line` tells the line.
    fn written(&self, tokens_of: &[Token], line: &str) -> String {
        let mut text = String::new();
        let mut from = 0;
        for nth in 0..tokens_of.len() {
            if nth < from {
                continue;
            }
            let Some(of) = pragma(&tokens_of[nth..]) else { continue };
            text += &spelled(&tokens_of[from..nth]);
            let directive = tokens(&of);
            let of = spelled(&self.rescanned(&directive, &BTreeSet::new(), Where::Directive));
            text += &format!("\n{line}#pragma {of}\n{line}");
            from = nth + 4;
        }
        text + &spelled(&tokens_of[from..])
    }
}

/// The names by which a macro gets at data of other images.
struct Shared {
    /// Distributed arrays.
    arrays: BTreeSet<String>,
    /// These, coarrays, and `xmp_desc_of`.
    all: BTreeSet<String>,
}

impl Shared {
    fn of(all: &[Placed], macros: &Macros<'_>) -> Self {
        let mut arrays = BTreeSet::new();
        let mut coarrays = BTreeSet::from(["xmp_desc_of".to_owned()]);
        for nth in 0..all.len() {
            let text = |at: usize| all.get(at).map_or("", |of| of.token.text.as_str());
            if all[nth].in_directive
                && (text(nth) == "align" || text(nth) == ":" && text(nth + 1) == ":")
            {
                let from = if text(nth) == "align" { nth + 1 } else { nth + 2 };
                let named = all[from..].iter().map(|of| &of.token);
                let named = named
                    .take_while(|of| of.is_word() || matches!(of.text.as_str(), "." | "->" | ","));
                arrays.extend(named.filter(|of| of.is_word()).map(|of| of.text.clone()));
            } else if !all[nth].in_directive && text(nth) == ":" && text(nth + 1) == "[" {
                coarrays.extend(before_brackets(&all[..nth]).map(str::to_owned));
            }
        }
        let meant: Vec<String> = arrays.iter().filter_map(|name| macros.other_name(name)).collect();
        arrays.extend(meant);
        coarrays.extend(arrays.iter().cloned());
        Self { arrays, all: coarrays }
    }

    /// Whether the arguments that tokens begin with have the name of a distributed array without subscripts.
    fn has_bare_array(&self, all: &[Token]) -> bool {
        let arguments = &all[..invocation_len(all)];
        let is_bare = |(nth, token): (usize, &Token)| {
            let is_member = nth > 0 && matches!(arguments[nth - 1].text.as_str(), "." | "->");
            let has_subscript = arguments.get(nth + 1).is_some_and(|next| next.text == "[");
            self.arrays.contains(&token.text) && !is_member && !has_subscript
        };
        arguments.iter().enumerate().any(is_bare)
    }
}

/// The word that tokens end with before subscripts.
fn before_brackets(all: &[Placed]) -> Option<&str> {
    let mut depth = 0;
    for of in all.iter().rev() {
        match of.token.text.as_str() {
            "]" => depth += 1,
            "[" => depth -= 1,
            word if depth == 0 => return of.token.is_word().then_some(word),
            _ => {}
        }
    }
    None
}

/// A body with what `__VA_OPT__` holds if there are variable arguments, and else without; none if it becomes a string.
fn with_options(body: &[Token], has_rest: bool) -> Option<Vec<Token>> {
    let mut new: Vec<Token> = Vec::new();
    let mut nth = 0;
    while let Some(token) = body.get(nth) {
        if token.text != "__VA_OPT__" {
            new.push(token.clone());
            nth += 1;
            continue;
        }
        if new.last().is_some_and(|last| last.text == "#") {
            return None;
        }
        let len = invocation_len(&body[nth + 1..]);
        let inside = body.get(nth + 2..nth + len).unwrap_or_default();
        nth += 1 + len;
        if has_rest && !inside.is_empty() {
            new.extend_from_slice(inside);
        } else if new.last().is_some_and(|last| last.text == "##") {
            new.pop();
        } else if body.get(nth).is_some_and(|next| next.text == "##") {
            nth += 1;
        }
    }
    Some(new)
}

/// The arguments between parentheses, one for each parameter; none if their number is another one.
fn arguments(inside: &[Token], parameters: &[String]) -> Option<Vec<Vec<Token>>> {
    let mut all = vec![Vec::new()];
    let takes_rest = parameters.last().is_some_and(|last| last == "...");
    let mut depth = 0;
    for token in inside {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 0 && !(takes_rest && all.len() == parameters.len()) => {
                all.push(Vec::new());
                continue;
            }
            _ => {}
        }
        all.last_mut().expect("there is one").push(token.clone());
    }
    if parameters.is_empty() && inside.is_empty() {
        return Some(Vec::new());
    }
    if takes_rest && all.len() + 1 == parameters.len() {
        all.push(Vec::new());
    }
    (all.len() == parameters.len()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::super::definitions::definitions;
    use super::*;

    fn text(source: &str) -> String {
        let all = definitions(source);
        expanded("a.c", source, &all).map_or(source.to_owned(), |of| of.text)
    }

    #[test]
    fn macros_of_the_grammar_are_written_out() {
        let macros = "#define N 9\n#define EACH(i, n) for (int i = 0; i < n; i++)\n#define ALL(i) EACH(i, N)\n\
                      #define CHECK(x) if (x) fail(#x, __LINE__);\n#define SQUARE(x) ((x) * (x))\n#define INLINE static inline\n\
                      #define CAT(a, b) do { a##b(); } while (0)\n#define SAY(f, ...) { printf(f, ## __VA_ARGS__); }\n";
        let code = |source: &str| {
            let text = text(&format!("{macros}{source}"));
            text.strip_prefix(macros).expect("definitions stay").to_owned()
        };
        assert_eq!(code("EACH(i, f(2, 3)) a[i];"), "for (int i = 0; i < f(2, 3); i++) a[i];");
        assert_eq!(
            code("ALL(k) EACH (j,\n  2)\nx;"),
            "for (int k = 0; k < N; k++) for (int j = 0; j < 2; j++)\n\nx;"
        );
        assert_eq!(code("CHECK(a[\"x\"] )"), "if (a[\"x\"]) fail(\"a[\\\"x\\\"]\", __LINE__);");
        assert_eq!(
            code("INLINE int f() { return SQUARE(N); }"),
            "static inline int f() { return SQUARE(N); }"
        );
        assert_eq!(code("CAT(f, g);"), "do { fg(); } while (0);");
        assert_eq!(
            code("SAY(\"a\") SAY(\"b\", 1, 2)"),
            "{ printf(\"a\"); } { printf(\"b\", 1, 2); }"
        );
        assert_eq!(
            code("#define EVERY EACH\nEVERY(k, 2) x;"),
            "#define EVERY EACH\nfor (int k = 0; k < 2; k++) x;"
        );
        // Not in comments, strings, other names and without arguments.
        let other = "/* ALL(i) */ \"ALL(i)\"; ALL; ALLE(i);";
        assert_eq!(code(other), other);
    }

    #[test]
    fn what_follows_only_with_variable_arguments() {
        let macros = "#define SAY(f, ...) { say(f __VA_OPT__(, 0 + ) __VA_ARGS__); }\n#define CALL(n, ...) { n ## __VA_OPT__(_all)(__VA_ARGS__); }\n\
                      #define STATE(...) if (1) { puts(#__VA_OPT__(x)); }\n";
        let code = |source: &str| {
            text(&format!("{macros}{source}")).strip_prefix(macros).expect("they stay").to_owned()
        };
        assert_eq!(code("SAY(1) SAY(1, 2, 3)"), "{ say(1); } { say(1, 0 + 2, 3); }");
        assert_eq!(code("CALL(f) CALL(f, 2)"), "{ f(); } { f_all(2); }");
        assert_eq!(code("STATE(2)"), "STATE(2)");
    }

    #[test]
    fn macros_that_use_distributed_arrays_are_written_out() {
        let macros = "#define AT(v, i) (v)[i]\n#define NEXT(i) a[(i) + 1]\n#define b(i) b[i]\n#define MAX(x, y) ((x) > (y) ? (x) : (y))\n\
                      #define LEFT c[0]:[1]\n#define PLUS(i) (NEXT(i) + 1)\n";
        let before = format!(
            "{macros}#pragma xmp align a[i] with t[i]\n#pragma xmp align [i] with t[i] :: x, b\nint c[3]:[*];\n"
        );
        let code = |source: &str| {
            text(&format!("{before}{source}")).strip_prefix(&before).expect("they stay").to_owned()
        };
        assert_eq!(code("AT(a, 1) AT(q, 1) AT(s.a, 2)"), "(a)[1] AT(q, 1) AT(s.a, 2)");
        assert_eq!(
            code("PLUS(2); MAX(a[1], x[2]); MAX(x, 1)"),
            "(a[(2) + 1] + 1); MAX(a[1], x[2]); ((x) > (1) ? (x) : (1))"
        );
        assert_eq!(code("b(3) + LEFT"), "b[3] + c[0]:[1]");
    }

    #[test]
    fn arguments_are_written_out_where_a_macro_takes_their_text() {
        let macros = "#define N 12\n#define STR(x) #x\n#define TEXT(x) STR(x)\n#define SHOW(c) if (1) { puts(TEXT(c), c); }\n\
                      #define ASSIGN(c) if (1) { x = c; }\n";
        let code = |source: &str| {
            text(&format!("{macros}{source}")).strip_prefix(macros).expect("they stay").to_owned()
        };
        assert_eq!(code("SHOW(N)"), "if (1) { puts(TEXT(12), 12); }");
        assert_eq!(code("ASSIGN(N)"), "if (1) { x = N; }");
    }

    #[test]
    fn names_by_macros_are_the_same_in_directives_and_code() {
        let macros = "#define N 12\n#define U field\n#define IX k\n";
        let code = |source: &str| {
            text(&format!("{macros}{source}")).strip_prefix(macros).expect("they stay").to_owned()
        };
        assert_eq!(
            code("double U[N];\n#pragma xmp align U[i] with t[i]\n"),
            "double field[N];\n#pragma xmp align field[i] with t[i]\n"
        );
        assert_eq!(code("double U[N], IX;\n"), "double U[N], IX;\n");
    }

    #[test]
    fn macros_in_directives_and_pragmas_in_macros() {
        let macros = "#define N 9\n#define ON(i) t[i]\n#define T t\n#define block 3\n#define LOOP(i) _Pragma(\"xmp loop on T[i]\") for (;;)\n";
        let code = |source: &str| {
            text(&format!("{macros}{source}")).strip_prefix(macros).expect("they stay").to_owned()
        };
        assert_eq!(
            code(
                "#pragma xmp distribute T[block] onto p\n#pragma xmp loop on ON(i)\n#pragma xmp nodes p[N]\n"
            ),
            "#pragma xmp distribute t[block] onto p\n#pragma xmp loop on t[i]\n#pragma xmp nodes p[N]\n"
        );
        let line = "#line 7 \"a.c\"\n";
        assert_eq!(
            code("\n  LOOP(i) ;\n"),
            format!("\n  \n{line}#pragma xmp loop on t[i]\n{line}for (;;) ;\n")
        );
        assert_eq!(
            code("\n_Pragma(\"xmp barrier\") x;\n"),
            format!("\n\n{line}#pragma xmp barrier\n{line} x;\n")
        );
    }

    #[test]
    fn macros_hold_from_their_definition_to_the_next() {
        let source =
            "f(1);\n#define f(x) { x; }\nf(2)\n#undef f\nf(3);\n#define f(x) if (x)\nf(4) f;\n";
        let expected = source.replace("f(2)", "{ 2; }").replace("f(4)", "if (4)");
        assert_eq!(text(source), expected);
    }

    #[test]
    fn places_are_those_of_the_source() {
        let source = "#define EACH(i) for (i = 0;;)\nint x; EACH(k) bad;\n";
        let all = definitions(source);
        let of = expanded("a.c", source, &all).expect("a macro is written out");
        let find = |word: &str| {
            let at = of.text.rfind(word).expect("it is there");
            let (place, is_new) = of.place(&(at..at + word.len()));
            (&source[place], is_new)
        };
        assert_eq!(find("bad"), ("bad", false));
        assert_eq!(find("k = 0"), ("EACH(k)", true));
    }
}
