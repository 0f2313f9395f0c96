//! The translated text: lines of the user without changes, statements instead of, before and after others, and line
//! numbers for the compiler.

use super::interfaces;
use super::items::Item;
use super::openmp::{before, belongs_to_next, ends_construct};
use super::scopes::Scope;
use super::source::Statement;
use super::writer::{Code, Writer, origins};
use crate::directive::Form;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;

/// The changes of the lines of a file.
#[derive(Debug)]
pub struct Output<'a> {
    path: String,
    form: Form,
    columns: usize,
    lines: Vec<&'a str>,
    items: &'a [Item],
    before: BTreeMap<usize, Vec<Code>>,
    after: BTreeMap<usize, Vec<Code>>,
    instead: HashMap<usize, Vec<Code>>,
}

impl<'a> Output<'a> {
    /// A file without changes, of whose lines the first `columns` characters count in fixed form. The directives are
    /// left out.
    pub fn new(
        path: &Path,
        source: &'a str,
        form: Form,
        columns: usize,
        items: &'a [Item],
    ) -> Self {
        let lines = source.split_inclusive('\n').collect();
        let path = path.display().to_string();
        Self {
            path,
            form,
            columns,
            lines,
            items,
            before: BTreeMap::new(),
            after: BTreeMap::new(),
            instead: HashMap::new(),
        }
    }

    /// The lines of an item.
    fn lines_of(&self, item: usize) -> Range<usize> {
        match &self.items[item] {
            Item::Statement(statement, _) => statement.lines.clone(),
            Item::Directive(directive) => {
                let (mut at, mut first, mut last) = (0, None, 0);
                for (number, line) in self.lines.iter().enumerate() {
                    let end = at + line.len();
                    if first.is_none() && directive.span.start < end {
                        first = Some(number);
                    }
                    if at < directive.span.end {
                        last = number + 1;
                    }
                    at = end;
                }
                first.unwrap_or_default()..last
            }
        }
    }

    /// Whether another statement begins or ends on the lines of this one.
    fn shares(&self, item: usize) -> bool {
        let lines = self.lines_of(item);
        let overlaps = |other: usize| {
            let other = self.items.get(other).and_then(Item::statement);
            other
                .is_some_and(|other| other.lines.start < lines.end && lines.start < other.lines.end)
        };
        self.items[item].statement().is_some()
            && (overlaps(item.wrapping_sub(1)) || overlaps(item + 1))
    }

    /// Puts statements in the place of an item. The label of a statement goes to the first one that has none.
    pub fn replace(&mut self, item: usize, mut code: Vec<Code>) {
        if let Some(statement) = self.items[item].statement()
            && let Some(label) = &statement.label
            && code.iter().all(|code| code.label.is_none())
        {
            match code.first_mut() {
                Some(first) => first.label = Some(label.clone()),
                None => code.push(Code { label: Some(label.clone()), ..Code::from("continue") }),
            }
        }
        self.instead.insert(item, code);
    }

    /// The text of an item: its replacement, or itself.
    pub fn own(&self, item: usize) -> Vec<Code> {
        match (self.instead.get(&item), &self.items[item]) {
            (Some(code), _) => code.clone(),
            (None, Item::Statement(statement, _)) => vec![as_code(statement)],
            (None, Item::Directive(_)) => Vec::new(),
        }
    }

    /// Puts statements before an item, and before directives of OpenMP that belong to it.
    pub fn before(&mut self, item: usize, code: Vec<Code>) {
        let last = self.before.get(&self.line_before(item)).map_or(0, Vec::len);
        self.put_before(item, last, code);
    }

    /// As [`Output::before`], and before statements that were put there until now.
    pub fn before_first(&mut self, item: usize, code: Vec<Code>) {
        self.put_before(item, 0, code);
    }

    fn put_before(&mut self, item: usize, nth: usize, code: Vec<Code>) {
        if self.shares(item) {
            let code = code.into_iter().chain(self.own(item)).collect();
            self.instead.insert(item, code);
            return;
        }
        let line = self.line_before(item);
        self.before.entry(line).or_default().splice(nth..nth, code);
    }

    /// The line of an item, or of the first directive of OpenMP that belongs to it.
    fn line_before(&self, item: usize) -> usize {
        let mut line = self.lines_of(item).start;
        while line > 0 && belongs_to_next(self.lines[line - 1]) {
            line -= 1;
        }
        line
    }

    /// Puts statements after an item, and after ends of OpenMP's constructs that belong to it.
    pub fn after(&mut self, item: usize, code: Vec<Code>) {
        let mut line = self.lines_of(item).end;
        while line < self.lines.len() && ends_construct(self.lines[line]) {
            line += 1;
        }
        self.put_after(item, line, code);
    }

    /// Puts statements after an item, and before ends of OpenMP's constructs.
    pub fn within(&mut self, item: usize, code: Vec<Code>) {
        self.put_after(item, self.lines_of(item).end, code);
    }

    fn put_after(&mut self, item: usize, line: usize, code: Vec<Code>) {
        if self.shares(item) {
            let code = self.own(item).into_iter().chain(code).collect();
            self.instead.insert(item, code);
            return;
        }
        self.after.entry(line - 1).or_default().extend(code);
    }

    /// Puts declarations at the start of the specification part of a scope.
    pub fn declare(&mut self, scope: &Scope, code: Vec<Code>) {
        match scope.opening {
            Some(opening) => self.after(opening, code),
            None => self.before(scope.first, code),
        }
    }

    /// The directives of OpenMP before an item.
    pub fn openmp_before(&self, item: usize) -> String {
        before(&self.lines[..self.lines_of(item).start])
    }

    /// As [`Output::after`], and before statements that were put there until now.
    pub fn after_first(&mut self, item: usize, code: Vec<Code>) {
        let line = self.lines_of(item).end - 1;
        self.after.entry(line).or_default().splice(0..0, code);
    }

    /// The functions of the run-time library that the translated text calls.
    fn called(&self) -> BTreeSet<String> {
        let put = self.before.values().chain(self.after.values()).flatten();
        let put = put.chain(self.instead.values().flatten()).map(|code| code.text.as_str());
        let statements = self.items.iter().filter_map(Item::statement);
        let changed = statements.filter(|of| of.is_changed).map(|of| of.text.as_str());
        put.chain(changed).flat_map(interfaces::called).map(str::to_owned).collect()
    }

    /// The translated file.
    pub fn text(&self) -> String {
        let origins = origins(&self.path, &self.lines);
        let interfaces = interfaces::of(&self.called());
        let mut writer = Writer::new(self.form, self.columns, &self.lines, &origins, interfaces);
        // For each line that is not copied: the items that replace it.
        let mut instead: BTreeMap<usize, (usize, Vec<usize>)> = BTreeMap::new();
        let mut item = 0;
        while item < self.items.len() {
            let mut lines = self.lines_of(item);
            let mut group = vec![item];
            while self.items[item].statement().is_some()
                && self.items.get(item + 1).is_some_and(|next| next.statement().is_some())
                && self.lines_of(item + 1).start < lines.end
            {
                item += 1;
                group.push(item);
                lines.end = self.lines_of(item).end;
            }
            let changes = |item: &usize| {
                let is_changed =
                    self.items[*item].statement().is_none_or(|statement| statement.is_changed);
                is_changed || self.instead.contains_key(item)
            };
            if group.iter().any(changes) {
                instead.insert(lines.start, (lines.end, group));
            }
            item += 1;
        }
        let mut line = 0;
        while line < self.lines.len() {
            writer.all(self.before.get(&line), line);
            let last = match instead.get(&line) {
                None => {
                    writer.copy(line);
                    line
                }
                Some((end, group)) => {
                    for item in group {
                        writer.all(Some(&self.own(*item)), line);
                    }
                    end - 1
                }
            };
            writer.all(self.after.get(&last), last);
            line = last + 1;
        }
        writer.text()
    }
}

fn as_code(statement: &Statement) -> Code {
    Code { label: statement.label.clone(), ..Code::from(statement.text.as_str()) }
}

#[cfg(test)]
mod tests {
    use super::super::items::items;
    use super::super::source::{COLUMNS, statements};
    use super::*;

    #[test]
    fn lines_are_numbered_as_the_user_has_them() {
        let source = "x = 1; y = 2\n! comment\n!$omp parallel do\ndo i = 1, 2\nend do\n!$omp end parallel do\nz = 3\n";
        let items = items(statements(source, Form::Free, COLUMNS), Vec::new());
        let mut output = Output::new(Path::new("a.f90"), source, Form::Free, COLUMNS, &items);
        output.replace(1, vec!["y = 4".into()]);
        output.before(2, vec!["b = 1".into()]);
        output.after(3, vec!["c = 1".into()]);
        assert_eq!(
            output.text(),
            "# 1 \"a.f90\"\nx = 1\n# 1 \"a.f90\"\ny = 4\n! comment\nb = 1\n# 3 \"a.f90\"\n!$omp parallel do\ndo i = 1, 2\nend do\n\
            !$omp end parallel do\n# 6 \"a.f90\"\nc = 1\nz = 3\n"
        );
    }
}
