//! The processes of a job that are images.

use std::{fs, io};
use xmp_core::control::XMPRUN;
use xmp_core::hosts::OPTION;

/// An image of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Image {
    /// Its number, from 1.
    pub image: u32,
    /// Its process.
    pub process: u32,
}

/// The images of this launcher on this host, in order; none if it is no launcher, or one of several hosts.
///
/// # Errors
/// When the system does not let this process look at that one.
pub fn images_of(launcher: u32) -> io::Result<Vec<Image>> {
    match has_mapped_a_job(launcher) {
        Ok(true) => Ok(images_below(launcher)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        Ok(false) if is_proxy(launcher) => Ok(images_below(launcher)),
        Ok(false) | Err(_) => Ok(Vec::new()),
    }
}

/// The images among the processes that this one has started, in order. A debugger or a shell that has been started in
/// place of an image is none: it has not mapped the memory of the job.
pub fn images_below(launcher: u32) -> Vec<Image> {
    let mut processes = children(launcher);
    let mut next = 0;
    while let Some(&process) = processes.get(next) {
        processes.extend(children(process));
        next += 1;
    }
    let is_image =
        |&process: &u32| has_mapped_a_job(process).unwrap_or(false) && !is_monitor(process);
    let images = processes.into_iter().filter(is_image);
    let mut images: Vec<Image> = images.filter_map(image).collect();
    images.sort();
    images
}

/// Whether this is the launcher's proxy on a host of several.
fn is_proxy(process: u32) -> bool {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.split(|&byte| byte == 0).any(|word| word == OPTION.as_bytes())
}

/// Whether this is the monitor of an image, which has the image's memory and environment.
fn is_monitor(process: u32) -> bool {
    let name = fs::read(format!("/proc/{process}/comm")).unwrap_or_default();
    name.trim_ascii() == b"xmp-monitor"
}

fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()
        })
        .collect()
}

/// Whether the memory that images share is mapped (`xmp-core/shm/src/region/file.rs` and `private_tmpfs.rs`).
fn has_mapped_a_job(process: u32) -> io::Result<bool> {
    let maps = fs::read(format!("/proc/{process}/maps"))?;
    let maps = String::from_utf8_lossy(&maps);
    Ok(["/memfd:xmp ", "/xmp-job-", "/dev/shm/xmp-"].iter().any(|name| maps.contains(name)))
}

/// The number that the launcher has given the process in its environment.
fn image(process: u32) -> Option<Image> {
    let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
    Some(Image { image: rank_in(&environment)? + 1, process })
}

/// The rank in `XMP_JOB=DESCRIPTOR:RANK`, or in the variable of a proxy. The pipe of an image whose output goes to a file follows it
/// (`xmp-core/boot/src/launch/invitation.rs`).
fn rank_in(environment: &[u8]) -> Option<u32> {
    let value = |name: &str| {
        let mut entries = environment.split(|&byte| byte == 0);
        let text = entries.find_map(|entry| {
            entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="))
        });
        text.and_then(|text| std::str::from_utf8(text).ok())
    };
    let rank = match value("XMP_JOB") {
        Some(job) => job.split(':').nth(1)?,
        None => value(XMPRUN[1])?,
    };
    rank.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_whose_output_goes_to_a_file_has_its_number_too() {
        for text in ["A=1\0XMP_JOB=5:2\0B=", "XMP_JOB=5:2:12:8849:65024:10086932\0"] {
            assert_eq!(rank_in(text.as_bytes()), Some(2), "{text:?}");
        }
        assert_eq!(rank_in(b"A=1\0XMP_JOB=5\0"), None);
    }
}
