//! One host: namespaces, and the process that keeps them.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The processes, the network and the mounts of a host. The first process of a namespace of processes ends when its
/// standard input does: so when this is dropped, and when the process that holds it dies. The kernel then ends all
/// others of the namespace, and the namespaces go away with the last process.
#[derive(Debug)]
pub struct Keeper {
    child: Child,
    /// The first process of the host, as processes outside see it.
    pid: u32,
}

/// Where the files of a host are.
pub struct Places<'a> {
    /// The directory of the network.
    pub network: &'a Path,
    /// The directory of the host, with an empty directory `proc` in it.
    pub host: &'a Path,
    /// The file for its `/etc/hosts`.
    pub table: &'a Path,
}

/// Largest `/dev/shm` of a host; pages are taken when they are touched.
const SHARED_MEMORY: &str = "8g";

impl Keeper {
    /// A host of this name.
    ///
    /// Processes can only be sent into a namespace of processes that is within their own. So that the first host can
    /// start processes on the others, theirs are made `within` its own.
    pub fn host(
        name: &str,
        within: Option<&Keeper>,
        places: &Places<'_>,
    ) -> Result<Keeper, String> {
        // The view of the outer processes stays at `proc`, where the first host finds the others' namespaces. The
        // first line is what an outer observer calls this shell.
        let script = r#"set -e
read -r pid _ </proc/self/stat
hostname "$1"
mount --bind /proc "$2/proc"
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs -o size="$4" tmpfs /dev/shm
mount --bind "$3" /etc/hosts
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 2>/dev/null || :
ip link set lo up
echo "$pid"
read -r _ || :
if [ -n "$5" ]; then
    umount -l "$2/proc"
    rm -rf --one-file-system "$5"
fi"#;
        let unshare = ["--net", "--uts", "--ipc", "--mount", "--propagation", "private"];
        let mut command = match within {
            None => Command::new("unshare"),
            Some(first) => {
                let mut command = Command::new("nsenter");
                command.arg(format!("--pid=/proc/{}/ns/pid", first.pid)).arg("unshare");
                command
            }
        };
        command.args(unshare).args(["--pid", "--fork", "sh", "-c", script, "sh", name]);
        command.arg(places.host).arg(places.table).arg(SHARED_MEMORY);
        // The first host tidies up, as it may be the last one that is left.
        command.arg(if within.is_none() { places.network } else { Path::new("") });
        Keeper::start(command, name)
    }

    /// A network alone, with a bridge in it: what several hosts are plugged into.
    pub fn switch() -> Result<Keeper, String> {
        let script = r#"set -e
read -r pid _ </proc/self/stat
ip link add bridge type bridge
ip link set bridge up
echo "$pid"
read -r _ || :"#;
        let mut command = Command::new("unshare");
        command.args(["--net", "sh", "-c", script]);
        Keeper::start(command, "switch")
    }

    fn start(mut command: Command, name: &str) -> Result<Keeper, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| format!("unshare: {error}"))?;
        let mut keeper = Keeper { child, pid: 0 };
        let mut line = String::new();
        let stdout = keeper.child.stdout.take().expect("stdout is a pipe");
        // It ends with the script, whether that succeeds or not.
        let read = BufReader::new(stdout).read_line(&mut line);
        if let (Ok(_), Ok(pid)) = (read, line.trim_end().parse()) {
            keeper.pid = pid;
            return Ok(keeper);
        }
        let mut said = String::new();
        if let Some(mut stderr) = keeper.child.stderr.take() {
            // What it said is a help only.
            let _ = stderr.read_to_string(&mut said);
        }
        Err(format!("the namespaces of {name} cannot be made: {}", said.trim()))
    }

    /// A process in the namespaces, as processes outside see it.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Options of `nsenter` for all namespaces of a host, where the processes of outside are at `proc`.
    pub fn entrance(&self, proc: &Path) -> Vec<String> {
        let names =
            [("net", "net"), ("uts", "uts"), ("ipc", "ipc"), ("mount", "mnt"), ("pid", "pid")];
        let file = |name| proc.join(self.pid.to_string()).join("ns").join(name);
        names.map(|(option, name)| format!("--{option}={}", file(name).display())).into()
    }

    /// A path as this host sees it, for processes of outside.
    pub fn path(&self, path: &Path) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.pid));
        root.join(path.strip_prefix("/").unwrap_or(path))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // The end of its input ends it, with all processes of the host.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
