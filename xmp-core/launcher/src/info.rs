//! `xmprun --info`: the machine, the job that would run, the settings.

use crate::locality::Machine;
use crate::options::Binding;
use clap::ValueEnum;
use std::fmt::{self, Display};
use std::path::PathBuf;
use xmp_core::job::Plan;
use xmp_core::machine::Caches;
use xmp_core::plugin::Installed;
use xmp_core::process::permission;
use xmp_core::region::HugePageReport;
use xmp_core::settings::{Preference, Setting, TABLE, Unknown};
use xmp_core::size::Size;

/// The subjects of the report.
pub struct Info<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The job.
    pub plan: &'a Plan,
    /// The source of huge pages for its coarrays.
    pub huge_pages: &'a HugePageReport,
    /// The binding of its images.
    pub binding: Binding,
    /// The MPI plug-ins that were found.
    pub plugins: &'a [Installed],
    /// The directories that were searched.
    pub plugin_directories: &'a [PathBuf],
    /// The path of long transfers between hosts.
    pub one_sided: Preference,
    /// The path of messages between hosts.
    pub sockets: Preference,
    /// Whether the memory of programs is in segments (`XMP_REACH`).
    pub reach: bool,
    /// Variables in the environment that look like settings and are none.
    pub unknown: &'a [Unknown],
    /// Value of an environment variable, if it is set.
    pub lookup: fn(&str) -> Option<String>,
}

impl Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.machine(f)?;
        self.job(f)?;
        self.plugins(f)?;
        self.settings(f)
    }
}

impl Info<'_> {
    fn machine(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = self.machine;
        writeln!(f, "Machine (what this process may use of it)")?;
        row(f, "packages", machine.packages())?;
        row(f, "NUMA nodes", machine.numa_nodes())?;
        row(f, "cache groups", machine.cache_groups())?;
        row(f, "cores", machine.cores.len())?;
        row(f, "processors", machine.cpus())?;
        row(f, "caches", Caches::of_this_machine())?;
        match permission::obstacle() {
            None => row(
                f,
                "single copy",
                "permitted; the images measure from how many bytes on it pays (XMP_LOG=debug)",
            ),
            Some(obstacle) => row(f, "single copy", format_args!("not used: {obstacle}")),
        }
    }

    fn job(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { geometry, waiting, memory_limit, chunk, .. } = self.plan;
        let cores = self.machine.cores.len();
        let binding = self.binding.to_possible_value();
        writeln!(f, "\nJob")?;
        let crowded = if waiting.crowded != 0 { ", more than can run at once" } else { "" };
        row(f, "images", format_args!("{} on {cores} cores{crowded}", geometry.images))?;
        row(f, "hosts", geometry.hosts)?;
        row(f, "binding", binding.as_ref().map_or("", |value| value.get_name()))?;
        let spin = f64::from(waiting.spin_ns) / 1000.0;
        row(
            f,
            "waiting",
            format_args!("spin {spin} us, yield {} times, then sleep", waiting.yields),
        )?;
        row(f, "region", format_args!("{} at {:#x}", Size(geometry.region_len()), geometry.base))?;
        row(f, "segments", format_args!("{} each (address space)", Size(geometry.stride)))?;
        row(f, "huge pages", self.huge_pages)?;
        row(f, "memory limit", Size(*memory_limit))?;
        row(f, "pointers to", reach(self.reach, geometry.images))?;
        row(f, "chunks", format_args!("{} of a large collective operation", Size(*chunk as u64)))?;
        let transports = if geometry.hosts > 1 {
            "shm within hosts, packets between (virtual) hosts"
        } else {
            "shm"
        };
        row(f, "transports", transports)
    }

    /// The plug-ins for MPI that programs of this installation find.
    fn plugins(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nMPI plug-ins")?;
        if self.plugins.is_empty() {
            writeln!(
                f,
                "  none; programs run on one machine, or by a process manager (PMI-1, PMIx). Searched directories:"
            )?;
            return self
                .plugin_directories
                .iter()
                .try_for_each(|directory| writeln!(f, "      {}", directory.display()));
        }
        for plugin in self.plugins {
            writeln!(f, "  {}", plugin.file.display())?;
            write!(f, "      for {} ({}): ", plugin.kind(), plugin.soname)?;
            match plugin.library() {
                Ok(library) => writeln!(f, "{library}")?,
                Err(error) => writeln!(f, "cannot be used: {error}")?,
            }
        }
        writeln!(f, "  long transfers between hosts: {}", LongTransfers(self.one_sided))?;
        writeln!(f, "  messages between hosts: {}", Messages(self.sockets))
    }

    fn settings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nSettings (environment variables)")?;
        for Setting { name, variables, default, meaning, .. } in TABLE {
            let value = |name: &&str| (self.lookup)(name).map(|value| format!("{name}={value}"));
            let set: Vec<String> = variables.iter().filter_map(value).collect();
            let shown = if set.is_empty() { (*name).to_string() } else { set.join(" ") };
            writeln!(f, "  {shown}  [default: {default}]\n      {meaning}")?;
        }
        if self.unknown.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nUnknown settings in the environment (they have no effect)")?;
        self.unknown.iter().try_for_each(|unknown| writeln!(f, "  {unknown}"))
    }
}

/// The way in which images access memory that a program has allocated and that pointers refer to; `is_wanted`: the
/// setting.
pub fn reach(is_wanted: bool, images: u32) -> &'static str {
    match (is_wanted, images) {
        (false, _) => "allocated memory: copied by the system (XMP_REACH=0)",
        (true, 1) => "allocated memory: that of this image alone",
        (true, _) => "allocated memory: loads and stores from 256 bytes on (XMP_REACH)",
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, value: impl Display) -> fmt::Result {
    writeln!(f, "  {name:<14}{value}")
}

/// The path of long contiguous transfers between hosts.
struct LongTransfers(Preference);

impl Display for LongTransfers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Preference::Never => "messages",
            Preference::Always => "MPI's one-sided operations",
            Preference::Auto => {
                "each job measures whether one-sided operations need the target's processor (XMP_LOG=info)"
            }
        })
    }
}

/// The path of messages between hosts.
struct Messages(Preference);

impl Display for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Preference::Never => "MPI",
            Preference::Always => "TCP connections of the images",
            Preference::Auto => {
                "TCP connections of the images, unless the job finds MPI faster (XMP_LOG=info)"
            }
        })
    }
}
