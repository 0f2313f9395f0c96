//! The files that a process has mapped, and what their debugging information says of an address.

use crate::rust_names;
use addr2line::Loader;
use object::read::ReadCache;
use object::{Object, ObjectSegment};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io};

/// A procedure that an address is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The address.
    pub address: usize,
    /// The file that is mapped there, and the address in it as the file's own tables count.
    pub module: Option<(PathBuf, u64)>,
    /// Name of the procedure, as the linker knows it (`heat_`, `MAIN__`).
    pub procedure: Option<String>,
    /// The source file, as the compiler was given it.
    pub file: Option<String>,
    /// The line of the source file, from 1.
    pub line: Option<u32>,
}

/// The system adds this to the name of a file that is mapped and has been removed, or replaced by another one.
pub(crate) const REMOVED: &str = " (deleted)";

/// What a process has mapped.
#[derive(Debug, Default)]
pub struct Modules {
    mappings: Vec<Mapping>,
    files: Rc<RefCell<Files>>,
    /// A link to the file of the program. It leads there also when another file has its name.
    program: Option<PathBuf>,
}

/// Files whose debugging information has been read; `None` for those that have none.
type Files = HashMap<PathBuf, Option<Rc<File>>>;

/// Part of a file in the memory of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mapping {
    start: usize,
    end: usize,
    offset: u64,
    path: PathBuf,
}

/// A file with debugging information.
struct File {
    loader: Loader,
    /// The loaded parts: offset in the file, bytes, address by the file's own tables.
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    offset: u64,
    len: u64,
    address: u64,
    /// Bytes in memory: more than in the file where zeros follow.
    in_memory: u64,
}

/// A file in memory: how far it is from the addresses in its own tables.
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) bias: usize,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File").field("segments", &self.segments).finish_non_exhaustive()
    }
}

impl Modules {
    /// What this process has mapped now.
    ///
    /// # Errors
    /// When `/proc` cannot be read.
    pub fn of_this_process() -> io::Result<Modules> {
        Modules::of(Path::new("/proc/self"))
    }

    /// What another process has mapped now.
    ///
    /// # Errors
    /// When there is no such process, or its mappings may not be read.
    pub fn of_process(pid: u32) -> io::Result<Modules> {
        Modules::of(Path::new(&format!("/proc/{pid}")))
    }

    fn of(process: &Path) -> io::Result<Modules> {
        let text = fs::read(process.join("maps"))?;
        let program = Some(process.join("exe"));
        Ok(Modules { program, ..Modules::default().with_maps(&String::from_utf8_lossy(&text)) })
    }

    /// What a process had mapped when its `/proc/PID/maps` had this text. Files that these modules have read are not read
    /// again.
    pub fn with_maps(&self, text: &str) -> Modules {
        let mappings = text.lines().filter_map(mapping).collect();
        Modules { mappings, files: Rc::clone(&self.files), program: None }
    }

    /// The same with `/proc/PID/maps` of a process that still runs.
    pub fn with_maps_of(&self, pid: u32, text: &str) -> Modules {
        Modules { program: Some(format!("/proc/{pid}/exe").into()), ..self.with_maps(text) }
    }

    /// Whether nothing is mapped: the process has ended.
    pub fn is_empty(&self) -> bool {
        self.mappings.is_empty()
    }

    /// The files, each once.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let mut paths: Vec<&Path> = self.mappings.iter().map(|mapping| &*mapping.path).collect();
        paths.sort();
        paths.dedup();
        paths.into_iter()
    }

    /// Whether two addresses are in the same file.
    pub fn are_together(&self, one: usize, other: usize) -> bool {
        let path = |address| self.mapping(address).map(|mapping| &mapping.path);
        path(one).is_some() && path(one) == path(other)
    }

    /// Whether this address is in the library, in the compiler's run-time library, or in the C library. No file is read for that.
    pub(crate) fn is_library(&self, address: usize) -> bool {
        self.mapping(address).and_then(|mapping| mapping.path.file_name()).is_some_and(is_library)
    }

    /// The procedures that this address is in: the inlined ones first, the one that contains them last; always one
    /// at least. What is not known is `None`.
    pub fn frames(&self, address: usize) -> Vec<Frame> {
        let module = self.mapping(address).map(|mapping| (mapping, self.file(&mapping.path)));
        let Some((mapping, file)) = module else {
            return vec![Frame { address, module: None, procedure: None, file: None, line: None }];
        };
        let offset = (address - mapping.start) as u64 + mapping.offset;
        let own = file.as_ref().and_then(|file| file.address_of(offset)).unwrap_or(offset);
        let bare = Frame {
            address,
            module: Some((mapping.path.clone(), own)),
            procedure: None,
            file: None,
            line: None,
        };
        let mut frames = file.as_ref().map_or_else(Vec::new, |file| file.frames(own, &bare));
        if frames.is_empty() {
            frames.push(bare);
        }
        if let (Some(last), Some(file)) = (frames.last_mut(), &file)
            && (last.procedure.is_none()
                || rust_names::lacks_crate(last.procedure.as_deref(), last.file.as_deref()))
            && let Some(symbol) = file.loader.find_symbol(own)
        {
            last.procedure = Some(symbol.to_string());
        }
        frames
    }

    /// The name that the linker knows for the code at this address.
    pub fn symbol(&self, address: usize) -> Option<String> {
        let mapping = self.mapping(address)?;
        let file = self.file(&mapping.path)?;
        let offset = (address - mapping.start) as u64 + mapping.offset;
        let own = file.address_of(offset).unwrap_or(offset);
        file.loader.find_symbol(own).map(str::to_string)
    }

    /// The file that has a variable at this address. Variables that start as zeros are after what is mapped of it.
    pub(crate) fn loaded_around(&self, address: usize) -> Option<Loaded> {
        let below = self.mappings.iter().filter(|mapping| mapping.start <= address);
        let path = &below.max_by_key(|mapping| mapping.start)?.path;
        let first = self.mappings.iter().find(|mapping| &mapping.path == path)?;
        let file = self.file(path)?;
        let bias = first.start.wrapping_sub(file.address_of(first.offset)? as usize);
        let own = address.wrapping_sub(bias) as u64;
        let holds = |segment: &Segment| own.wrapping_sub(segment.address) < segment.in_memory;
        file.segments.iter().any(holds).then(|| Loaded { path: self.place(path).to_owned(), bias })
    }

    fn mapping(&self, address: usize) -> Option<&Mapping> {
        self.mappings.iter().find(|mapping| (mapping.start..mapping.end).contains(&address))
    }

    /// Where the file with this name can be read: that of a program that has been removed, too. A library that has been removed
    /// keeps the mark in its name, so that no other file is taken for it.
    fn place<'a>(&'a self, path: &'a Path) -> &'a Path {
        let is_program = |link: &&PathBuf| fs::read_link(link).is_ok_and(|file| file == path);
        let is_removed = path.to_string_lossy().ends_with(REMOVED);
        let link = is_removed.then(|| self.program.as_ref().filter(is_program)).flatten();
        link.map_or(path, PathBuf::as_path)
    }

    fn file(&self, path: &Path) -> Option<Rc<File>> {
        let path = self.place(path);
        let mut files = self.files.borrow_mut();
        files.entry(path.to_path_buf()).or_insert_with(|| File::open(path).map(Rc::new)).clone()
    }
}

impl File {
    fn open(path: &Path) -> Option<File> {
        // It reads the headers alone; the loader maps the file.
        let headers = ReadCache::new(fs::File::open(path).ok()?);
        let parsed = object::File::parse(&headers).ok()?;
        let segments = parsed.segments().map(|segment| {
            let (offset, len) = segment.file_range();
            Segment { offset, len, address: segment.address(), in_memory: segment.size() }
        });
        let segments = segments.collect();
        Some(File { loader: Loader::new(path).ok()?, segments })
    }

    /// The address of a byte of the file by the file's own tables.
    fn address_of(&self, offset: u64) -> Option<u64> {
        let holds = |segment: &&Segment| {
            offset.checked_sub(segment.offset).is_some_and(|within| within < segment.len)
        };
        self.segments.iter().find(holds).map(|at| at.address + (offset - at.offset))
    }

    fn frames(&self, own: u64, bare: &Frame) -> Vec<Frame> {
        let mut frames = Vec::new();
        let Ok(mut found) = self.loader.find_frames(own) else { return frames };
        while let Ok(Some(frame)) = found.next() {
            let name = frame.function.as_ref().and_then(|name| name.raw_name().ok());
            let location = frame.location.as_ref();
            frames.push(Frame {
                procedure: name.map(|name| name.into_owned()),
                file: location.and_then(|at| at.file).map(str::to_string),
                line: location.and_then(|at| at.line).filter(|&line| line > 0),
                ..bare.clone()
            });
        }
        frames
    }
}

/// Whether this is the name of a file of the library, of the compiler's run-time library, or of the C library with its loader: the C
/// library calls the library when the program exits.
pub(crate) fn is_library(file: &OsStr) -> bool {
    const LIBRARIES: [&str; 11] = [
        "libxmprt",
        "libgfortran",
        "libgcc_s",
        "libstdc++",
        "libc++",
        "libc.so",
        "libc-2",
        "libpthread",
        "ld-linux",
        "ld-2",
        "ld-musl",
    ];
    let name = file.to_string_lossy();
    LIBRARIES.iter().any(|library| name.starts_with(library))
}

/// A line of `/proc/PID/maps`, if a file is mapped there.
fn mapping(line: &str) -> Option<Mapping> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let offset = fields.nth(1)?;
    let path = fields.nth(2)?.trim_start();
    path.starts_with('/').then_some(())?;
    Some(Mapping {
        start: usize::from_str_radix(start, 16).ok()?,
        end: usize::from_str_radix(end, 16).ok()?,
        offset: u64::from_str_radix(offset, 16).ok()?,
        path: PathBuf::from(path),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_maps_are_understood() {
        let line =
            "55d0c1a2b000-55d0c1a4f000 r-xp 00002000 fe:01 131 /a path/with spaces (deleted)";
        let expected = Mapping {
            start: 0x55d0_c1a2_b000,
            end: 0x55d0_c1a4_f000,
            offset: 0x2000,
            path: PathBuf::from("/a path/with spaces (deleted)"),
        };
        assert_eq!(mapping(line), Some(expected));
        for other in ["", "7ffc-7ffd rw-p 0 00:00 0 [stack]", "7ffc-7ffd rw-p 0 00:00 0", "x y z"] {
            assert_eq!(mapping(other), None, "{other}");
        }
    }

    #[inline(never)]
    fn here() -> usize {
        crate::callers()[1]
    }

    #[test]
    fn an_address_of_this_program_has_its_procedure_and_line() {
        let modules = Modules::of_this_process().unwrap();
        let frames = modules.frames(here());
        let frame = frames.last().unwrap();
        assert!(frame.procedure.as_ref().unwrap().contains("here"), "{frame:?}");
        assert!(frames.iter().any(|it| it.file.as_ref().unwrap().ends_with("modules.rs")));
        assert!(frame.line.unwrap() > 100, "{frame:?}");
    }

    #[test]
    fn nothing_is_said_of_a_library_by_the_file_that_has_taken_its_place() {
        let program = std::env::current_exe().unwrap().display().to_string();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let replaced = maps.replace(&program, &format!("{program}{REMOVED}"));
        let [frame] = &Modules::default().with_maps(&replaced).frames(here())[..] else {
            panic!("one")
        };
        assert_eq!((&frame.procedure, &frame.file), (&None, &None));
        assert_eq!(Modules::default().with_maps(&replaced).symbol(here()), None);
        assert!(Modules::default().with_maps(&maps).symbol(here()).is_some());
    }

    #[test]
    fn an_address_outside_of_all_files_has_nothing() {
        let on_heap = Box::new(0u8);
        let modules = Modules::of_this_process().unwrap();
        let [frame] = &modules.frames(&raw const *on_heap as usize)[..] else { panic!("one") };
        assert_eq!((&frame.module, &frame.procedure, &frame.file), (&None, &None, &None));
        assert!(!modules.are_together(frame.address, frame.address));
    }

    #[test]
    fn what_a_process_has_mapped_can_be_asked_from_outside() {
        let modules = Modules::of_process(std::process::id()).unwrap();
        assert!(modules.are_together(here(), here as fn() -> usize as usize));
        assert!(Modules::of_process(u32::MAX).is_err());
    }
}
