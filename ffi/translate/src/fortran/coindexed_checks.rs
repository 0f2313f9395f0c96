//! Checks of cosubscripts, subscripts and `result_image=`, which the compiler does not pass to the library (`--check=bounds`).
//!
//! gfortran passes an image index, and 0 also where there is no image selector. So the library cannot see that `u[3, 1]`
//! of `u[2, *]` is beyond a cobound: it gets image 3. Nor can it see `event post (e[0])`, which becomes `event post (e)`. Each cosubscript becomes the argument of a function that ends
//! the program where the cosubscript is beyond the cobounds, and so does each `result_image=`. Of a section such as `a(i, 1:3)[2]`
//! gfortran's own check leaves out the subscripts that are no ranges, which become arguments, too.

use super::items::{Item, items};
use super::output::Output;
use super::scopes::Scopes;
use super::selectors::{Selector, image_selectors, is_executed, is_keyword, is_specifier};
use super::source::{Statement, statements};
use super::tokens::{
    action, after, assignment, closing, name_at, opening, outside, split, trimmed, uses,
};
use super::writer;
use crate::diagnostics::Diagnostic;
use crate::directive::Form;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

/// Texts to put into a statement at these places.
type Insertions = Vec<(usize, String)>;

/// The source with checks; `None` where there is nothing to check. `path` is the compiler's name of the file; in fixed form the first
/// `columns` characters of a line count.
///
/// # Errors
/// For sources whose program units are not understood.
pub fn with_coindexed_checks(
    path: &Path,
    source: &str,
    form: Form,
    columns: usize,
) -> Result<Option<String>, Diagnostic> {
    let mut items = items(statements(source, form, columns), Vec::new());
    let scopes = Scopes::of(&items)?;
    let checked = check(&mut items, &scopes, &|_, _| false);
    if checked.is_empty() {
        return Ok(None);
    }
    let mut output = Output::new(path, source, form, columns, &items);
    for scope in checked {
        output.declare(&scopes.all[scope], vec![writer::interfaces()]);
    }
    Ok(Some(output.text()))
}

/// Puts checks into statements, but for coarrays that are checked otherwise by their name and scope. The scopes with checks.
pub fn check(
    items: &mut [Item],
    scopes: &Scopes,
    is_checked: &dyn Fn(&str, usize) -> bool,
) -> BTreeSet<usize> {
    let mut checked = BTreeSet::new();
    for (item, scope) in items.iter_mut().zip(&scopes.of_item) {
        let (Item::Statement(statement, kind), Some(scope)) = (item, *scope) else { continue };
        if !is_executed(kind) {
            continue;
        }
        let insertions = insertions(statement, |name| is_checked(name, scope));
        if !insertions.is_empty() {
            let changes = insertions.into_iter().map(|(at, text)| (at..at, text)).collect();
            *statement = statement.changed(changes);
            checked.insert(scope);
        }
    }
    checked
}

/// What the checks of a statement insert, in its order.
fn insertions(statement: &Statement, is_checked: impl Fn(&str) -> bool) -> Insertions {
    let (code, mut all) = (&statement.code, Insertions::new());
    let selectors = image_selectors(code).into_iter();
    for selector in selectors.filter(|of| !is_checked(name_at(&code[of.object..]))) {
        all.extend(of_selector(statement, selector));
    }
    all.extend(of_result_image(statement));
    all.extend(of_image_index(statement));
    // Insertions at one place do not occur: a bracket or a comma is between them.
    all.sort_by_key(|(at, _)| *at);
    all
}

fn of_selector(statement: &Statement, selector: Selector) -> Insertions {
    let (code, Selector { object, open, close }) = (&statement.code, selector);
    let designator = trimmed(code, object..open);
    let name = without_subscripts(code, designator.clone());
    let coarray = &statement.text[name.clone()];
    let text = quoted(&statement.text[object..=close]);
    let subscripts = trimmed(code, name.end..designator.end);
    let list = split(code, open + 1..close, b',').into_iter();
    let cosubscripts: Vec<Range<usize>> =
        list.filter(|item| !item.is_empty() && !is_specifier(&code[item.clone()])).collect();
    let corank = cosubscripts.len();
    let mut all = Insertions::new();
    for (dimension, item) in beside_ranges(code, subscripts) {
        let bound = |of: &str| format!("int({of}({coarray}, {dimension}), 8)");
        let (lower, upper) = (bound("lbound"), bound("ubound"));
        all.push((item.start, "xmprt_subscript(0_8 + (".into()));
        all.push((item.end, format!("), {lower}, {upper}, {dimension}_4, {text})")));
    }
    for (codimension, item) in (1..).zip(cosubscripts) {
        // Beyond the last upper cobound there is no image, which the library finds.
        let upper = if codimension == corank {
            format!("{}_8", i64::MAX)
        } else {
            format!("int(ucobound({coarray}, {codimension}), 8)")
        };
        let after = format!(
            "), int(lcobound({coarray}, {codimension}), 8), {upper}, {codimension}_4, {text})"
        );
        all.push((item.start, "xmprt_cosubscript(0_8 + (".into()));
        all.push((item.end, after));
    }
    all
}

/// The subscripts in parentheses that are no ranges, if others are, with their dimensions. The library compares those of the last
/// dimension, whose bound may be `*`.
fn beside_ranges(code: &str, parentheses: Range<usize>) -> Vec<(usize, Range<usize>)> {
    if parentheses.len() < 2 {
        return Vec::new();
    }
    let list = split(code, parentheses.start + 1..parentheses.end - 1, b',');
    let is_range =
        |item: &Range<usize>| outside(&code[item.clone()], |rest| rest.starts_with(':')).is_some();
    if !list.iter().any(is_range) {
        return Vec::new();
    }
    let rank = list.len();
    (1..).zip(list).filter(|(dimension, item)| *dimension < rank && !is_range(item)).collect()
}

/// The designator of a coarray without the subscripts at its end.
fn without_subscripts(code: &str, designator: Range<usize>) -> Range<usize> {
    let mut end = designator.end;
    while code[designator.start..end].ends_with(')') {
        let Some(open) = opening(code, end - 1) else { break };
        end = trimmed(code, designator.start..open).end;
    }
    designator.start..end
}

/// The `result_image=` of a collective subroutine, with or without its keyword.
fn of_result_image(statement: &Statement) -> Insertions {
    let code = &statement.code;
    let found = || {
        let start = action(code);
        if assignment(&code[start..]).is_some() {
            return None;
        }
        let rest = after(&code[start..], &["call"])?;
        let name = name_at(rest);
        let position = match name {
            "co_sum" | "co_min" | "co_max" => 1,
            "co_reduce" => 2,
            _ => return None,
        };
        let open = code.len() - rest[name.len()..].trim_start().len();
        code[open..].starts_with('(').then_some(())?;
        let arguments = split(code, open + 1..closing(code, open)?, b',');
        let keyword = |item: &Range<usize>| is_keyword(&code[item.clone()], "result_image");
        let item = match arguments.iter().find(|item| keyword(item)) {
            Some(item) => {
                let value = item.start + code[item.clone()].find('=')? + 1;
                trimmed(code, value..item.end)
            }
            None => {
                let item = arguments.get(position)?.clone();
                let has_keyword = outside(&code[item.clone()], |rest| {
                    rest.starts_with('=') && !rest.starts_with("==")
                });
                (has_keyword.is_none() && !item.is_empty()).then_some(item)?
            }
        };
        Some((name, item))
    };
    match found() {
        Some((name, item)) => vec![
            (item.start, "xmprt_result_image(0_8 + (".into()),
            (item.end, format!("), {})", quoted(name))),
        ],
        None => Vec::new(),
    }
}

/// The cosubscripts of `image_index`, which gfortran shortens to default integers. Those that are none belong to no image.
fn of_image_index(statement: &Statement) -> Insertions {
    let (code, name) = (&statement.code, "image_index");
    let mut all = Insertions::new();
    for at in uses(code, name) {
        let rest = code[at + name.len()..].trim_start();
        let open = code.len() - rest.len();
        let Some(close) = rest.starts_with('(').then(|| closing(code, open)).flatten() else {
            continue;
        };
        let arguments = split(code, open + 1..close, b',');
        let keyword = |item: &&Range<usize>| is_keyword(&code[(*item).clone()], "sub");
        let item = match arguments.iter().find(keyword) {
            Some(item) => {
                code[item.clone()].find('=').map(|equals| item.start + equals + 1..item.end)
            }
            None => arguments.get(1).cloned(),
        };
        let Some(item) = item.map(|item| trimmed(code, item)).filter(|item| !item.is_empty())
        else {
            continue;
        };
        // Below all cobounds, which the compiler compares without an overflow.
        let value = format!("0_8 + ({})", &statement.text[item.clone()]);
        let none = -i32::MAX;
        let after = format!("), {none}_8, ({value})/2147483648_8 == 0), 4)");
        all.push((item.start, "int(merge(0_8 + (".into()));
        all.push((item.end, after));
    }
    all
}

/// A text with one blank for many, as a constant of Fortran, and its number of characters: two arguments.
fn quoted(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("'{}', {}_8", text.replace('\'', "''"), text.len())
}

#[cfg(test)]
mod tests {
    use super::super::source::COLUMNS;
    use super::*;

    fn checked(source: &str) -> Option<String> {
        with_coindexed_checks(Path::new("a.f90"), source, Form::Free, COLUMNS).unwrap()
    }

    /// A statement with its checks.
    fn statement(text: &str) -> String {
        let all = statements(text, Form::Free, COLUMNS);
        let changes =
            insertions(&all[0], |_| false).into_iter().map(|(at, text)| (at..at, text)).collect();
        all[0].changed(changes).text
    }

    #[test]
    fn each_cosubscript_is_compared_with_its_cobounds() {
        let last = "9223372036854775807_8";
        assert_eq!(
            statement("event post (e[i - 1], stat=k)"),
            format!(
                "event post (e[xmprt_cosubscript(0_8 + (i - 1), int(lcobound(e, 1), 8), {last}, 1_4, 'e[i - 1]', 8_8)], stat=k)"
            )
        );
        assert_eq!(
            statement("k = s%u(2)[3, 1, team=t]"),
            format!(
                "k = s%u(2)[xmprt_cosubscript(0_8 + (3), int(lcobound(s%u, 1), 8), int(ucobound(s%u, 1), 8), 1_4, \
                 's%u(2)[3, 1, team=t]', 20_8), xmprt_cosubscript(0_8 + (1), int(lcobound(s%u, 2), 8), {last}, 2_4, \
                 's%u(2)[3, 1, team=t]', 20_8), team=t]"
            )
        );
        let section = statement("c(i, 1:3, k)[2] = 1");
        let check = "c(xmprt_subscript(0_8 + (i), int(lbound(c, 1), 8), int(ubound(c, 1), 8), 1_4, 'c(i, 1:3, k)[2]', 15_8), 1:3, k)[";
        assert!(section.starts_with(check), "{section}");
        let nested = statement("k = a[x[1]]");
        assert_eq!(nested.matches("xmprt_cosubscript(0_8 + (").count(), 2, "{nested}");
        assert!(nested.starts_with("k = a[xmprt_cosubscript(0_8 + (x[xmprt_cosubscript(0_8 + (1)"));
    }

    #[test]
    fn the_image_of_a_result_is_checked_with_and_without_its_keyword() {
        for (code, expected) in [
            (
                "call co_sum(a, result_image=k)",
                "result_image=xmprt_result_image(0_8 + (k), 'co_sum', 6_8))",
            ),
            (
                "call co_max(a, k + 1, stat=i)",
                "a, xmprt_result_image(0_8 + (k + 1), 'co_max', 6_8), stat",
            ),
            (
                "if (b) call co_reduce(a, f, 2)",
                "f, xmprt_result_image(0_8 + (2), 'co_reduce', 9_8))",
            ),
        ] {
            let text = statement(code);
            assert!(text.contains(expected), "{text}");
        }
        for code in [
            "call co_sum(a)",
            "call co_sum(a, stat=k)",
            "call co_broadcast(a, 1)",
            "co_sum(1, 2) = 3",
        ] {
            assert_eq!(statement(code), code);
        }
    }

    #[test]
    fn cosubscripts_of_64_bits_in_image_index_keep_their_values() {
        for (code, expected) in [
            (
                "i = image_index(x, [k, 1_8]) + 1",
                "i = image_index(x, int(merge(0_8 + ([k, 1_8]), -2147483647_8, (0_8 + ([k, 1_8]))/2147483648_8 == 0), 4)) + 1",
            ),
            (
                "i = image_index(sub=k, coarray=x)",
                "i = image_index(sub=int(merge(0_8 + (k), -2147483647_8, (0_8 + (k))/2147483648_8 == 0), 4), coarray=x)",
            ),
            ("image_index = 3", "image_index = 3"),
        ] {
            assert_eq!(statement(code), expected);
        }
    }

    #[test]
    fn each_scope_with_checks_declares_the_function() {
        let source = "program p\n  use m\n  implicit none\n  integer :: a[*]\n  a[1] = 2\ncontains\n  subroutine s\n    a[2] = 1\n  \
                      end subroutine\n  subroutine t\n  end subroutine\nend program\n";
        let text = checked(source).unwrap();
        assert_eq!(text.matches("pure function xmprt_cosubscript(").count(), 2, "{text}");
        let of = |part: &str| text.find(part).unwrap();
        assert!(
            of("implicit none") < of("interface") && of("end interface") < of("integer :: a[*]"),
            "{text}"
        );
        assert!(of("subroutine s") < text.rfind("interface\n").unwrap(), "{text}");
        assert_eq!(checked("program p\n  integer :: a[*]\n  a = [1, 2]\nend program\n"), None);
    }
}
