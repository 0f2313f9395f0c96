//! The directory of a trace's parts.
//!
//! The user chooses its name, and it may be where others may write, too. So this module follows no symbolic link, and
//! replaces and removes only files of recordings, which their first bytes identify.

use crate::format::MAGIC;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// First bytes of each file of a recording, of any version.
const SIGNATURE: usize = 6;

/// A directory of parts.
#[derive(Debug)]
pub struct Directory {
    descriptor: OwnedFd,
    path: PathBuf,
}

/// The name of the file that has the races of the job.
pub const RACES: &str = "races";

/// The name of the file that has an image's part.
pub fn part_name(image: u32) -> String {
    format!("image-{image}")
}

/// The name of the file that lists what the process of an image had mapped.
pub fn maps_name(image: u32) -> String {
    format!("image-{image}.maps")
}

/// The image that a file is of, by its name.
fn image_of(name: &str) -> Option<u32> {
    let number = name.strip_prefix("image-")?;
    number.strip_suffix(".maps").unwrap_or(number).parse().ok()
}

impl Directory {
    /// The path of the parts of a trace.
    pub fn path_of(trace: &Path) -> PathBuf {
        let mut name = trace.as_os_str().to_owned();
        name.push(".parts");
        name.into()
    }

    /// Makes the directory for the parts of a trace, for this user alone. One that exists is used if it is this user's.
    ///
    /// # Errors
    /// When it cannot be made, or belongs to another user; the error names it.
    pub fn create(trace: &Path) -> io::Result<Directory> {
        let path = Directory::path_of(trace);
        match fs::mkdir(&path, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(named(&path, error.into())),
        }
        let directory = Directory::open_path(path)?;
        let owner = fs::fstat(&directory.descriptor).map_err(|it| directory.error(it.into()))?;
        if owner.st_uid != geteuid().as_raw() {
            let text = "it belongs to another user: choose another name for the trace";
            return Err(directory.error(io::Error::new(io::ErrorKind::PermissionDenied, text)));
        }
        Ok(directory)
    }

    /// Opens the directory of the parts of a trace; `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be opened; the error names it.
    pub fn open(trace: &Path) -> io::Result<Option<Directory>> {
        match Directory::open_path(Directory::path_of(trace)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            directory => directory.map(Some),
        }
    }

    fn open_path(path: PathBuf) -> io::Result<Directory> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match fs::open(&path, flags, Mode::empty()) {
            Ok(descriptor) => Ok(Directory { descriptor, path }),
            Err(error) => Err(named(&path, error.into())),
        }
    }

    /// Makes a file, instead of one of an older recording.
    ///
    /// # Errors
    /// When it cannot be made, or another file has the name; the error names it.
    pub fn create_file(&self, name: &str) -> io::Result<File> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let create = || {
            let created = fs::openat(&self.descriptor, name, flags, Mode::RUSR | Mode::WUSR);
            created.map(File::from)
        };
        let created = create().or_else(|error| {
            if error != Errno::EXIST || !self.has_recording(name) {
                return Err(error);
            }
            fs::unlinkat(&self.descriptor, name, AtFlags::empty())?;
            create()
        });
        created.map_err(|error| match error {
            Errno::EXIST => {
                let text = "it is no part of a trace: choose another name for the trace";
                named(&self.path.join(name), io::Error::new(io::ErrorKind::AlreadyExists, text))
            }
            error => named(&self.path.join(name), error.into()),
        })
    }

    /// Opens a file for reading; `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be opened, or is no regular file; the error names it.
    pub fn open_file(&self, name: &str) -> io::Result<Option<File>> {
        // A pipe without a writer would block.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = match fs::openat(&self.descriptor, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            opened => opened.and_then(|file| Ok((fs::fstat(&file)?, file))),
        };
        let (status, file) = opened.map_err(|error| named(&self.path.join(name), error.into()))?;
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
            let text = "it is no regular file";
            let error = io::Error::new(io::ErrorKind::InvalidData, text);
            return Err(named(&self.path.join(name), error));
        }
        Ok(Some(file.into()))
    }

    /// Whether a file is of a recording. One that a process was killed in before it wrote anything is empty.
    pub(crate) fn has_recording(&self, name: &str) -> bool {
        let Ok(Some(mut file)) = self.open_file(name) else { return false };
        let mut first = [0; SIGNATURE];
        match file.read(&mut first) {
            Ok(0) => true,
            Ok(SIGNATURE) => first == MAGIC.to_le_bytes()[..SIGNATURE],
            _ => false,
        }
    }

    /// The names of all files in it.
    fn names(&self) -> io::Result<Vec<OsString>> {
        let names = || {
            let entries = fs::Dir::read_from(&self.descriptor)?;
            let names = entries.map(|entry| Ok(entry?.file_name().to_bytes().to_vec()));
            let names = names.filter(|name| !matches!(name.as_deref(), Ok(b"." | b"..")));
            names.map(|name| name.map(OsString::from_vec)).collect::<Result<_, Errno>>()
        };
        names().map_err(|error| self.error(error.into()))
    }

    /// The images that have a part, in order.
    ///
    /// # Errors
    /// When the directory cannot be read; the error names it.
    pub fn images(&self) -> io::Result<Vec<u32>> {
        let names = self.names()?;
        let names = names.iter().filter_map(|name| name.to_str());
        let mut images: Vec<u32> = names
            .filter_map(|name| Some((image_of(name)?, name)))
            .filter_map(|(image, name)| (part_name(image) == name).then_some(image))
            .collect();
        images.sort_unstable();
        Ok(images)
    }

    /// Removes the files of recordings, and the directory if nothing else is in it. Returns a file that remains, if any.
    ///
    /// # Errors
    /// When something cannot be removed; the error names it.
    pub fn remove(self) -> io::Result<Option<PathBuf>> {
        let mut remaining = None;
        for name in self.names()? {
            let own = name.to_str().filter(|name| image_of(name).is_some() || *name == RACES);
            match own.filter(|name| self.has_recording(name)) {
                Some(name) => fs::unlinkat(&self.descriptor, name, AtFlags::empty())
                    .map_err(|error| named(&self.path.join(name), error.into()))?,
                None => remaining = Some(self.path.join(name)),
            }
        }
        if remaining.is_none() {
            fs::rmdir(&self.path).map_err(|error| self.error(error.into()))?;
        }
        Ok(remaining)
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn error(&self, error: io::Error) -> io::Error {
        named(&self.path, error)
    }
}

/// The error, with the file that it is about.
pub fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {}", path.display(), system_message(&error)))
}

/// The text of an error without the number of the system.
fn system_message(error: &io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => text.trim_end_matches(&format!(" (os error {number})")).to_string(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A trace in a new directory, and the directory of its parts with this file in it.
    fn with_file(name: &str, content: &[u8]) -> (tempfile::TempDir, PathBuf, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let trace = place.path().join("data");
        let parts = Directory::path_of(&trace);
        std::fs::create_dir(&parts).unwrap();
        std::fs::write(parts.join(name), content).unwrap();
        (place, trace, parts)
    }

    fn recorded(directory: &Directory, name: &str) {
        directory.create_file(name).unwrap().write_all(&MAGIC.to_le_bytes()).unwrap();
    }

    #[test]
    fn files_of_a_recording_are_for_their_user_alone() {
        let place = tempfile::tempdir().unwrap();
        let trace = place.path().join("data");
        let directory = Directory::create(&trace).unwrap();
        recorded(&directory, "image-1");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(directory.path()), 0o700);
        assert_eq!(mode(&directory.path().join("image-1")), 0o600);
        assert_eq!(directory.remove().unwrap(), None);
        assert!(std::fs::read_dir(place.path()).unwrap().next().is_none());
    }

    #[test]
    fn no_directory_is_made_unasked() {
        let place = tempfile::tempdir().unwrap();
        let error = Directory::create(&place.path().join("none/data")).unwrap_err();
        assert!(error.to_string().contains("none/data.parts: No such file"), "{error}");
        assert!(!place.path().join("none").exists());
    }

    #[test]
    fn files_of_the_user_are_neither_replaced_nor_removed() {
        for (name, content) in
            [("thesis.txt", "precious"), ("image-1", "a picture"), ("image-x", "x")]
        {
            let (_place, trace, parts) = with_file(name, content.as_bytes());
            let directory = Directory::create(&trace).unwrap();
            assert_eq!(
                directory.create_file(name).unwrap_err().kind(),
                io::ErrorKind::AlreadyExists
            );
            recorded(&directory, "image-2");
            assert_eq!(directory.remove().unwrap(), Some(parts.join(name)));
            assert_eq!(std::fs::read_to_string(parts.join(name)).unwrap(), content);
            assert!(!parts.join("image-2").exists());
        }
    }

    #[test]
    fn links_are_not_followed() {
        let (place, trace, parts) = with_file("image-2", &MAGIC.to_le_bytes());
        let file = place.path().join("precious");
        std::fs::write(&file, MAGIC.to_le_bytes()).unwrap();
        symlink(&file, parts.join("image-1")).unwrap();
        let directory = Directory::create(&trace).unwrap();
        assert_eq!(
            directory.create_file("image-1").unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        assert!(directory.open_file("image-1").is_err());
        assert_eq!(directory.remove().unwrap(), Some(parts.join("image-1")));
        assert!(file.exists());
        // Nor is one instead of the directory.
        std::fs::rename(&parts, place.path().join("elsewhere")).unwrap();
        symlink(place.path().join("elsewhere"), &parts).unwrap();
        assert!(Directory::create(&trace).is_err());
    }

    #[test]
    fn an_older_recording_is_replaced() {
        let (_place, trace, parts) = with_file("image-1", b"xmptrc01 and more");
        std::fs::set_permissions(parts.join("image-1"), Permissions::from_mode(0o644)).unwrap();
        let directory = Directory::create(&trace).unwrap();
        recorded(&directory, "image-1");
        assert_eq!(std::fs::metadata(parts.join("image-1")).unwrap().len(), 8);
        assert_eq!(directory.images().unwrap(), [1]);
    }
}
