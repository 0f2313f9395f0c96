//! The data about a run in its report: the command line, the time of the start, the machines.

use std::ffi::OsString;
use std::fs;
use xmp_core::launch;
use xmp_trace::summary::Summary;

/// Most hosts that are named.
const HOSTS: usize = 4;

/// The processors of a job on one host, if it is this one; otherwise 0.
pub fn processors(summary: &Summary) -> usize {
    match &summary.hosts[..] {
        [host] if is_this_one(host) => launch::cores_available(),
        _ => 0,
    }
}

/// The properties of a run, by their names.
pub fn run(summary: &Summary, command: String) -> Vec<(&'static str, String)> {
    vec![
        ("command", command),
        ("date", date(summary.started)),
        ("machine", machine(&summary.hosts)),
        ("library", format!("XMP-RT {}", env!("CARGO_PKG_VERSION"))),
    ]
}

/// A command line as one would type it: words that a shell would change are in quotation marks.
pub fn command_line(words: impl IntoIterator<Item = OsString>) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=+./:,@%".contains(letter);
    let quoted = |word: OsString| {
        let word = word.to_string_lossy().into_owned();
        let is_plain = !word.is_empty() && word.chars().all(plain);
        if is_plain { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// A real time in ns, in the zone of this process.
fn date(time: u64) -> String {
    let seconds = (time / 1_000_000_000) as libc::time_t;
    // SAFETY: a record of numbers and a pointer, for which zeros are valid.
    let mut parts: libc::tm = unsafe { std::mem::zeroed() };
    let mut text = [0_u8; 64];
    // SAFETY: both are variables of this function.
    let found = unsafe { libc::localtime_r(&raw const seconds, &raw mut parts) };
    if found.is_null() {
        return format!("{seconds} s since 1970");
    }
    let format = c"%Y-%m-%d %H:%M:%S %z";
    // SAFETY: the buffer has the length that is passed; format and record are valid.
    let length = unsafe {
        libc::strftime(text.as_mut_ptr().cast(), text.len(), format.as_ptr(), &raw const parts)
    };
    String::from_utf8_lossy(&text[..length]).into_owned()
}

fn read(file: &str) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

fn is_this_one(host: &str) -> bool {
    host == read("/proc/sys/kernel/hostname").trim()
}

/// The hosts. Their processors are described as the processor of this host is, which has to be one of them.
fn machine(hosts: &[String]) -> String {
    let mut text = hosts.iter().take(HOSTS).cloned().collect::<Vec<_>>().join(", ");
    if hosts.len() > HOSTS {
        text += &format!(", ... ({} hosts)", hosts.len());
    }
    if !hosts.iter().any(|host| is_this_one(host)) {
        return text;
    }
    let processors = read("/proc/cpuinfo");
    let model =
        processors.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    let count = launch::cores_available();
    let (model, kernel) =
        (model.unwrap_or(std::env::consts::ARCH), read("/proc/sys/kernel/osrelease"));
    format!("{text}: {}, {count} processors, Linux {}", model.trim(), kernel.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_blanks_and_quotation_marks_are_quoted() {
        let words = ["xmprun", "-n", "4", "./my program", "", "it's"].map(OsString::from);
        assert_eq!(command_line(words), r"xmprun -n 4 './my program' '' 'it'\''s'");
    }

    #[test]
    fn a_time_is_a_date() {
        let text = date(1_000_000_000_000_000_000);
        assert!(text.starts_with("2001-09-0") && text.len() == 25, "{text}");
    }

    #[test]
    fn many_hosts_are_counted() {
        let hosts: Vec<String> = (0..9).map(|number| format!("n{number}.invalid")).collect();
        assert_eq!(
            machine(&hosts),
            "n0.invalid, n1.invalid, n2.invalid, n3.invalid, ... (9 hosts)"
        );
    }
}
