//! What a run leaves in its directory: documents, pictures, data, and the page that shows them all.

use crate::error::Error;
use crate::machine::Origin;
use crate::plots::{Bars, Chart};
use pulldown_cmark::{Event, Options, Parser, html};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// A text of the results.
struct Document {
    file: String,
    title: String,
    /// What comes first on the page, in Markdown.
    verdict: String,
    /// The rest, in Markdown, with headings of the second level and below.
    body: String,
}

/// A picture of the results.
struct Picture {
    file: String,
    caption: String,
}

/// The results of a run.
pub struct Output {
    directory: PathBuf,
    origin: Origin,
    documents: Vec<Document>,
    pictures: Vec<Picture>,
    data: Vec<String>,
}

impl Output {
    /// Makes the directory, and notes machine, date and version.
    pub fn new(directory: PathBuf) -> Result<Self, Error> {
        fs::create_dir_all(&directory).map_err(Error::write(&directory))?;
        let (documents, pictures, data) = Default::default();
        Ok(Self { directory, origin: Origin::here(), documents, pictures, data })
    }

    /// Where everything goes.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Machine, date and version.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Writes a document: title, verdict, body.
    pub fn document(
        &mut self,
        file: &str,
        title: &str,
        verdict: &str,
        body: &str,
    ) -> Result<(), Error> {
        self.write(file, &format!("# {title}\n\n{}\n\n{}\n", verdict.trim(), body.trim()))?;
        let [file, title, verdict, body] = [file, title, verdict, body].map(str::to_owned);
        self.documents.push(Document { file, title, verdict, body });
        Ok(())
    }

    /// Writes a file of values.
    pub fn data(&mut self, file: &str, text: &str) -> Result<(), Error> {
        self.write(file, text)?;
        self.data.push(file.to_owned());
        Ok(())
    }

    /// Draws a chart of measured values, if it has curves to show.
    pub fn chart(&mut self, file: &str, chart: Chart) -> Result<(), Error> {
        let footer = self.origin.below_picture();
        self.draw(file, chart, &footer)
    }

    /// Draws a chart of simulated values, which look the same on every machine and day.
    pub fn simulated_chart(&mut self, file: &str, chart: Chart) -> Result<(), Error> {
        let footer = self.origin.below_simulation();
        self.draw(file, chart, &footer)
    }

    fn draw(&mut self, file: &str, chart: Chart, footer: &str) -> Result<(), Error> {
        let caption = chart.caption.clone();
        if chart.draw(&self.directory.join(file), footer)? {
            self.pictures.push(Picture { file: file.to_owned(), caption });
        }
        Ok(())
    }

    /// Draws bars of measured values; they are the first picture of the page.
    pub fn bars(&mut self, file: &str, bars: &Bars) -> Result<(), Error> {
        bars.draw(&self.directory.join(file), &self.origin.below_picture())?;
        let caption = bars.caption.clone();
        self.pictures.insert(0, Picture { file: file.to_owned(), caption });
        Ok(())
    }

    fn write(&self, file: &str, text: &str) -> Result<(), Error> {
        let path = self.directory.join(file);
        fs::write(&path, text).map_err(Error::write(&path))
    }

    /// Writes `index.html`, and returns its path.
    pub fn finish(self) -> Result<PathBuf, Error> {
        self.write("index.html", &page("XMP-RT: measurement", &self.markdown()))?;
        Ok(self.directory.join("index.html"))
    }

    /// The page in Markdown.
    fn markdown(&self) -> String {
        let mut text = String::from("# XMP-RT: measurement\n");
        for Document { title, verdict, .. } in &self.documents {
            let _ = write!(text, "\n**{title}.** {}\n", verdict.trim());
        }
        text.push_str("\nOn this page: ");
        for (number, Document { title, .. }) in self.documents.iter().enumerate() {
            let _ = write!(text, "[{}](#document-{number}), ", escaped(title));
        }
        text.push_str("[pictures](#pictures), [files](#files).\n");
        for (number, Document { title, body, .. }) in self.documents.iter().enumerate() {
            let _ = write!(text, "\n# {title} {{#document-{number}}}\n\n{}\n", body.trim());
        }
        let _ = write!(text, "\n# Pictures {{#pictures}}\n");
        if self.pictures.is_empty() {
            text.push_str("\nNo row has two sizes with figures, so there is no curve to draw.\n");
        }
        for Picture { file, caption } in &self.pictures {
            let caption = escaped(caption);
            let _ = write!(text, "\n## {caption}\n\n![{caption}]({file})\n");
        }
        let _ = write!(text, "\n# Files {{#files}}\n\n");
        let documents = self.documents.iter().map(|document| &document.file);
        for file in documents.chain(&self.data) {
            let _ = writeln!(text, "* [{file}]({file})");
        }
        let _ = write!(text, "\n---\n\n{}\n", self.origin);
        text
    }
}

/// A text that Markdown takes as it is within brackets.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| "[]<>*_`\\".contains(c).then_some('\\').into_iter().chain([c]))
        .collect()
}

const STYLE: &str = "body{font:16px/1.45 sans-serif;max-width:1240px;margin:2em auto;padding:0 1em;color:#111}\
h1{margin-top:2em}table{display:block;overflow-x:auto;border-collapse:collapse;white-space:nowrap;font-size:14px}\
td,th{border:1px solid #ccc;padding:2px 8px;text-align:left}img{max-width:100%}\
hr{margin-top:3em}hr~p{color:#555;font-size:14px}";

/// A page that needs nothing beside it but the pictures and files that it links. HTML in the text, which messages of
/// compilers may hold, is shown as text.
fn page(title: &str, markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES;
    let events = Parser::new_ext(markdown, options).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        other => other,
    });
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n"
    );
    html::push_html(&mut text, events);
    text.push_str("</body>\n</html>\n");
    text
}

#[cfg(test)]
mod tests;
