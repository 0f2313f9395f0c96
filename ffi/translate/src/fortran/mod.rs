//! XcalableMP in Fortran.
//!
//! Arrays keep their global indices: the part of an image is allocated with its global bounds. So references to blocks stay as
//! they are, and only loops get other bounds. Cyclic subscripts are rewritten. Lines keep their numbers.

mod alias;
mod allocate;
mod array;
mod blocks;
mod bounds;
mod classify;
mod coarrays;
mod coindexed_checks;
mod collect;
mod common;
mod communicate;
mod components;
mod declarations;
mod declare;
mod directives;
mod entries;
mod extensions;
mod functions;
mod gmove;
mod heads;
mod include;
mod interfaces;
mod io;
mod items;
mod iterations;
mod kept;
mod loops;
mod make;
mod module;
mod modules;
mod names;
mod nest_check;
mod objects;
mod on;
mod openmp;
mod operand_check;
mod operands;
mod output;
mod part;
mod pointers;
mod procedures;
mod reach;
mod reduction;
mod renames;
mod rewrite;
mod scopes;
mod selectors;
mod sidecar;
mod source;
mod storage;
mod tasks;
mod tokens;
mod unit;
mod writer;

use crate::boundary;
use crate::diagnostics::Diagnostic;
pub use crate::directive::Form;
use crate::directive::{Directive, sentinels};
use crate::meaning::consequences::without_consequences;
use classify::Kind;
pub use coindexed_checks::with_coindexed_checks;
use declare::Role;
use heads::Unit as Program;
pub use include::expanded;
use items::Item;
pub use module::module;
use objects::Objects;
use output::Output;
use scopes::Scopes;
pub use selectors::{Place, SelectorKind, selectors};
pub use source::{COLUMNS, form_of};
use std::collections::HashMap;
use std::path::Path;
use unit::{Needs, Unit};
use writer::Code;

/// A translated file.
#[derive(Debug)]
pub struct Translated {
    /// The Fortran text.
    pub text: String,
    /// For each module with nodes, templates or distributed arrays: its name, and its data for other files.
    pub modules: Vec<(String, String)>,
}

/// Whether a file has directives, or uses a module that has them.
pub fn has_directives(source: &str, form: Form, module: &dyn Fn(&str) -> Option<String>) -> bool {
    if !sentinels(source, form, usize::MAX).is_empty() {
        return true;
    }
    source.lines().any(|line| {
        let line = line.trim_start().to_ascii_lowercase();
        tokens::used_module(&line).is_some_and(|(name, _)| module(name).is_some())
    })
}

/// Where a message is: the file and the number of its line, the line, and the message with its place in the line. A preprocessor
/// may have made the source of several files.
pub fn place(path: &Path, source: &str, wrong: Diagnostic) -> (String, usize, String, Diagnostic) {
    let at = boundary::floor(source, wrong.span.start);
    let number = source[..at].matches('\n').count();
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    let start = lines[..number.min(lines.len())].iter().map(|line| line.len()).sum::<usize>();
    let line = lines.get(number).copied().unwrap_or_default().trim_end_matches(['\n', '\r']);
    let (line_number, file) = writer::origins(&path.display().to_string(), &lines)
        .get(number)
        .cloned()
        .unwrap_or((number + 1, path.display().to_string()));
    let end = (wrong.span.end.max(at) - start).min(line.len());
    let span = at - start..end;
    (file, line_number, line.to_owned(), Diagnostic { span, ..wrong })
}

/// How a source is read and written.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The form of the source.
    pub form: Form,
    /// How many characters of a line count in fixed form.
    pub columns: usize,
    /// Whether the program checks coindexed objects and `result_image=`.
    pub check_coindexed: bool,
}

impl Options {
    /// A source of this form, with as many columns as the standard says, without checks.
    pub fn of(form: Form) -> Options {
        Options { form, columns: COLUMNS, check_coindexed: false }
    }
}

/// Translates a Fortran source. `path` is the compiler's name of the file; `module` finds the data of a module of another file.
///
/// # Errors
/// Describes everything that is wrong or not understood, in the order of the source.
pub fn translate(
    path: &Path,
    source: &str,
    options: Options,
    module: &dyn Fn(&str) -> Option<String>,
) -> Result<Translated, Vec<Diagnostic>> {
    let Options { form, columns, check_coindexed } = options;
    let mut directives: Vec<Directive> = Vec::new();
    let mut wrong = Vec::new();
    for found in sentinels(source, form, columns) {
        match found {
            Ok(directive) => directives.push(directive),
            Err(error) => wrong.push(error),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut items = items::items(source::statements(source, form, columns), directives);
    let mut scopes = Scopes::of(&items).map_err(|error| vec![error])?;
    functions::leave_in_specifications(&items, &mut scopes);
    let mut objects = Objects::default();
    let modules =
        known_modules(&items, &scopes, module, &mut objects).map_err(|error| vec![error])?;
    objects.visible =
        names::visible(&items, &scopes, |name| modules.get(name).cloned().unwrap_or_default());
    objects.declared = names::declared(&items, &scopes);
    collect::collect(&items, &scopes, &mut objects, &mut wrong);
    collect::check(&objects, &mut wrong);
    let common = common::distributed(&items, &scopes, &objects, &mut wrong);
    renames::rename(&items, &scopes, &mut objects, &modules, &mut wrong);
    let mut needs = vec![Needs::default(); scopes.all.len()];
    if check_coindexed {
        // Cosubscripts of coarrays on nodes become arguments of a function that has the cobounds.
        let is_on_nodes = |name: &str, scope| objects.on_node_at(name, scope).is_some();
        for scope in coindexed_checks::check(&mut items, &scopes, &is_on_nodes) {
            needs[scope].interfaces = true;
        }
    }
    let items = rewrite::rewrite(items, &scopes, &objects, &mut needs, &mut wrong);
    if !wrong.is_empty() {
        return Err(in_order(wrong, &items));
    }
    let mut unit = Unit {
        source,
        items: &items,
        scopes: &scopes,
        objects: &objects,
        modules: &modules,
        common: &common,
        output: Output::new(path, source, form, columns, &items),
        needs,
        wrong,
    };
    unit.translate();
    if !unit.wrong.is_empty() {
        return Err(in_order(unit.wrong, &items));
    }
    Ok(Translated { text: unit.output.text(), modules: unit.sidecars() })
}

/// The errors that do not follow from others, in the order of the source.
fn in_order(wrong: Vec<Diagnostic>, items: &[Item]) -> Vec<Diagnostic> {
    let directives = items.iter().filter_map(Item::directive);
    let mut wrong = without_consequences(wrong, directives);
    wrong.sort_by_key(|wrong| wrong.span.start);
    wrong
}

/// For each module that the file has or uses, the homes of its objects and of those that it uses.
fn known_modules(
    items: &[Item],
    scopes: &Scopes,
    module: &dyn Fn(&str) -> Option<String>,
    objects: &mut Objects,
) -> Result<HashMap<String, Vec<usize>>, Diagnostic> {
    let mut known: HashMap<String, Vec<usize>> = HashMap::new();
    let mut next = scopes.all.len();
    for (number, scope) in scopes.all.iter().enumerate() {
        let mut homes = vec![number];
        for name in names::used(items, scope) {
            if !known.contains_key(&name)
                && let Some(text) = module(&name)
            {
                sidecar::read(&text, next, objects).ok_or_else(|| {
                    let span = items[scope.uses[0]].start();
                    Diagnostic::new(
                        span..span + 3,
                        format!("the file `{name}.xmpmod` is of another version"),
                    )
                    .help("compile the module again")
                })?;
                known.insert(name.clone(), vec![next]);
                next += 1;
            }
            homes.extend(known.get(&name).into_iter().flatten());
        }
        match scope.unit {
            Program::Module => known.insert(scope.name.clone(), homes),
            Program::Submodule => known.insert(names::submodule(&scope.name), homes),
            _ => None,
        };
    }
    Ok(known)
}

impl Unit<'_> {
    /// Translates all scopes and directives; errors go to `wrong`.
    fn translate(&mut self) {
        for (number, item) in self.items.iter().enumerate() {
            let done = match item {
                Item::Directive(directive) => {
                    if self.scopes.all[self.scope_of(number)].is_interface {
                        continue;
                    }
                    self.directive(number, directive)
                }
                Item::Statement(_, Kind::Allocate | Kind::Deallocate | Kind::Executable)
                    if self.scopes.of_item[number].is_some() =>
                {
                    let done = self.allocation(number).and_then(|()| self.association(number));
                    done.and_then(|()| self.check_whole(number))
                }
                Item::Statement(..) => Ok(()),
            };
            self.wrong.extend(done.err());
        }
        self.extend_lists();
        for home in 0..self.scopes.all.len() {
            let done = self.scope(home);
            self.wrong.extend(done.err());
        }
        for home in 0..self.scopes.all.len() {
            self.open(home);
        }
    }

    /// Makes the objects of a scope.
    fn scope(&mut self, home: usize) -> unit::TranslationResult {
        let scope = &self.scopes.all[home];
        if scope.is_interface {
            return Ok(());
        }
        let has_objects = self.objects.are_in(home);
        match scope.unit {
            Program::Program => {
                let mut code = self.starts(home);
                if has_objects {
                    self.needs[home].interfaces = true;
                    self.redeclare(home, |_| Role::Allocated);
                    let variables = self.variables(home, self.saved(home));
                    self.needs[home].variables.extend(variables);
                    code.extend(self.makes(home, true, &|_| true)?);
                }
                self.output.before_first(scope.body, code);
                Ok(())
            }
            Program::Module if has_objects || !self.starts(home).is_empty() => self.module(home),
            Program::Submodule if has_objects => self.module(home),
            Program::Separate if has_objects => self.separate(home),
            Program::Subroutine | Program::Function if has_objects => self.wrap(home),
            Program::Block => self.block(home, has_objects),
            Program::Subroutine | Program::Function | Program::Separate => {
                self.check_pure(home)?;
                let code = self.starts(home);
                self.output.before_first(scope.body, code);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Puts the declarations that a scope needs at the start of its specification part.
    fn open(&mut self, home: usize) {
        let scope = &self.scopes.all[home];
        let needs = std::mem::take(&mut self.needs[home]);
        let executes = !scope.is_interface
            && !matches!(scope.unit, Program::Module | Program::Submodule | Program::Other);
        let functions = if executes {
            extensions::functions(self.source, self.items, self.scopes, home)
        } else {
            Vec::new()
        };
        let mut code: Vec<Code> = Vec::new();
        if needs.interfaces {
            code.push(writer::interfaces());
        }
        code.extend(needs.variables.into_iter().chain(functions).map(Code::from));
        self.output.declare(scope, code);
        let late = self.late_uses(home);
        if late.is_empty() {
            return;
        }
        match scope.head {
            Some(_) => self.output.after_first(scope.first, late),
            None => self.output.before_first(scope.first, late),
        }
        for item in &scope.late_uses {
            self.output.replace(*item, Vec::new());
        }
    }

    /// `use` statements that follow declarations or `implicit` are moved to the start.
    fn late_uses(&self, home: usize) -> Vec<Code> {
        let all = self.scopes.all[home].late_uses.iter();
        all.flat_map(|item| self.output.own(*item)).collect()
    }
}
