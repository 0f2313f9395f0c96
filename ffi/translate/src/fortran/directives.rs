//! Executable directives: which statements stand for each.

use super::on::NOTHING;
use super::reduction::with_id;
use super::unit::{Done, Unit, descriptor, integer};
use super::writer::Code;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{self, Brackets, Directive, Reference, Reflect, Subscript, Text, Width};

impl Unit<'_> {
    /// Translates a directive.
    ///
    /// # Errors
    /// For what is wrong or not supported.
    pub fn directive(&mut self, item: usize, directive: &Directive) -> Done {
        use directive::Kind;
        let scope = self.scope_of(item);
        self.check_brackets(directive)?;
        match &directive.kind {
            Kind::Loop(of) => self.translate_loop(item, directive, of),
            Kind::Task { on, nocomm } => {
                let on = self.on(on, scope)?;
                let enter = if *nocomm { "xmptf_is_on" } else { "xmptf_task" };
                self.instead(item, vec![format!("if ({enter}({on}) /= 0) then").into()]);
                if !*nocomm {
                    self.leave_by_return(item)?;
                }
                Ok(())
            }
            Kind::EndTask => {
                let leave = self.task_of(item).then(|| Code::from("call xmptf_end_task()"));
                self.instead(item, leave.into_iter().chain(["end if".into()]).collect());
                Ok(())
            }
            // Tasks are executed one after the other, each by its own nodes.
            Kind::Tasks if !self.scopes.ends.contains_key(&item) => {
                refuse(&directive.span, "this `tasks` has no `end tasks`")
            }
            Kind::Tasks | Kind::EndTasks => Ok(()),
            Kind::Barrier { on } => {
                let on = self.on_or_nothing(on.as_ref(), scope)?;
                self.instead(item, vec![format!("call xmptf_barrier({on})").into()]);
                Ok(())
            }
            Kind::Reduction { reduction, on, id } => {
                self.reduce(item, reduction, on.as_ref(), id.as_ref())
            }
            Kind::Bcast { variables, from, on, id } => {
                let mut code = Vec::new();
                for variable in variables {
                    let from = self.on_or_nothing(from.as_ref(), scope)?;
                    let on = self.on_or_nothing(on.as_ref(), scope)?;
                    code.push(
                        format!("call xmptf_bcast({}, {from}, {on})", self.text(variable)).into(),
                    );
                }
                self.instead(item, with_id(id.as_ref(), code));
                Ok(())
            }
            Kind::Reflect(of) => self.reflect(item, of, false),
            Kind::ReduceShadow(of) => self.reflect(item, of, true),
            Kind::WaitAsync { ids, on } => {
                let mut code = Vec::new();
                for id in ids {
                    let on = self.on_or_nothing(on.as_ref(), scope)?;
                    code.push(format!("call xmptf_wait_async({}, {on})", integer(&id.text)).into());
                }
                self.instead(item, code);
                Ok(())
            }
            Kind::TemplateFix { formats, template } => self.template_fix(item, formats, template),
            Kind::Gmove { mode, id } => self.gmove(item, directive, *mode, id.as_ref()),
            Kind::Post { node, tag } => {
                let node = self.node(node, scope)?;
                self.instead(
                    item,
                    vec![format!("call xmptf_post({node}, {})", integer(&tag.text)).into()],
                );
                Ok(())
            }
            Kind::Wait { node, tag } => {
                let node = match node {
                    Some(node) => self.node(node, scope)?,
                    None => format!("{NOTHING}, [0]"),
                };
                let tag = tag.as_ref().map_or("-1".to_owned(), |tag| integer(&tag.text));
                self.instead(item, vec![format!("call xmptf_wait({node}, {tag})").into()]);
                Ok(())
            }
            Kind::Array { on } => self.array_assignment(item, directive, on),
            Kind::MasterIo { .. } | Kind::GlobalIo { .. } | Kind::EndIo { .. } => {
                self.parallel_io(item, directive)
            }
            Kind::FileSyncAll { unit } => {
                let sync = format!("call xmptf_sync({})", integer(&unit.text));
                self.instead(item, vec![sync.into()]);
                Ok(())
            }
            Kind::Image { nodes } => self.image(item, directive, nodes),
            Kind::Lock { .. } => Err(not_supported(&directive.keyword)
                .help("in Fortran the statements `lock` and `unlock` do this")),
            Kind::Nodes(_)
            | Kind::Template(_)
            | Kind::Distribute { .. }
            | Kind::Align(_)
            | Kind::Shadow { .. }
            | Kind::Coarray { .. }
            | Kind::LocalAlias { .. }
            | Kind::StaticDesc(_)
            | Kind::SaveDesc(_) => Ok(()),
        }
    }

    /// Square brackets are those of C.
    fn check_brackets(&self, directive: &Directive) -> Done {
        use directive::Kind;
        let references: Vec<&Reference> = match &directive.kind {
            Kind::Loop(of) => vec![&of.on],
            Kind::Task { on, .. } => vec![on],
            Kind::Template(all) => all.iter().collect(),
            Kind::Nodes(all) => all.iter().map(|nodes| &nodes.shape).collect(),
            Kind::Align(align) => vec![&align.with],
            Kind::Barrier { on } | Kind::Reduction { on, .. } => on.iter().collect(),
            Kind::Bcast { from, on, .. } => from.iter().chain(on).collect(),
            _ => Vec::new(),
        };
        match references.into_iter().find(|reference| reference.brackets == Some(Brackets::Square))
        {
            Some(reference) => Err(Diagnostic::new(
                reference.span.clone(),
                "square brackets are for directives in C",
            )
            .help("write parentheses, with indices from 1")),
            None => Ok(()),
        }
    }

    /// Whether an `end task` belongs to a task with communication.
    fn task_of(&self, end: usize) -> bool {
        let starts =
            self.scopes.ends.iter().filter(|(_, last)| **last == end).map(|(start, _)| *start);
        starts.into_iter().any(|start| {
            let super::items::Item::Directive(directive) = &self.items[start] else {
                return false;
            };
            matches!(directive.kind, directive::Kind::Task { nocomm: false, .. })
        })
    }

    fn reflect(&mut self, item: usize, of: &Reflect, adds: bool) -> Done {
        let scope = self.scope_of(item);
        let adds = u8::from(adds);
        let mut code: Vec<Code> = Vec::new();
        for name in &of.arrays {
            let (_, array) = self.objects.array(name, scope)?;
            let descriptor = descriptor(&name.text);
            if array.shadow.is_empty() && array.variable.is_some() && !of.widths.is_empty() {
                return Err(Diagnostic::new(
                    name.span.clone(),
                    format!("`{}` has no shadow", name.text),
                )
                .help("write a `shadow` directive behind `align`"));
            }
            of.check_widths(name, array.dims.len())?;
            let mut widths = Vec::new();
            for (dim, width) in of.widths.iter().enumerate() {
                let (lower, upper, cycles) = match width {
                    Width::Full(span) => {
                        return refuse(span.clone(), "`*` is no width of `reflect`");
                    }
                    Width::Widths { lower, upper, flag } => {
                        (integer(&lower.text), integer(&upper.text), u8::from(*flag))
                    }
                };
                widths.push(format!(
                    "call xmptf_widths({descriptor}, {adds}, {}, {lower}, {upper}, {cycles})",
                    dim + 1
                ));
            }
            code.extend(widths.into_iter().map(Code::from));
            // What is added comes from neighbours along one dimension anyway.
            code.push(match of.orthogonal {
                Some(_) if adds == 0 => {
                    format!("call xmptf_reflect_orthogonal({descriptor})").into()
                }
                _ => format!("call xmptf_reflect({descriptor}, {adds})").into(),
            });
        }
        self.instead(item, with_id(of.id.as_ref(), code));
        Ok(())
    }

    fn template_fix(
        &mut self,
        item: usize,
        formats: &[directive::Format],
        reference: &Reference,
    ) -> Done {
        let scope = self.scope_of(item);
        let (_, template) = self
            .objects
            .template_at(&reference.name.text, scope)
            .ok_or_else(|| super::objects::unknown("template", &reference.name))?;
        if template.is_fixed() {
            let wrong = format!("the template `{}` is fixed where it is declared", template.name);
            return refuse(&reference.name.span, wrong);
        }
        let declared = template.declared.clone();
        let bounds = if reference.brackets.is_some() { Some(reference) } else { declared.as_ref() };
        let bounds = bounds.ok_or_else(|| {
            Diagnostic::new(reference.span.clone(), "the bounds of the template are missing")
        })?;
        let code = self.fix(template, bounds, formats)?;
        self.instead(item, code);
        Ok(())
    }

    /// Nodes and the subscripts of one of them.
    fn node(&self, node: &Reference, scope: usize) -> Result<String, Diagnostic> {
        self.target(node, scope)?;
        let nodes = self.objects.nodes_at(&node.name.text, scope);
        if nodes.is_none() {
            return refuse(
                &node.span,
                format!("`{}` is a template; a node is needed", node.name.text),
            );
        }
        let index = |subscript: &Subscript| match subscript {
            Subscript::At(Text { text, .. }) => Ok(integer(text)),
            other => refuse(other.span().clone(), "one node is needed here"),
        };
        let indices = node.subscripts.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        if indices.is_empty() {
            return refuse(&node.span, "the subscripts of the node are missing");
        }
        Ok(format!("{}, [{}]", descriptor(&node.name.text), indices.join(", ")))
    }
}

fn not_supported(keyword: &Text) -> Diagnostic {
    Diagnostic::new(keyword.span.clone(), format!("`{}` is not supported in Fortran", keyword.text))
}
