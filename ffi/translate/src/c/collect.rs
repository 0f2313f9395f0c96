//! Collects the objects of a C file: its declarative directives, checked against one another.

use super::members::meant;
use super::objects::{File, Home, NodesObject, Objects, TemplateObject};
use super::syntax::block_around;
use crate::diagnostics::Diagnostic;
use crate::directive::{Brackets, Directive, Format, Kind, Reference, Subscript, Text};
use crate::meaning::declare::{check_dims, check_distribution, twice, unknown};
use crate::meaning::{Language, Layout};

impl Objects {
    /// Collects the declarations of the directives of a file.
    pub fn of(file: File<'_>, directives: &[Directive], wrong: &mut Vec<Diagnostic>) -> Self {
        let mut objects = Self::default();
        for (nth, directive) in directives.iter().enumerate() {
            if let Err(error) = objects.declare(file, nth, directive) {
                wrong.push(error);
            }
        }
        for directive in directives {
            if let Kind::StaticDesc(names) | Kind::SaveDesc(names) = &directive.kind {
                for name in names {
                    objects.keep(name);
                }
            }
        }
        wrong.extend(objects.arrays.iter().filter_map(|array| objects.check_kept(array)));
        wrong.extend(objects.never_fixed(directives));
        objects
    }

    /// Templates without bounds that no `template_fix` of the file gives some.
    fn never_fixed(&self, directives: &[Directive]) -> Vec<Diagnostic> {
        let fixed: Vec<usize> = directives
            .iter()
            .filter_map(|directive| match &directive.kind {
                Kind::TemplateFix { template, .. } => self.template_at(&template.name),
                _ => None,
            })
            .collect();
        let is_open = |of: &TemplateObject| {
            of.declared.subscripts.iter().any(|subscript| matches!(subscript, Subscript::All(_)))
        };
        let never = self.templates.iter().enumerate();
        let never = never.filter(|(nth, of)| is_open(of) && !fixed.contains(nth));
        never
            .map(|(_, of)| {
                let name = &of.declared.name;
                let wrong =
                    format!("the template `{}` has no bounds, and never gets some", name.text);
                Diagnostic::new(name.span.clone(), wrong).help(format!(
                    "write `#pragma xmp template_fix {}[..]` where they are known",
                    name.text
                ))
            })
            .collect()
    }

    fn declare(
        &mut self,
        file: File<'_>,
        nth: usize,
        directive: &Directive,
    ) -> Result<(), Diagnostic> {
        let home = home(file, directive.span.start);
        match &directive.kind {
            Kind::Nodes(list) => {
                for declared in list {
                    let Reference { name, subscripts, .. } = &declared.shape;
                    check_dims(subscripts.len(), name, Language::C)?;
                    self.check_new(&declared.shape.name, &home)?;
                    self.nodes.push(NodesObject {
                        declared: declared.clone(),
                        home: home.clone(),
                        directive: nth,
                    });
                }
            }
            Kind::Template(list) => {
                for declared in list {
                    check_dims(declared.subscripts.len(), &declared.name, Language::C)?;
                    self.check_new(&declared.name, &home)?;
                    self.templates.push(TemplateObject {
                        declared: declared.clone(),
                        formats: Vec::new(),
                        layouts: Vec::new(),
                        onto: None,
                        home: home.clone(),
                        directive: nth,
                        distributed: None,
                    });
                }
            }
            Kind::Distribute { templates, formats, brackets, onto } => {
                for template in templates {
                    self.distribute(nth, template, formats, *brackets, onto)?;
                }
            }
            Kind::Align(align) => {
                for array in align.arrays.iter().flat_map(|name| meant(file.members, name)) {
                    self.align(file, nth, &array, align)?;
                }
            }
            Kind::Shadow { arrays, widths } => {
                for array in arrays.iter().flat_map(|name| meant(file.members, name)) {
                    self.shadow(file, nth, &array, widths)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Nodes and templates have one name each, which no array of the scope has.
    pub(super) fn check_new(&self, name: &Text, home: &Home) -> Result<(), Diagnostic> {
        let same = |other: &Text, at: &Home| {
            let together = at.scope.end == home.scope.end || !(at.local || home.local);
            other.text == name.text && together
        };
        let known = self.nodes.iter().any(|of| same(&of.declared.shape.name, &of.home))
            || self.templates.iter().any(|of| same(&of.declared.name, &of.home));
        if known { Err(twice(name, "declared")) } else { Ok(()) }
    }

    fn distribute(
        &mut self,
        nth: usize,
        name: &Text,
        formats: &[Format],
        brackets: Brackets,
        onto: &Text,
    ) -> Result<(), Diagnostic> {
        let unknown = |what: &str, name: &Text| unknown(what, name, Language::C);
        let template = self.template_at(name).ok_or_else(|| unknown("template", name))?;
        let nodes = self.nodes_at(onto).ok_or_else(|| unknown("nodes", onto))?;
        let node_dims = nodes.declared.shape.subscripts.len();
        let template = &mut self.templates[template];
        let known = (template.declared.subscripts.len(), template.distributed.is_some());
        check_distribution(name, known, formats, (onto, node_dims))?;
        template.formats = formats.to_vec();
        if brackets == Brackets::Square {
            template.formats.reverse();
        }
        template.layouts = template.formats.iter().map(Layout::of).collect();
        template.onto = Some(onto.clone());
        template.distributed = Some(nth);
        Ok(())
    }
}

fn home(file: File<'_>, at: usize) -> Home {
    match block_around(file.root, at) {
        Some(block) => Home { scope: at..block.end_byte(), local: true, kept: false },
        None => Home::of_file(file.text),
    }
}
