//! The lifetimes of nodes and templates of a block: to its end, or as long as an array on them.

use super::names::{Class, Variable};
use super::names_in_text::words;
use super::objects::{ArrayObject, File, Home, NodesObject, Objects};
use crate::diagnostics::Diagnostic;
use crate::directive::{Format, NodesOf, Subscript, Text};

impl Objects {
    /// Keeps nodes or a template of a block. Descriptors of arrays that are not static are made anew, which is cheap.
    pub fn keep(&mut self, name: &Text) {
        if let Some(template) = self.template_at(name) {
            self.templates[template].home.kept = self.templates[template].home.local;
        } else if let Some(nodes) = self.nodes_at(name).map(|nodes| nodes.directive) {
            let nodes = self.nodes_mut(nodes, &name.text);
            nodes.home.kept = nodes.home.local;
        }
    }

    fn nodes_mut(&mut self, directive: usize, name: &str) -> &mut NodesObject {
        let same = |of: &&mut NodesObject| {
            of.directive == directive && of.declared.shape.name.text == name
        };
        self.nodes.iter_mut().find(same).expect("the directive declares it")
    }

    /// The template and nodes of a static array of a function have to stay, too.
    pub fn check_kept(&self, array: &ArrayObject) -> Option<Diagnostic> {
        let template = &self.templates[array.template];
        let nodes = template.onto.as_ref().and_then(|onto| self.nodes_at(onto));
        let ends = |home: &Home| home.local && !home.kept;
        let what = if ends(&template.home) {
            &template.declared.name.text
        } else {
            &nodes.filter(|nodes| ends(&nodes.home))?.declared.shape.name.text
        };
        let name = &array.name.text;
        let wrong =
            format!("`{name}` is static, but `{what}`, which it lies on, ends with the block");
        let help = format!(
            "write `#pragma xmp static_desc :: {what}`, or declare it outside of functions"
        );
        array.home.kept.then(|| Diagnostic::new(array.name.span.clone(), wrong).help(help))
    }

    /// Lets the template with this number, which a block declares, and its nodes last as long as the program, because
    /// `array`, which is declared outside of functions, is on them.
    ///
    /// # Errors
    /// When a part of the declaration is not known when the program starts.
    pub fn outlast(
        &mut self,
        file: File<'_>,
        number: usize,
        array: &Text,
    ) -> Result<(), Diagnostic> {
        let template = &self.templates[number];
        let name = &template.declared.name.text;
        let onto = template.onto.as_ref().and_then(|onto| self.nodes_at(onto));
        let nodes = onto.filter(|nodes| nodes.home.local);
        let mut obstacle = self.taken(name);
        let of_template = template.declared.subscripts.iter();
        let mut texts: Vec<&Text> = of_template.flat_map(Subscript::texts).collect();
        texts.extend(template.formats.iter().filter_map(|format| match format {
            Format::Block(of, _) | Format::Cyclic(of, _) | Format::Gblock(of, _) => of.as_ref(),
            Format::Star(_) => None,
        }));
        if let Some(nodes) = nodes {
            let of = &nodes.declared;
            texts.extend(of.shape.subscripts.iter().flat_map(Subscript::texts));
            let name = &of.shape.name.text;
            let of_all = of.of == NodesOf::All;
            obstacle = obstacle
                .or_else(|| self.taken(name))
                .or_else(|| (!of_all).then(|| format!("`{name}` is a part of the nodes")));
        }
        let later = || texts.iter().find_map(|text| value_of_later(file, text));
        if let Some(obstacle) = obstacle
            .or_else(|| later().map(|of| format!("`{of}` has no value when the program starts")))
        {
            let wrong = format!(
                "`{}` is declared outside of functions, but its template `{name}` in one",
                array.text
            );
            return Err(Diagnostic::new(array.span.clone(), wrong).help(format!(
                "declare nodes and template outside of functions, too, as {obstacle}"
            )));
        }
        let nodes = nodes.map(|nodes| (nodes.directive, nodes.declared.shape.name.text.clone()));
        self.templates[number].home.local = false;
        if let Some((directive, name)) = nodes {
            self.nodes_mut(directive, &name).home.local = false;
        }
        Ok(())
    }

    /// Whether nodes or a template that last as long as the program have this name.
    fn taken(&self, name: &str) -> Option<String> {
        let nodes = self.nodes.iter().map(|of| (&of.declared.shape.name, &of.home));
        let templates = self.templates.iter().map(|of| (&of.declared.name, &of.home));
        let mut all = nodes.chain(templates);
        all.any(|(of, home)| of.text == name && !home.local)
            .then(|| format!("there is another `{name}`"))
    }
}

/// The first variable of an expression that is no constant of the file.
fn value_of_later(file: File<'_>, of: &Text) -> Option<String> {
    let is_constant = |known: &Variable| {
        let before = &file.text[known.declaration.start..known.declarator.name.start];
        matches!(known.class, Class::Global | Class::FileStatic)
            && !known.declarator.pointer
            && words(before, 0..before.len()).iter().any(|(word, _)| word == "const")
    };
    let later = |word: &str| {
        file.names.meant(word, of.span.start).is_some_and(|(_, known)| !is_constant(known))
    };
    let mut names = words(&of.text, 0..of.text.len()).into_iter().map(|(word, _)| word);
    names.find(|word| later(word))
}
