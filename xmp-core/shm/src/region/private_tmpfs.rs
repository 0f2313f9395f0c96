//! A file of a tmpfs that no other process sees, with huge pages on advice.
//!
//! A process that may mount file systems makes one that is mounted nowhere, and creates the file in it.
//!
//! A process without privileges may mount file systems in a namespace of mounts of its own, if that belongs to a namespace of
//! users of its own. A process with several threads cannot enter such namespaces, and the job is not to run in them. So a helper
//! process begins in them. It mounts the file system, creates a file there, sends the descriptor to this process, and ends. The
//! mount lives as long as the file does.
//!
//! The helper has the memory of this process, as after `vfork`: a copy would take longer than its work, and Linux before 5.12
//! takes pages that an MPI has registered with a device away from a process that is copied. This thread waits meanwhile. The
//! helper makes system calls only, since other threads of this process may hold locks. Under valgrind it is a copy.
//!
//! The system takes longer to take a mount or a namespace apart than to make it: [`Mount`] leaves that to a time when nothing waits.
//!
//! The file cannot be sealed, as files of `memfd_create` can. No path leads to it but those below `/proc` of processes that have
//! it open. So only a process of the same user, or of root, can make it shorter; such processes could also kill the images.

use crate::error::system_message;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, open, openat, unlinkat};
use rustix::io::{Errno, retry_on_intr, write};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_string, fsmount,
    fsopen,
};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{getegid, geteuid};
use std::ffi::{CStr, CString};
use std::fs;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr;

/// The directory that the file system covers in the namespace of the helper: there is one wherever the helper can write its
/// maps of users and groups.
const DIRECTORY: &CStr = c"/proc";
/// What the name of the file begins with, which `/proc/PID/maps` of the images shows after `unlink`. The number of this
/// process follows.
const NAME: &str = "xmp-job-";
/// The options of the file system. Without a size a tmpfs has half of the memory at most. The job limits what its images take.
const OPTIONS: [(&str, &str); 3] = [("huge", "advise"), ("size", "0"), ("mode", "700")];

/// Bytes of the helper's stack.
const STACK: usize = 64 << 10;

/// Room for one descriptor in the control part of a message.
const CONTROL_ROOM: usize = rustix::cmsg_space!(ScmRights(1));

/// What the helper does, by the number that it reports.
const STEPS: [&str; 5] = [
    "uid_map of a user namespace",
    "setgroups of a user namespace",
    "gid_map of a user namespace",
    "mounting a tmpfs with huge=advise",
    "a file in a tmpfs of the job",
];

/// What keeps the file system mounted, and is not needed any more. To drop it takes up to a tenth of a millisecond.
#[derive(Debug)]
pub enum Mount {
    /// The mount itself.
    Own(OwnedFd),
    /// The process whose namespace of mounts has it.
    Helpers(Helper),
}

/// An empty file with huge pages on advice, and the mount of its file system.
///
/// # Errors
/// The reason why there is none, in words.
pub(super) fn create() -> Result<(OwnedFd, Mount), String> {
    let name = format!("{NAME}{}", std::process::id());
    match create_unattached(&name) {
        Ok((file, mount)) => Ok((file, Mount::Own(mount))),
        // The kernel is before 5.2, the process may not mount, or a filter of system calls does not know this one.
        Err(_) => create_by_helper(&name).map(|(file, helper)| (file, Mount::Helpers(helper))),
    }
}

/// Creates the file in a file system that is mounted nowhere.
fn create_unattached(name: &str) -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let system = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (name, value) in OPTIONS {
        fsconfig_set_string(&system, name, value)?;
    }
    fsconfig_create(&system)?;
    let flags = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let mount = fsmount(&system, FsMountFlags::FSMOUNT_CLOEXEC, flags)?;
    let name = CString::new(name).map_err(|_| Errno::INVAL)?;
    Ok((create_unnamed(&mount, &name)?, mount))
}

/// Creates a file of this name in a directory, and removes the name.
fn create_unnamed(directory: impl AsFd, name: &CStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = openat(&directory, name, flags, Mode::RUSR | Mode::WUSR)?;
    unlinkat(directory, name, AtFlags::empty())?;
    Ok(file)
}

/// Has a helper create the file.
fn create_by_helper(name: &str) -> Result<(OwnedFd, Helper), String> {
    let (receiver, sender) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(|error| refusal("socketpair", error))?;
    let same_id = |id: u32| format!("{id} {id} 1");
    let text = |text: String| CString::new(text).map_err(|error| error.to_string());
    let plan = Plan {
        users: same_id(geteuid().as_raw()),
        groups: same_id(getegid().as_raw()),
        options: text(OPTIONS.map(|(name, value)| format!("{name}={value}")).join(","))?,
        file: text(format!("{}/{name}", DIRECTORY.to_string_lossy()))?,
        to: sender,
    };
    let helper = Helper::start(&plan);
    drop(plan);
    let helper = helper.map_err(|error| refusal("a user namespace", error))?;
    Ok((receive(&receiver)?, helper))
}

/// A process that has done its work, or is about to. Dropping it waits for its end.
#[derive(Debug)]
pub struct Helper(libc::pid_t);

impl Helper {
    /// Starts a process in new namespaces that executes the plan.
    fn start(plan: &Plan) -> rustix::io::Result<Helper> {
        let mut stack = vec![0_u128; STACK / size_of::<u128>()];
        let namespaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNS;
        // SAFETY: the new process executes `work` on a stack of its own. It has the memory of this process, whose thread continues
        // after its end, so stack and plan live long enough. Meanwhile no handler of a signal is executed in it. No signal tells
        // of its end, so it is not in the way of what this process waits for.
        let process = unsafe {
            let (mut all, mut mask) = (MaybeUninit::uninit(), MaybeUninit::uninit());
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), mask.as_mut_ptr());
            let top = stack.as_mut_ptr_range().end.cast();
            let flags = namespaces | libc::CLONE_VM | libc::CLONE_VFORK;
            let process = libc::clone(work, top, flags, ptr::from_ref(plan).cast_mut().cast());
            let error = *libc::__errno_location();
            libc::pthread_sigmask(libc::SIG_SETMASK, mask.as_ptr(), ptr::null_mut());
            if process < 0 { Err(Errno::from_raw_os_error(error)) } else { Ok(process) }
        };
        process.map(Helper)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // SAFETY: waits for a child of this process, which nothing else waits for. It may have been waited for already by a
        // program that waits for all children, which is as well.
        while unsafe { libc::waitpid(self.0, ptr::null_mut(), libc::__WALL) } < 0
            && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
        {}
    }
}

/// What the helper needs, made before it.
struct Plan {
    /// The maps of a namespace in which users and groups keep their numbers.
    users: String,
    groups: String,
    /// The options of the file system.
    options: CString,
    /// The path of the file.
    file: CString,
    /// Where it is sent.
    to: OwnedFd,
}

/// What the helper executes.
extern "C" fn work(plan: *mut libc::c_void) -> libc::c_int {
    // SAFETY: the plan that the helper was started with, which nothing else uses now.
    send(unsafe { &*plan.cast::<Plan>() });
    // SAFETY: ends the helper without anything that its process had registered.
    unsafe { libc::_exit(0) }
}

/// The work of the helper: it makes the file and sends it, or the step that failed with the error of the system. It neither
/// allocates nor takes locks.
fn send(plan: &Plan) {
    let (file, report) = match make(plan) {
        Ok(file) => (Some(file), [0; 2]),
        Err((step, error)) => (None, [step, error.raw_os_error()]),
    };
    let report = [report[0].to_ne_bytes(), report[1].to_ne_bytes()];
    let mut room = [MaybeUninit::uninit(); CONTROL_ROOM];
    let mut control = SendAncillaryBuffer::new(&mut room);
    let descriptors = file.as_ref().map(|file| [file.as_fd()]);
    if let Some(descriptors) = &descriptors {
        control.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    // Nothing is left to do when the receiver has gone.
    let _ = sendmsg(
        &plan.to,
        &[IoSlice::new(report.as_flattened())],
        &mut control,
        SendFlags::NOSIGNAL,
    );
}

/// The file, or the number of the step that failed.
fn make(plan: &Plan) -> Result<OwnedFd, (i32, Errno)> {
    let fill = |path: &CStr, text: &str| {
        let file = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        write(file, text.as_bytes()).map(|_| ())
    };
    fill(c"/proc/self/uid_map", &plan.users).map_err(|error| (0, error))?;
    // Kernels before 3.19 have no such file.
    match fill(c"/proc/self/setgroups", "deny") {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err((1, error)),
    }
    fill(c"/proc/self/gid_map", &plan.groups).map_err(|error| (2, error))?;
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    let kind = c"tmpfs".as_ptr();
    let options = plan.options.as_ptr().cast();
    // SAFETY: all texts end with a zero byte and live longer than the call.
    let mounted = unsafe { libc::mount(kind, DIRECTORY.as_ptr(), kind, flags, options) };
    if mounted != 0 {
        // SAFETY: the address of this thread's error number.
        let error = unsafe { *libc::__errno_location() };
        return Err((3, Errno::from_raw_os_error(error)));
    }
    create_unnamed(CWD, &plan.file).map_err(|error| (4, error))
}

/// The file that the helper sends.
fn receive(from: &OwnedFd) -> Result<OwnedFd, String> {
    let mut report = [[0; size_of::<i32>()]; 2];
    let mut room = [MaybeUninit::uninit(); CONTROL_ROOM];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    let received = retry_on_intr(|| {
        let bytes = &mut [IoSliceMut::new(report.as_flattened_mut())];
        recvmsg(from, bytes, &mut control, RecvFlags::CMSG_CLOEXEC)
    });
    let received = received.map_err(|error| refusal("recvmsg", error))?;
    if received.bytes == 0 {
        return Err("the process that was to mount a tmpfs has ended".into());
    }
    let file = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    file.ok_or_else(|| {
        let [step, error] = report.map(i32::from_ne_bytes);
        let step = usize::try_from(step).ok().and_then(|step| STEPS.get(step));
        match step.filter(|_| error != 0) {
            Some(step) => refusal(step, Errno::from_raw_os_error(error)),
            None => "there are too many open files for one of a tmpfs".into(),
        }
    })
}

/// A call that the system has refused, with the setting of the system that is a probable reason.
fn refusal(what: &str, error: Errno) -> String {
    let setting = match error {
        // The limit of user namespaces.
        Errno::NOSPC => forbidding("user/max_user_namespaces", |value| value == "0"),
        Errno::PERM | Errno::ACCESS => [
            forbidding("kernel/apparmor_restrict_unprivileged_userns", |value| value == "1"),
            forbidding("kernel/unprivileged_userns_clone", |value| value == "0"),
        ]
        .into_iter()
        .flatten()
        .next(),
        _ => None,
    };
    let error = system_message(&error.into());
    match setting {
        Some(setting) => format!("{what}: {error} ({setting})"),
        None => format!("{what}: {error}"),
    }
}

/// A setting of the system and its value, if that forbids namespaces of users.
fn forbidding(name: &str, forbids: impl Fn(&str) -> bool) -> Option<String> {
    let value = fs::read_to_string(format!("/proc/sys/{name}")).ok()?;
    let value = value.trim();
    forbids(value).then(|| format!("{}={value}", name.replace('/', ".")))
}
