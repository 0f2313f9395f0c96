//! Procedures that declare nodes, templates or distributed arrays: a wrapper has the name of the procedure and makes the
//! objects; then it calls the body, in which the arrays are arguments with the bounds of their parts. So they cost no more than
//! arrays of a sequential program, and each way out of the body leads to the end of the objects.

use super::classify::Kind;
use super::declare::Role;
use super::entries::{Entry, entries};
use super::heads::Unit as Program;
use super::items::Item;
use super::make::TEMPLATE_ROWS;
use super::make::if_present;
use super::objects::ArrayObject;
use super::tokens::{name_at, split, uses};
use super::unit::{TranslationResult, Unit, descriptor, own};
use super::writer::{Code, interfaces};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::Subscript;

/// Names of bodies begin so.
const BODY: &str = "xmptbody_";

/// Statements of a specification part that a wrapper does not need.
const LEFT_OUT: [&str; 5] = ["data", "namelist", "equivalence", "format", "save"];

/// A procedure that becomes a wrapper and a body.
struct SplitProcedure {
    entries: Vec<Entry>,
    /// The dummy arguments.
    arguments: Vec<String>,
    /// The arguments of the body besides. The results of a function and its entries, which share their memory, are the first ones: each way
    /// into the body has all of them.
    more: Vec<String>,
    /// The declarations of these arguments in the body.
    declarations: Vec<String>,
}

impl SplitProcedure {
    /// The arguments of the body for a way into the procedure with these arguments.
    fn arguments_of_body(&self, arguments: &[String]) -> String {
        [arguments, &self.more].concat().join(", ")
    }

    /// The call of the body for a way into the procedure.
    fn call(&self, name: &str, arguments: &[String]) -> String {
        // For the compiler, the name of an entry is a procedure where it is passed: its result is the result of the
        // function.
        let passed = |name: &String| {
            let is_entry = self.entries.iter().any(|of| of.name == *name);
            if is_entry { self.more[0].clone() } else { name.clone() }
        };
        let more: Vec<String> = self.more.iter().map(passed).collect();
        format!("call {BODY}{name}({})", [arguments, &more].concat().join(", "))
    }
}

impl Unit<'_> {
    /// Splits a procedure into a wrapper and a body.
    ///
    /// # Errors
    /// For procedures that cannot be split.
    pub fn wrap(&mut self, home: usize) -> TranslationResult {
        let of = self.split(home)?;
        let wrapper = self.wrapper_with_calls(home, &of)?;
        self.put_around_body(home, &of, wrapper);
        self.begin_body(home, &of);
        self.needs[home].variables.splice(0..0, of.declarations);
        self.redeclare(home, |_| Role::Part);
        Ok(())
    }

    /// The arguments of both parts of a procedure.
    fn split(&self, home: usize) -> Result<SplitProcedure, Diagnostic> {
        let scope = &self.scopes.all[home];
        let statement = self.statement(scope.first);
        let head = scope.head.as_ref().expect("a procedure has a head");
        let entries = entries(self.items, self.scopes, home);
        let arguments = self.splittable(home, &entries)?;
        self.check_entries(home, &arguments, &entries)?;
        let mut typed = None;
        let mut more: Vec<String> = Vec::new();
        if head.unit == Program::Function {
            let result = head.result.clone().unwrap_or(head.name.clone());
            let result = statement.code[result].to_owned();
            typed = type_of(&statement.text[head.prefix.clone()])
                .map(|kind| format!("{kind} :: {result}"));
            more.push(result);
            more.extend(entries.iter().map(|of| of.result.clone()));
            more.dedup();
        }
        let arrays = self.objects.arrays.iter().filter(|of| of.home == home);
        let local = arrays.filter(|of| !of.is_dummy && !of.is_deferred);
        more.extend(local.map(|of| of.name.clone()));
        let mut declarations = Vec::new();
        self.arguments(home, |name, declaration| {
            more.push(name);
            declarations.push(declaration);
        });
        declarations.extend(typed);
        Ok(SplitProcedure { entries, arguments, more, declarations })
    }

    /// The wrapper up to its end: each way into the procedure calls the body.
    fn wrapper_with_calls(
        &self,
        home: usize,
        of: &SplitProcedure,
    ) -> Result<Vec<Code>, Diagnostic> {
        let starts = self.starts(home);
        let mut wrapper = self.wrapper(home)?;
        let call = of.call(&self.scopes.all[home].name, &of.arguments);
        wrapper.extend(self.around_call(home, &of.arguments, call, &starts)?);
        for Entry { name, arguments, result, .. } in &of.entries {
            let result = if result == name { String::new() } else { format!(" result({result})") };
            wrapper.push("return".into());
            wrapper.push(format!("entry {name}({}){result}", arguments.join(", ")).into());
            let call = of.call(name, arguments);
            wrapper.extend(self.around_call(home, arguments, call, &starts)?);
        }
        Ok(wrapper)
    }

    /// Puts the wrapper around the body or after it.
    fn put_around_body(&mut self, home: usize, of: &SplitProcedure, mut wrapper: Vec<Code>) {
        let scope = &self.scopes.all[home];
        let head = scope.head.as_ref().expect("a procedure has a head");
        let prefix = &self.statement(scope.first).code[head.prefix.clone()];
        let is_recursive = prefix.contains("recursive") && !prefix.contains("non_recursive");
        let recursive = if is_recursive { "recursive " } else { "" };
        let list = of.arguments_of_body(&of.arguments);
        let head = Code::from(format!("{recursive}subroutine {BODY}{}({list})", scope.name));
        let kind = if scope.unit == Program::Function { "function" } else { "subroutine" };
        let end = Code::from(format!("end {kind} {}", scope.name));
        if self.is_inside(home) {
            wrapper.extend(["contains".into(), head]);
            self.output.replace(scope.first, wrapper);
            self.output.replace(scope.end, vec!["end subroutine".into(), end]);
        } else {
            wrapper.push(end);
            self.output.replace(scope.first, vec![head]);
            self.output.replace(scope.end, vec!["end subroutine".into()]);
            self.output.after(scope.end, wrapper);
        }
    }

    /// Writes the ways into the body: at each of them, the compiler knows nothing of the memory of arrays.
    fn begin_body(&mut self, home: usize, of: &SplitProcedure) {
        let known = |arguments: &[String]| -> Vec<Code> {
            let own = self.objects.arrays.iter().filter(|of| of.home == home && !of.is_deferred);
            let own = own.filter(|of| !of.is_dummy || arguments.contains(&of.name));
            let known = |of: &ArrayObject| format!("call xmprt_fortran_known({})", of.name);
            own.flat_map(|of| if_present(of, vec![known(of).into()])).collect()
        };
        let of_head = known(&of.arguments);
        let entries = of.entries.iter().map(|entry| {
            let list = of.arguments_of_body(&entry.arguments);
            let mut code = vec![Code::from(format!("entry {BODY}{}({list})", entry.name))];
            code.extend(known(&entry.arguments));
            (entry.item, code)
        });
        let entries: Vec<(usize, Vec<Code>)> = entries.collect();
        self.needs[home].interfaces |= !of_head.is_empty() || !entries.is_empty();
        self.output.before_first(self.scopes.all[home].body, of_head);
        for (item, code) in entries {
            self.output.replace(item, code);
        }
    }

    /// The dummy arguments of a procedure.
    ///
    /// # Errors
    /// For procedures that cannot be split.
    fn splittable(&self, home: usize, entries: &[Entry]) -> Result<Vec<String>, Diagnostic> {
        let scope = &self.scopes.all[home];
        let statement = self.statement(scope.first);
        let head = scope.head.as_ref().expect("a procedure has a head");
        let prefix = &statement.code[head.prefix.clone()];
        let wrong = |title: &str| refuse(statement.whole(), title);
        if ["pure", "elemental"].iter().any(|word| uses(prefix, word).next().is_some()) {
            return wrong("a pure procedure cannot have nodes, templates or distributed arrays");
        }
        let spans =
            head.arguments.iter().flat_map(|span| split(&statement.code, span.clone(), b','));
        let mut arguments: Vec<String> =
            spans.map(|span| statement.code[span].to_owned()).collect();
        arguments.retain(|argument| !argument.is_empty());
        if arguments.iter().any(|argument| argument == "*") {
            return wrong("a procedure with alternate returns cannot have distributed arrays");
        }
        let cannot = self.is_inside(home)
            || entries.iter().any(|of| of.arguments.iter().any(|argument| argument == "*"));
        if let Some(entry) = entries.first().filter(|_| cannot) {
            return Err(Diagnostic::new(
                self.statement(entry.item).whole(),
                "`entry` is not allowed in this procedure with distributed arrays",
            )
            .help("it can where no way into the procedure has alternate returns, and no argument needs an interface"));
        }
        Ok(arguments)
    }

    /// The variables of a scope's objects, as arguments: name and declaration.
    fn arguments(&self, home: usize, mut take: impl FnMut(String, String)) {
        let mut object = |name: &str, part: Option<(usize, usize)>| {
            take(descriptor(name), format!("integer(8) :: {}", descriptor(name)));
            if let Some((rows, columns)) = part {
                take(own(name), format!("integer :: {}({rows}, {columns})", own(name)));
            }
        };
        self.objects
            .nodes
            .iter()
            .filter(|of| of.home == home)
            .for_each(|of| object(&of.name, None));
        self.objects
            .templates
            .iter()
            .filter(|of| of.home == home)
            .for_each(|of| object(&of.name, Some((TEMPLATE_ROWS, of.dims))));
        self.objects
            .arrays
            .iter()
            .filter(|of| of.home == home)
            .for_each(|of| object(&of.name, Some((5, of.dims.len()))));
    }

    /// Checks that nodes and templates need no argument that one of the ways into a procedure does not have.
    fn check_entries(&self, home: usize, head: &[String], entries: &[Entry]) -> TranslationResult {
        let nodes = self.objects.nodes.iter().filter(|of| of.home == home);
        let nodes = nodes.filter_map(|of| Some(&of.declared.as_ref()?.shape));
        let templates = self.objects.templates.iter().filter(|of| of.home == home);
        let shapes = nodes.chain(templates.filter_map(|of| of.declared.as_ref()));
        let dummies = || entries.iter().map(|of| &of.arguments[..]).chain([head]).flatten();
        for shape in shapes {
            let needs = |name: &&String| {
                let mut texts = shape.subscripts.iter().flat_map(Subscript::texts);
                texts.any(|text| uses(&text.text.to_ascii_lowercase(), name).next().is_some())
            };
            for name in dummies().filter(needs) {
                let ways = entries.iter().map(|of| &of.arguments[..]).chain([head]);
                if ways.clone().any(|arguments| !arguments.contains(name)) {
                    let wrong = format!("`{name}` is no argument of each `entry`");
                    return Err(Diagnostic::new(shape.span.clone(), wrong).help(
                        "nodes and templates are made for each of them: pass it everywhere",
                    ));
                }
            }
        }
        Ok(())
    }

    /// The call of the body, between the statements that make and end the objects. Of the dummies those are made that are among the
    /// arguments.
    fn around_call(
        &self,
        home: usize,
        arguments: &[String],
        call: String,
        starts: &[Code],
    ) -> Result<Vec<Code>, Diagnostic> {
        let mut code = starts.to_vec();
        code.extend(self.cleared(home));
        let is_there = |of: &ArrayObject| !of.is_dummy || arguments.contains(&of.name);
        code.extend(self.makes(home, false, &is_there)?);
        code.push(call.into());
        code.extend(self.ends(home));
        Ok(code)
    }

    /// The wrapper: the specification part of the procedure.
    fn wrapper(&self, home: usize) -> Result<Vec<Code>, Diagnostic> {
        let scope = &self.scopes.all[home];
        let statement = self.statement(scope.first);
        let mut code: Vec<Code> = vec![statement.text.as_str().into()];
        code.extend(scope.late_uses.iter().flat_map(|item| self.output.own(*item)));
        let mut own = vec![interfaces()];
        own.extend(self.lasting(home).into_iter().map(Code::from));
        let opening = scope.opening.unwrap_or(scope.first);
        if opening == scope.first {
            code.append(&mut own);
        }
        let mut depth = 0_usize;
        for item in scope.first + 1..scope.body {
            let Item::Statement(statement, kind) = &self.items[item] else { continue };
            match kind {
                Kind::InterfaceStart | Kind::TypeStart => depth += 1,
                Kind::InterfaceEnd | Kind::TypeEnd => depth = depth.saturating_sub(1),
                _ => {}
            }
            let word = name_at(&statement.code);
            // A statement function.
            if *kind == Kind::Executable {
                continue;
            }
            if depth == 0 && (LEFT_OUT.contains(&word) || scope.late_uses.contains(&item)) {
                continue;
            }
            if *kind == Kind::Use {
                code.extend(self.output.own(item));
                if item == opening {
                    code.append(&mut own);
                }
                continue;
            }
            let redeclared = (*kind == Kind::Specification && depth == 0)
                .then(|| {
                    self.redeclared(home, statement, |array| {
                        if array.is_dummy { Role::Start } else { Role::Allocated }
                    })
                })
                .flatten();
            code.extend(redeclared.unwrap_or_else(|| vec![statement.text.as_str().into()]));
            if item == opening {
                code.append(&mut own);
            }
        }
        Ok(code)
    }

    /// Whether the body becomes an internal procedure of the wrapper: one outside of modules with arguments that a caller may
    /// only pass if it knows the procedure.
    fn is_inside(&self, home: usize) -> bool {
        const WORDS: [&str; 9] = [
            "optional",
            "pointer",
            "allocatable",
            "target",
            "value",
            "volatile",
            "asynchronous",
            "class",
            "codimension",
        ];
        let scope = &self.scopes.all[home];
        let needs = |code: &str| {
            WORDS.iter().any(|word| super::tokens::uses(code, word).next().is_some())
                || code.replace(' ', "").contains("(:")
                || code.contains('[')
        };
        scope.parent.is_none()
            && scope.contains.is_none()
            && super::declarations::specification(self.items, scope).any(|(_, of)| needs(&of.code))
    }
}

/// The type in the prefix of a function.
fn type_of(prefix: &str) -> Option<String> {
    let lower = prefix.to_ascii_lowercase();
    let words = ["recursive", "non_recursive", "impure", "module"];
    let mut text = prefix.trim().to_owned();
    for word in words {
        if let Some(at) = super::tokens::uses(&lower, word).next() {
            // The prefix has one type and one of these words at most.
            text = format!("{}{}", &prefix[..at], &prefix[at + word.len()..]).trim().to_owned();
        }
    }
    Some(text).filter(|text| !text.is_empty())
}
