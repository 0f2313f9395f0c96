//! The program units, procedures and `block` constructs of a file: where each begins, where its parts are, which constructs
//! end where.

use super::classify::Kind;
use super::heads::{Head, Unit};
use super::items::Item;
use super::source::Statement;
use super::tokens::after;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{self, Directive};
use std::collections::HashMap;
use std::ops::Range;

/// A program unit, a procedure or a `block` construct; items are meant by their numbers.
#[derive(Debug)]
pub struct Scope {
    /// Its kind.
    pub unit: Unit,
    /// Its first statement; a main program may have none.
    pub head: Option<Head>,
    /// Its name in lower case.
    pub name: String,
    /// The place of its first statement in the file, if that is `block`.
    pub place: Range<usize>,
    /// Whether it is the body of an interface.
    pub is_interface: bool,
    /// The scope around it.
    pub parent: Option<usize>,
    /// The first item.
    pub first: usize,
    /// The last `use`, `import` or `implicit` statement, else the first statement of the scope.
    pub opening: Option<usize>,
    /// The `use` statements.
    pub uses: Vec<usize>,
    /// Those of them that follow declarations or `implicit`, where the compiler does not want them.
    pub late_uses: Vec<usize>,
    /// Whether it has such statements so far.
    has_others: bool,
    /// The first item that is executed; the last one or `contains` where there is none.
    pub body: usize,
    /// The `contains` statement.
    pub contains: Option<usize>,
    /// The last item.
    pub end: usize,
}

/// The scopes of a file, and of its statements.
#[derive(Debug, Default)]
pub struct Scopes {
    /// All scopes, each after the one around it.
    pub all: Vec<Scope>,
    /// For each item its innermost scope.
    pub of_item: Vec<Option<usize>>,
    /// For each `do` statement and each `task` directive the item that ends it.
    pub ends: HashMap<usize, usize>,
}

/// The open constructs while the items are read.
#[derive(Default)]
struct Reader {
    scopes: Scopes,
    /// Open scopes.
    open: Vec<usize>,
    /// Whether the specification part of each open scope is over.
    executing: Vec<bool>,
    interfaces: usize,
    types: usize,
    /// Open `do` statements with their labels, `task` directives, and other constructs.
    constructs: Vec<(usize, Option<String>)>,
}

impl Scopes {
    /// Finds the scopes of a file.
    ///
    /// # Errors
    /// For ends without a beginning, and directives that do not match.
    pub fn of(items: &[Item]) -> Result<Self, Diagnostic> {
        let mut reader = Reader::default();
        for (number, item) in items.iter().enumerate() {
            reader.read(number, item)?;
            let scope = reader.open.last().copied();
            reader.scopes.of_item.push(scope);
            match item {
                Item::Statement(_, Kind::UnitEnd) => reader.close(number),
                Item::Statement(statement, Kind::ConstructEnd) if ends_block(statement) => {
                    reader.close(number);
                }
                _ => {}
            }
        }
        if let Some(open) = reader.open.first() {
            let item = &items[reader.scopes.all[*open].first];
            return refuse(item.start()..item.start() + 1, "this program unit has no end");
        }
        Ok(reader.scopes)
    }
}

/// Whether the end of a construct ends a `block`.
fn ends_block(statement: &Statement) -> bool {
    after(&statement.code, &["end", "block"]).is_some()
}

impl Reader {
    fn read(&mut self, number: usize, item: &Item) -> Result<(), Diagnostic> {
        let (statement, kind) = match item {
            Item::Directive(directive) => return self.directive(number, directive),
            Item::Statement(statement, kind) => (statement, kind),
        };
        if self.types > 0 {
            match kind {
                Kind::TypeEnd => self.types -= 1,
                Kind::TypeStart => self.types += 1,
                _ => {}
            }
            return Ok(());
        }
        match kind {
            // Names of procedures in a generic interface.
            Kind::UnitStart(head) if head.unit == Unit::Separate && self.interfaces > 0 => {}
            Kind::UnitStart(head) => self.start(number, Some((statement, head))),
            Kind::InterfaceStart => self.interfaces += 1,
            Kind::InterfaceEnd => self.interfaces = self.interfaces.saturating_sub(1),
            Kind::TypeStart => self.types += 1,
            Kind::UnitEnd if self.open.is_empty() => {
                self.start(number, None);
            }
            _ if self.interfaces > 0 && !self.is_in_interface() => {}
            Kind::Contains => self.contains(number),
            Kind::Use | Kind::Import | Kind::Implicit => self.opening(number, kind),
            Kind::Specification => self.specification(number, statement),
            Kind::TypeEnd => {
                self.scope(number);
            }
            Kind::UnitEnd => {
                let scope = self.scope(number);
                let scope = &self.scopes.all[scope];
                if scope.unit == Unit::Block {
                    let span = scope.place.clone();
                    return refuse(span, "this `block` construct has no `end block`");
                }
            }
            Kind::ConstructEnd if ends_block(statement) => {
                let scope = self.scope(number);
                if self.scopes.all[scope].unit != Unit::Block {
                    return refuse(statement.whole(), "there is no `block` that this could end");
                }
            }
            _ => {
                self.scope(number);
                self.executes(number);
                self.construct(number, statement, kind);
            }
        }
        Ok(())
    }

    fn contains(&mut self, number: usize) {
        let scope = self.scope(number);
        if self.executing.last() == Some(&false) {
            self.scopes.all[scope].body = number;
        }
        self.scopes.all[scope].contains = Some(number);
        *self.executing.last_mut().expect("a scope is open") = true;
    }

    /// A `use`, `import` or `implicit` statement.
    fn opening(&mut self, number: usize, kind: &Kind) {
        let scope = self.scope(number);
        let scope = &mut self.scopes.all[scope];
        if *kind == Kind::Use {
            scope.uses.push(number);
            if scope.has_others {
                scope.late_uses.push(number);
                return;
            }
        }
        scope.has_others |= *kind == Kind::Implicit;
        scope.opening = Some(number);
    }

    fn specification(&mut self, number: usize, statement: &Statement) {
        let scope = self.scope(number);
        let scope = &mut self.scopes.all[scope];
        // An included file before all declarations may have `implicit` statements.
        scope.has_others = true;
        let follows = scope.opening.is_none_or(|opening| opening + 1 == number);
        if follows && after(&statement.code, &["include"]).is_some() {
            scope.opening = Some(number);
        }
    }

    fn is_in_interface(&self) -> bool {
        self.open.last().is_some_and(|scope| self.scopes.all[*scope].is_interface)
    }

    /// The open scope; without one, a main program without a `program` statement begins.
    fn scope(&mut self, number: usize) -> usize {
        if self.open.is_empty() {
            self.start(number, None);
        }
        *self.open.last().expect("a scope is open")
    }

    fn start(&mut self, number: usize, head: Option<(&Statement, &Head)>) {
        let scope = Scope {
            unit: head.map_or(Unit::Program, |(_, head)| head.unit),
            head: head.map(|(_, head)| head.clone()),
            name: head.map_or(String::new(), |(statement, head)| {
                statement.code[head.name.clone()].to_owned()
            }),
            place: 0..0,
            is_interface: self.interfaces > 0,
            parent: self.open.last().copied(),
            first: number,
            opening: head.map(|_| number),
            uses: Vec::new(),
            late_uses: Vec::new(),
            has_others: false,
            body: usize::MAX,
            contains: None,
            end: usize::MAX,
        };
        self.open.push(self.scopes.all.len());
        self.executing.push(false);
        self.scopes.all.push(scope);
    }

    fn close(&mut self, number: usize) {
        let Some(open) = self.open.pop() else { return };
        self.executing.pop();
        let scope = &mut self.scopes.all[open];
        scope.end = number;
        scope.body = scope.body.min(number);
    }

    /// Notes that something is executed from here on.
    fn executes(&mut self, number: usize) {
        if let (Some(open), Some(executing @ false)) = (self.open.last(), self.executing.last_mut())
        {
            *executing = true;
            self.scopes.all[*open].body = number;
        }
    }

    fn construct(&mut self, number: usize, statement: &Statement, kind: &Kind) {
        match kind {
            Kind::Do(of) => self.constructs.push((number, of.label.clone())),
            Kind::EndDo => {
                if let Some((start, _)) = self.constructs.pop() {
                    self.scopes.ends.insert(start, number);
                }
            }
            Kind::BlockConstruct => {
                self.start(number, None);
                let block = self.scopes.all.last_mut().expect("the scope that was started");
                block.unit = Unit::Block;
                block.opening = Some(number);
                block.place = statement.whole();
            }
            _ => {}
        }
        // All loops that end at this label.
        while let Some((start, Some(label))) = self.constructs.last()
            && Some(label) == statement.label.as_ref()
        {
            self.scopes.ends.insert(*start, number);
            self.constructs.pop();
        }
    }

    fn directive(&mut self, number: usize, directive: &Directive) -> Result<(), Diagnostic> {
        if self.is_in_interface() {
            return Ok(());
        }
        self.scope(number);
        if !directive.kind.declares() {
            self.executes(number);
        }
        match directive.kind {
            directive::Kind::Task { .. } => self.constructs.push((number, Some("task".into()))),
            directive::Kind::Tasks => self.constructs.push((number, Some("tasks".into()))),
            directive::Kind::EndTask => self.end_directive(number, directive, "task")?,
            directive::Kind::EndTasks => self.end_directive(number, directive, "tasks")?,
            _ => {}
        }
        Ok(())
    }

    /// The end of the construct that a directive with this word has begun.
    fn end_directive(
        &mut self,
        number: usize,
        directive: &Directive,
        word: &str,
    ) -> Result<(), Diagnostic> {
        let open = self.constructs.last().filter(|(_, label)| label.as_deref() == Some(word));
        let Some((start, _)) = open else {
            let title = format!("there is no `{word}` that this `end {word}` could end");
            return Err(Diagnostic::new(directive.span.clone(), title)
                .help("constructs between the two directives have to end before"));
        };
        self.scopes.ends.insert(*start, number);
        self.constructs.pop();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::items;
    use super::super::source::{COLUMNS, statements};
    use super::*;
    use crate::directive::{Form, sentinels};

    #[test]
    fn parts_of_a_file() {
        let source = "module m\n use n\n implicit none\n real a(3)\ncontains\n subroutine s(x)\n interface\n subroutine i(y)\n real y\n \
            end subroutine\n end interface\n real x\n x = 1\n do 10 j = 1, 2\n do 10 k = 1, 3\n10 x = 2\n end subroutine\nend module\n\
            !$xmp nodes p(2)\nreal b\n!$xmp task on p(1)\nb = 1\n!$xmp end task\nend\n";
        let directives =
            sentinels(source, Form::Free, COLUMNS).into_iter().map(Result::unwrap).collect();
        let items = items(statements(source, Form::Free, COLUMNS), directives);
        let scopes = Scopes::of(&items).unwrap();
        let of = |scope: usize| {
            let scope = &scopes.all[scope];
            (
                scope.unit,
                scope.name.as_str(),
                scope.parent,
                scope.first,
                scope.body,
                scope.contains,
                scope.end,
            )
        };
        assert_eq!(of(0), (Unit::Module, "m", None, 0, 4, Some(4), 17));
        assert_eq!(of(1), (Unit::Subroutine, "s", Some(0), 5, 12, None, 16));
        assert!(scopes.all[2].is_interface);
        assert_eq!((of(3).0, of(3).3, of(3).4, of(3).6), (Unit::Program, 18, 20, 23));
        assert_eq!((scopes.ends[&13], scopes.ends[&14], scopes.ends[&20]), (15, 15, 22));
        assert_eq!((scopes.all[0].opening, scopes.all[0].uses.as_slice()), (Some(2), &[1][..]));
    }
}
