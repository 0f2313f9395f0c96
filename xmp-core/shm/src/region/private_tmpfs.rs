//! A file of a tmpfs that no other process sees, with huge pages on advice.
//!
//! A process without privileges may mount file systems in a namespace of mounts of its own, if that belongs to a namespace of
//! users of its own. A process with several threads cannot enter such namespaces, and the job is not to run in them. So a helper
//! process, a copy of this one, begins in them. It mounts the file system, creates a file there, sends the descriptor to
//! this process, and ends. The mount lives as long as the file does.
//!
//! Under MPI the process may have registered memory with a device. Linux keeps the pages of such memory in the process since
//! version 5.12; leaders of older systems start no helper (`file.rs`).
//!
//! The helper is made by the system call itself. `fork` would execute the handlers that MPI libraries have registered
//! for it. The helper makes system calls only, since other threads of this process may have held locks.
//!
//! The file cannot be sealed, as files of `memfd_create` can. No path leads to it but those below `/proc` of processes that have
//! it open. So only a process of the same user, or of root, can make it shorter; such processes could also kill the images.

use crate::error::system_message;
use rustix::fs::{Mode, OFlags, open, unlink};
use rustix::io::{Errno, retry_on_intr, write};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{getegid, geteuid};
use std::ffi::CStr;
use std::fs;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr;
use std::time::Duration;

/// The directory that the file system covers in the namespace of the helper: there is one wherever the helper can write its
/// maps of users and groups.
const DIRECTORY: &CStr = c"/proc";
/// What the name of the file begins with, which `/proc/PID/maps` of the images shows after `unlink`. The number of this
/// process follows.
const NAME: &str = "xmp-job-";
/// Without a size a tmpfs has half of the memory at most. The job limits what its images take.
const OPTIONS: &CStr = c"huge=advise,size=0,mode=700";

/// How long the helper may take; it needs about half a millisecond.
const LIMIT: Duration = Duration::from_secs(2);

/// Room for one descriptor in the control part of a message.
const ROOM: usize = rustix::cmsg_space!(ScmRights(1));

/// What the helper does, by the number that it reports.
const STEPS: [&str; 5] = [
    "uid_map of a user namespace",
    "setgroups of a user namespace",
    "gid_map of a user namespace",
    "mounting a tmpfs with huge=advise",
    "a file in a tmpfs of the job",
];

/// A file that a helper is about to make.
#[derive(Debug)]
pub(super) struct Pending {
    receiver: OwnedFd,
    helper: Helper,
}

impl Pending {
    /// Starts a helper that makes an empty file with huge pages on advice.
    ///
    /// # Errors
    /// The reason why there is none, in words.
    pub fn start() -> Result<Pending, String> {
        let flags = SocketFlags::CLOEXEC;
        let (receiver, sender) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)
                .map_err(|error| refusal("socketpair", error))?;
        set_socket_timeout(&receiver, Timeout::Recv, Some(LIMIT))
            .map_err(|error| refusal("SO_RCVTIMEO", error))?;
        let same_id = |id: u32| format!("{id} {id} 1");
        let users = same_id(geteuid().as_raw());
        let file = format!("/proc/{NAME}{}\0", std::process::id());
        let plan = Plan { users, groups: same_id(getegid().as_raw()), file };
        let namespaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNS;
        // SAFETY: makes a copy of this process, with its own memory, that continues here on the same stack. No signal
        // tells of its end, so it is not in the way of what this process waits for.
        let process = unsafe { libc::syscall(libc::SYS_clone, namespaces, 0, 0, 0, 0) };
        if process == 0 {
            send(&plan, &sender);
            // SAFETY: ends the helper without anything that its process had registered.
            unsafe { libc::_exit(0) };
        }
        if process < 0 {
            let error = std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EPERM);
            return Err(refusal("a user namespace", Errno::from_raw_os_error(error)));
        }
        Ok(Pending { receiver, helper: Helper(process as libc::pid_t) })
    }

    /// The file, as soon as it is made, and its maker.
    ///
    /// # Errors
    /// The reason why there is none, in words.
    pub fn finish(self) -> Result<(OwnedFd, Helper), String> {
        let Pending { receiver, helper } = self;
        match receive(&receiver) {
            Err(error) => {
                // Dropping it waits for its end, and it may be stuck. SAFETY: it is a child that was not waited for, or
                // has ended.
                unsafe { libc::kill(helper.0, libc::SIGKILL) };
                Err(error)
            }
            Ok(file) => Ok((file, helper)),
        }
    }
}

/// A process that has done its work, or is about to. Dropping it waits for its end.
#[derive(Debug)]
pub struct Helper(libc::pid_t);

impl Drop for Helper {
    fn drop(&mut self) {
        // SAFETY: waits for a child of this process, which nothing else waits for. It may have been waited for already by a
        // program that waits for all children, which is as well.
        while unsafe { libc::waitpid(self.0, ptr::null_mut(), libc::__WALL) } < 0
            && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
        {}
    }
}

/// The texts that the helper needs, made before it.
struct Plan {
    /// The maps of a namespace in which users and groups keep their numbers.
    users: String,
    groups: String,
    /// The path of the file, with a zero byte at its end.
    file: String,
}

/// The work of the helper: it makes the file and sends it, or the step that failed with the error of the system. It neither
/// allocates nor takes locks.
fn send(plan: &Plan, to: &OwnedFd) {
    let (file, report) = match make(plan) {
        Ok(file) => (Some(file), [0; 2]),
        Err((step, error)) => (None, [step, error.raw_os_error()]),
    };
    let report = [report[0].to_ne_bytes(), report[1].to_ne_bytes()];
    let mut room = [MaybeUninit::uninit(); ROOM];
    let mut control = SendAncillaryBuffer::new(&mut room);
    let descriptors = file.as_ref().map(|file| [file.as_fd()]);
    if let Some(descriptors) = &descriptors {
        control.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    // Nothing is left to do when the receiver has gone.
    let _ = sendmsg(to, &[IoSlice::new(report.as_flattened())], &mut control, SendFlags::NOSIGNAL);
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
    // SAFETY: all texts end with a zero byte and live longer than the call.
    let mounted =
        unsafe { libc::mount(kind, DIRECTORY.as_ptr(), kind, flags, OPTIONS.as_ptr().cast()) };
    if mounted != 0 {
        // SAFETY: the address of this thread's error number.
        let error = unsafe { *libc::__errno_location() };
        return Err((3, Errno::from_raw_os_error(error)));
    }
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let path = CStr::from_bytes_until_nul(plan.file.as_bytes()).map_err(|_| (4, Errno::INVAL))?;
    let file = open(path, flags, Mode::RUSR | Mode::WUSR).map_err(|error| (4, error))?;
    unlink(path).map_err(|error| (4, error))?;
    Ok(file)
}

/// The file that the helper sends.
fn receive(from: &OwnedFd) -> Result<OwnedFd, String> {
    let mut report = [[0; size_of::<i32>()]; 2];
    let mut room = [MaybeUninit::uninit(); ROOM];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    let received = retry_on_intr(|| {
        let bytes = &mut [IoSliceMut::new(report.as_flattened_mut())];
        recvmsg(from, bytes, &mut control, RecvFlags::CMSG_CLOEXEC)
    });
    let received = received.map_err(|error| match error {
        Errno::AGAIN => "the process that was to mount a tmpfs does not answer".into(),
        error => refusal("recvmsg", error),
    })?;
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
