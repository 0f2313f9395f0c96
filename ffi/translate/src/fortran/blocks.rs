//! `block` constructs that declare nodes, templates or distributed arrays: the objects are made where the construct starts, and
//! ended where it ends.

use super::classify::{Kind, without_name};
use super::declare::Role;
use super::tokens::{after, name_at, uses};
use super::unit::{TranslationResult, Unit, descriptor};
use super::writer::Code;
use crate::diagnostics::Diagnostic;

impl Unit<'_> {
    /// Makes and ends the objects of a `block` construct.
    ///
    /// # Errors
    /// For statements that leave the construct otherwise than by its end.
    pub fn block(&mut self, home: usize, has_objects: bool) -> TranslationResult {
        let scope = &self.scopes.all[home];
        let mut code = self.starts(home);
        if has_objects {
            self.check_exits(home)?;
            self.needs[home].interfaces = true;
            self.redeclare(home, |_| Role::Allocated);
            let variables = self.lasting(home);
            self.needs[home].variables.extend(variables);
            code.extend(self.cleared(home));
            code.extend(self.makes(home, false, &|_| true)?);
            let ends = self.ends(home);
            self.output.before(scope.end, ends);
        }
        self.output.before_first(scope.body, code);
        Ok(())
    }

    /// Statements by which the objects of a scope are none yet.
    pub fn cleared(&self, home: usize) -> Vec<Code> {
        let of = self.objects;
        let nodes = of.nodes.iter().filter(|of| of.home == home).map(|of| &of.name);
        let templates = of.templates.iter().filter(|of| of.home == home).map(|of| &of.name);
        let arrays = of.arrays.iter().filter(|of| of.home == home).map(|of| &of.name);
        let kept = self.kept(home);
        let all = nodes.chain(templates).chain(arrays);
        all.filter(|name| !kept.contains(&name.as_str()))
            .map(|name| format!("{} = 0", descriptor(name)).into())
            .collect()
    }

    /// Refuses statements that leave a `block` construct before its end.
    fn check_exits(&self, home: usize) -> TranslationResult {
        let scope = &self.scopes.all[home];
        let inside = scope.first + 1..scope.end;
        let is_inner = |name: &str| {
            inside.clone().any(|item| {
                self.items[item].statement().is_some_and(|of| {
                    name_at(&of.code) == name && without_name(&of.code).len() < of.code.len()
                })
            })
        };
        let is_in_loop = |item: usize| {
            inside.clone().any(|start| {
                start < item
                    && self.scopes.ends.get(&start).is_some_and(|end| item < *end)
                    && matches!(self.items[start].kind(), Some(Kind::Do(_)))
            })
        };
        for item in inside.clone() {
            let Some(statement) = self.items[item].statement() else { continue };
            let code = statement.code.as_str();
            let leaves = self.items[item].kind() == Some(&Kind::Return)
                || uses(code, "goto").next().is_some()
                || after(code, &["go", "to"]).is_some()
                || ["exit", "cycle"].iter().any(|word| {
                    let is_first = |at: usize| at == 0 || code[..at].trim_end().ends_with(')');
                    uses(code, word).any(|at| {
                        let rest = code[at + word.len()..].trim();
                        let inner = if rest.is_empty() {
                            is_in_loop(item)
                        } else {
                            name_at(rest) != rest || is_inner(rest)
                        };
                        is_first(at) && !inner
                    })
                });
            if leaves {
                return Err(Diagnostic::new(
                    statement.whole(),
                    "this statement leaves a `block` construct that has distributed objects",
                )
                .help("set a variable, end the construct, and leave after it"));
            }
        }
        Ok(())
    }
}
