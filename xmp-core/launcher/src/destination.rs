//! A file that the user has named for a result. It is opened before the job, so that a name that cannot be used is found
//! before hours of computing, and written when the job has ended.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use xmp_core::{Error, Result};

/// A kind of file that this program writes.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The option that names the file.
    pub option: &'static str,
    /// A noun for messages.
    pub noun: &'static str,
    /// The first bytes of such files.
    pub beginning: &'static [u8],
}

/// An open file for a result.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    file: File,
    is_regular: bool,
    /// Whether it did not exist before. Then it is removed if nothing is written into it.
    is_new: bool,
}

impl Destination {
    /// Opens or makes the file. Its content remains until it is written.
    ///
    /// # Errors
    /// When the file cannot be written, or has other content, which the user may still need.
    pub fn open(path: &Path, kind: Kind) -> Result<Destination> {
        let Kind { option, noun, beginning } = kind;
        let failed = |error| Error::os(format!("{option}: cannot write {}", path.display()), error);
        let mut options = OpenOptions::new();
        let (file, is_new) = match options.write(true).create_new(true).open(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                (OpenOptions::new().write(true).open(path).map_err(failed)?, false)
            }
            created => (created.map_err(failed)?, true),
        };
        let is_regular = file.metadata().map_err(failed)?.is_file();
        if is_regular && !is_new && !begins_with(path, beginning).map_err(failed)? {
            return Err(Error::Invalid(format!(
                "{option}: {} exists and is no {noun}: it is left as it is; remove it, or choose another name",
                path.display()
            )));
        }
        Ok(Destination { path: path.to_path_buf(), file, is_regular, is_new })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When that fails; the error names the file.
    pub fn write(
        mut self,
        content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<()> {
        self.is_new = false;
        // Beyond the limit for files (`ulimit -f`) a write fails then, and this process is not killed. SAFETY: no handler is
        // installed, and no image is running that could inherit it.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        let write = || {
            if self.is_regular {
                self.file.set_len(0)?;
            }
            let mut writer = BufWriter::new(&self.file);
            content(&mut writer)?;
            writer.flush()
        };
        write().map_err(|error| Error::os(format!("cannot write {}", self.path.display()), error))
    }

    /// Whether it is a file with content, which is of its kind.
    pub fn has_content(&self) -> bool {
        self.is_regular && self.file.metadata().is_ok_and(|its| its.len() > 0)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory that it is in; `None` if it is a device or a pipe.
    pub fn directory(&self) -> Option<&Path> {
        self.path.parent().filter(|_| self.is_regular)
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if self.is_new {
            // Nothing was written. If it remains, it is empty.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether a file is empty or has these first bytes.
fn begins_with(path: &Path, beginning: &[u8]) -> io::Result<bool> {
    let mut bytes = Vec::new();
    File::open(path)?.take(beginning.len() as u64).read_to_end(&mut bytes)?;
    Ok(bytes.is_empty() || bytes == beginning)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { option: "--list", noun: "list", beginning: b"list:" };

    #[test]
    fn a_file_is_there_only_if_something_was_written() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        drop(Destination::open(&path, KIND).unwrap());
        assert!(!path.exists());
        for content in ["list: long", "list:"] {
            let destination = Destination::open(&path, KIND).unwrap();
            destination.write(|file| file.write_all(content.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        drop(Destination::open(&path, KIND).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "list:");
    }

    #[test]
    fn a_file_with_other_content_is_left_as_it_is() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("thesis.txt");
        fs::write(&path, "precious").unwrap();
        let error = Destination::open(&path, KIND).unwrap_err().to_string();
        assert!(error.contains("thesis.txt exists and is no list"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_found_at_once() {
        for path in ["/nonexistent/file", "/tmp"] {
            let error = Destination::open(Path::new(path), KIND).unwrap_err().to_string();
            assert!(error.contains(&format!("--list: cannot write {path}")), "{error}");
        }
    }
}
