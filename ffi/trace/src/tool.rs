//! The tool of the user: a shared library that `XMP_TOOL` names, whose hooks are called before and after each
//! operation. `ffi/include/xmprt_tool.h` describes them.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use xmp_core::launch::report;
use xmp_trace::format::Record;
use xmp_trace::operation::Operation;

/// `XMPRT_TOOL_VERSION`.
const VERSION: u32 = 1;

/// `xmprt_tool_operation`.
#[repr(C)]
struct ToolOperation {
    operation: *const c_char,
    function: *const c_char,
    address: *const c_void,
    bytes: u64,
    begin: u64,
    end: u64,
    partner: i32,
    thread: u32,
}

/// `xmprt_tool_hooks`. Functions that the tool does not set are not called.
#[repr(C)]
#[derive(Default)]
struct Hooks {
    begin: Option<extern "C" fn(&ToolOperation)>,
    end: Option<extern "C" fn(&ToolOperation)>,
    finish: Option<extern "C" fn()>,
}

/// `xmprt_tool_attach`.
type Attach = extern "C" fn(u32, &mut Hooks) -> c_int;

/// The hooks of the tool; null without one.
static HOOKS: AtomicPtr<Hooks> = AtomicPtr::new(ptr::null_mut());

#[inline]
fn hooks() -> Option<&'static Hooks> {
    // SAFETY: null, or the address of hooks that were leaked after they had been made.
    unsafe { HOOKS.load(Ordering::Acquire).as_ref() }
}

/// Attaches the tool that the user wants, once; before the first operation is recorded.
pub fn attach(tool: &Path) {
    match load(tool) {
        Ok(hooks) => {
            HOOKS.store(Box::into_raw(Box::new(hooks)), Ordering::Release);
            // SAFETY: the handler is a function of this library, which is never unloaded.
            unsafe { libc::atexit(finish) };
        }
        Err(error) => {
            report(format_args!("XMP_TOOL={}: {error}", tool.display()));
            // SAFETY: ends the process, which may be in a constructor, without its exit handlers.
            unsafe { libc::_exit(2) }
        }
    }
}

fn load(tool: &Path) -> Result<Hooks, String> {
    let path = CString::new(tool.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: loads the library that the user names; its constructors run.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        // SAFETY: after a failure the text is there until the next call of this thread.
        let text = unsafe { CStr::from_ptr(libc::dlerror()) };
        return Err(text.to_string_lossy().into_owned());
    }
    // SAFETY: a library that is loaded.
    let attach = unsafe { libc::dlsym(library, c"xmprt_tool_attach".as_ptr()) };
    if attach.is_null() {
        return Err("it does not define xmprt_tool_attach (see xmprt_tool.h)".into());
    }
    // SAFETY: the contract of `xmprt_tool.h`: a function with this signature.
    let attach = unsafe { std::mem::transmute::<*mut c_void, Attach>(attach) };
    let mut hooks = Hooks::default();
    match attach(VERSION, &mut hooks) {
        0 => Ok(hooks),
        code => Err(format!("xmprt_tool_attach has returned {code} for version {VERSION}")),
    }
}

/// Calls the tool before an operation.
#[inline]
pub fn begin(function: &CStr, record: &Record) {
    if let Some(begin) = hooks().and_then(|hooks| hooks.begin) {
        begin(&described(function, record));
    }
}

/// Calls the tool after an operation.
#[inline]
pub fn end(function: &CStr, record: &Record) {
    if let Some(end) = hooks().and_then(|hooks| hooks.end) {
        end(&described(function, record));
    }
}

extern "C" fn finish() {
    if let Some(finish) = hooks().and_then(|hooks| hooks.finish) {
        finish();
    }
}

#[cold]
fn described(function: &CStr, record: &Record) -> ToolOperation {
    ToolOperation {
        operation: name_of(record.operation).as_ptr(),
        function: function.as_ptr(),
        address: ptr::with_exposed_provenance(record.address as usize),
        bytes: record.bytes,
        begin: record.begin,
        end: record.end,
        partner: record.partner,
        thread: record.thread.into(),
    }
}

/// The name of an operation with a zero after it.
fn name_of(operation: Operation) -> &'static CStr {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let name = |operation: &Operation| CString::new(operation.name()).unwrap_or_default();
        Operation::ALL.iter().map(name).collect()
    });
    &names[operation as usize]
}
