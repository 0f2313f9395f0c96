//! Modules and submodules: a subroutine that runs once makes their objects; their data for other files is in a file
//! beside the compiler's.

use super::declarations::Variable;
use super::declare::Role;
use super::heads::Unit as Program;
use super::items::Item;
use super::names::{self, used};
use super::objects::{ArrayObject, class};
use super::renames::{renamed_in, renamed_variables};
use super::scopes::Scope;
use super::sidecar::written;
use super::tokens::{after, used_module, uses};
use super::unit::{TranslationResult, Unit, descriptor, own};
use super::writer::{Code, interfaces};
use crate::diagnostics::Diagnostic;
use crate::directive::Kind;

/// The subroutine that makes the objects of a module.
fn start_of(module: &str) -> String {
    format!("xmptstart_{}", module.trim_start_matches(':'))
}

/// An entry of `use` by which a variable of the translator has a name that no scope needs.
fn without_use(variable: &str) -> String {
    format!("{} => {variable}", variable.replacen("xmpt", "xmpthidden", 1))
}

impl Unit<'_> {
    /// Calls that make the objects of the modules that a scope uses, of the submodules around it, and of the module around a
    /// procedure that C may call.
    pub fn starts(&self, home: usize) -> Vec<Code> {
        let scope = &self.scopes.all[home];
        // A main program without a statement of its own may begin with a directive.
        let first = self.items[scope.first].statement().map_or("", |first| first.code.as_str());
        let around = scope.parent.map(|parent| &self.scopes.all[parent]);
        let called_by_c = around.filter(|around| {
            around.unit == Program::Module && first.replace(' ', "").contains("bind(c")
        });
        let mut modules: Vec<String> =
            called_by_c.iter().map(|around| around.name.clone()).collect();
        let mut inside =
            around.filter(|around| around.unit == Program::Submodule && !self.is_pure(home));
        while let Some(submodule) = inside {
            modules.push(names::submodule(&submodule.name));
            let parent = used(self.items, submodule).find(|name| name.starts_with(':'));
            inside = parent.and_then(|parent| self.submodule(&parent)).map(|(_, scope)| scope);
        }
        modules.extend(used(self.items, scope));
        let has_objects = |module: &String| {
            if module.starts_with(':') {
                self.submodule(module).is_some_and(|(home, _)| self.objects.are_in(home))
            } else {
                self.has_objects(module)
            }
        };
        modules.retain(has_objects);
        modules.iter().map(|module| format!("call {}()", start_of(module)).into()).collect()
    }

    /// Whether a procedure is pure: it cannot make anything.
    pub fn is_pure(&self, home: usize) -> bool {
        let Some(first) = self.items[self.scopes.all[home].first].statement() else { return false };
        ["pure", "elemental"].iter().any(|word| uses(&first.code, word).next().is_some())
    }

    /// Refuses objects of a submodule in a pure procedure of it: they may not have been made yet.
    pub fn check_pure(&self, home: usize) -> TranslationResult {
        let scope = &self.scopes.all[home];
        if scope.head.is_none() || !self.is_pure(home) {
            return Ok(());
        }
        let is_of_submodule =
            |home: usize| self.scopes.all.get(home).is_some_and(|of| of.unit == Program::Submodule);
        let wrong = |name: &str, place| {
            let title = format!("a pure procedure cannot use `{name}`, an object of its submodule");
            Err(Diagnostic::new(place, title).help(
                "the first call would come before the object is made: declare it in the module",
            ))
        };
        let arrays: Vec<&ArrayObject> =
            self.objects.arrays.iter().filter(|of| is_of_submodule(of.home)).collect();
        for item in scope.first..scope.end {
            let inner = self.scope_of(item);
            if let Item::Directive(directive) = &self.items[item]
                && let Kind::Loop(of) = &directive.kind
                && let name = &of.on.name
                && let Some((_, template)) = self.objects.template_at(&name.text, inner)
                && is_of_submodule(template.home)
            {
                return wrong(&name.text, name.span.clone());
            }
            let Some(statement) = self.items[item].statement() else { continue };
            for array in &arrays {
                let is_it = |at: &usize| !statement.code[..*at].trim_end().ends_with('%');
                let seen = self.objects.array_at(&array.name, inner);
                if seen.is_some_and(|(_, seen)| seen.home == array.home)
                    && let Some(at) = uses(&statement.code, &array.name).find(is_it)
                {
                    return wrong(&array.name, statement.span(at..at + array.name.len()));
                }
            }
        }
        Ok(())
    }

    /// The submodule of this file that a name with a colon means.
    fn submodule(&self, name: &str) -> Option<(usize, &Scope)> {
        let mut all = self.scopes.all.iter().enumerate();
        all.find(|(_, of)| of.unit == Program::Submodule && names::submodule(&of.name) == name)
    }

    /// Refuses objects of a procedure whose arguments another scope declares.
    pub fn separate(&self, home: usize) -> TranslationResult {
        let statement = self.statement(self.scopes.all[home].first);
        let title = "a `module procedure` cannot have nodes, templates or distributed arrays";
        Err(Diagnostic::new(statement.whole(), title)
            .help("write `module subroutine` or `module function` with the arguments"))
    }

    /// Whether a module, or one that it uses, has objects.
    fn has_objects(&self, module: &str) -> bool {
        self.modules
            .get(module)
            .is_some_and(|homes| homes.iter().any(|home| self.objects.are_in(*home)))
    }

    /// Translates the declarations of a module, and adds the subroutine that makes its objects.
    ///
    /// # Errors
    /// For references that do not fit.
    pub fn module(&mut self, home: usize) -> TranslationResult {
        let scope = &self.scopes.all[home];
        let variables = self.variables(home, self.saved(home));
        let start = start_of(&scope.name);
        let mut public = Vec::new();
        if scope.unit == Program::Module {
            // Also the names of the modules that it uses: it may keep all names private.
            public = self.variables_of(&scope.name);
            public.push(start.clone());
        }
        let mut code: Vec<Code> = vec![
            format!("subroutine {start}()").into(),
            interfaces(),
            "logical, save :: is_made = .false.".into(),
            "if (is_made) return".into(),
            "is_made = .true.".into(),
        ];
        code.extend(self.starts(home));
        code.extend(self.makes(home, true, &|_| true)?);
        code.push("end subroutine".into());
        match scope.contains {
            Some(contains) => self.output.after(contains, code),
            None => {
                code.insert(0, "contains".into());
                self.output.before(scope.end, code);
            }
        }
        self.redeclare(home, |_| Role::Allocated);
        self.needs[home].variables.extend(variables);
        if !public.is_empty() {
            self.needs[home].variables.push(format!("public :: {}", public.join(", ")));
        }
        Ok(())
    }

    /// The names of the variables for the objects of a module and of those that it uses.
    fn variables_of(&self, module: &str) -> Vec<String> {
        let homes = self.modules[module].iter();
        let mut names: Vec<String> = homes.flat_map(|home| self.variables_in(*home)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The names of the variables for the objects that a scope declares.
    fn variables_in(&self, home: usize) -> Vec<String> {
        let of = self.objects;
        let nodes = of.nodes.iter().filter(|of| of.home == home);
        let mut names: Vec<String> = nodes.map(|of| descriptor(&of.name)).collect();
        let templates = of.templates.iter().filter(|of| of.home == home).map(|of| &of.name);
        let arrays = of.arrays.iter().filter(|of| of.home == home).map(|of| &of.name);
        names.extend(templates.chain(arrays).flat_map(|name| [descriptor(name), own(name)]));
        names
    }

    /// Adds the names for the objects of modules to the lists of `use .., only:`. Where a scope has an object of its
    /// own of that name, it does not see the module's.
    pub fn extend_lists(&mut self) {
        for (home, scope) in self.scopes.all.iter().enumerate() {
            let mut declared = self.variables_in(home);
            declared.extend(self.variables_in(renamed_in(home)));
            let arrays = self.objects.arrays.iter();
            let renamed: Vec<_> = arrays.filter(|of| of.home == renamed_in(home)).collect();
            for item in &scope.uses {
                let statement = self.statement(*item);
                let Some((module, rest)) = used_module(&statement.code) else { continue };
                if !self.has_objects(module) {
                    continue;
                }
                let lists = after(rest.trim_start().trim_start_matches(','), &["only"]);
                let variables = self.variables_of(module).into_iter();
                let (hidden, seen): (Vec<String>, Vec<String>) =
                    variables.partition(|name| declared.contains(name));
                let mut names = renamed_variables(&statement.code, &renamed);
                if lists.is_some() {
                    names.push(start_of(module));
                    names.extend(seen);
                } else {
                    names.extend(hidden.iter().map(|name| without_use(name)));
                }
                if names.is_empty() {
                    continue;
                }
                let comma = if statement.code.trim_end().ends_with(':') { " " } else { ", " };
                self.output.replace(
                    *item,
                    vec![format!("{}{comma}{}", statement.text, names.join(", ")).into()],
                );
            }
        }
    }

    /// The modules of this file, with their data for other files.
    pub fn sidecars(&self) -> Vec<(String, String)> {
        let modules =
            self.scopes.all.iter().enumerate().filter(|(_, scope)| scope.unit == Program::Module);
        let modules = modules.filter(|(_, scope)| self.has_objects(&scope.name));
        let text = |scope: &Scope| {
            let homes = &self.modules[&scope.name];
            let class = |array: &ArrayObject, variable: &Variable| {
                class(self.items, self.scopes, array.home, &array.name, &variable.type_code)
            };
            (scope.name.clone(), written(self.objects, homes, class))
        };
        modules.map(|(_, scope)| text(scope)).collect()
    }
}
