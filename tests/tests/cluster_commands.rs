//! The commands of the book's pages about clusters and installation that no session shows with its output: each is run by a test, as the
//! page has it. Those of Slurm are run in `slurm.rs`.

use serial_test::serial;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use tempfile::TempDir;
use xmp_hosts::{Flavour, Network};
use xmp_tests::book::{Chapter, source_dir};
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::toolchain::{crate_dir, output_of, toolchain};

/// The beginnings of commands, and the tests that run them.
const RUN_BY: [(&str, &str); 17] = [
    ("mpirun -n 8 --host", "cluster_commands::launchers_start_images_on_the_hosts_that_are_named"),
    ("mpiexec.hydra", "cluster_commands::launchers_start_images_on_the_hosts_that_are_named"),
    ("xmprun --hosts", "cluster_commands::xmprun_starts_images_on_the_hosts_that_are_named"),
    ("xmprun --hostfile", "cluster_commands::xmprun_starts_images_on_the_hosts_that_are_named"),
    ("#!/bin/sh\n#SBATCH", "slurm::the_job_scripts_of_the_book_run"),
    ("srun --nodes=2", "slurm::the_commands_of_the_book_run"),
    ("srun -n 4 xmprun", "slurm::the_commands_of_the_book_run"),
    ("./x install", "installing::destdir_prefix_and_libdir_are_kept_and_uninstall_leaves_nothing"),
    (
        "./x uninstall",
        "installing::destdir_prefix_and_libdir_are_kept_and_uninstall_leaves_nothing",
    ),
    ("export PATH", "packages/main::the_tarball_works_wherever_it_is_unpacked"),
    ("./x package", "packages/main::the_tarball_works_wherever_it_is_unpacked"),
    ("module use", "recipes::the_module_files_name_the_directories_of_their_installation"),
    ("module load", "recipes::the_module_files_name_the_directories_of_their_installation"),
    ("./x doctor", "prerequisites/commands::doctor_tries_the_installation"),
    // In the text.
    ("srun --mpi=list", "slurm::the_commands_of_the_book_run"),
    (
        "xmprun --stacks",
        "several_hosts/end::stacks_of_all_hosts_are_printed_once_for_all_images_that_have_them",
    ),
    ("xmprun --virtual-hosts 2", "process_managers::images_meet_without_a_plug_in"),
];

/// The commands in the blocks of a page: a script is one command.
fn commands(page: &str) -> Vec<String> {
    let blocks = Chapter::read(page).blocks();
    let each = blocks.into_iter().filter(|block| block.language == "sh").flat_map(|block| {
        if block.lines[0].starts_with("#!") { vec![block.lines.join("\n")] } else { block.lines }
    });
    each.filter(|command| !command.is_empty()).collect()
}

/// The commands of the page about clusters that begin like this, without their comments.
fn of_clusters(beginning: &str) -> Vec<String> {
    let found = commands("clusters").into_iter().filter(|command| command.starts_with(beginning));
    let found =
        found.map(|command| command.split(" #").next().unwrap_or_default().trim_end().to_owned());
    let found: Vec<String> = found.collect();
    assert!(!found.is_empty(), "no command of the page begins with {beginning}");
    found
}

#[test]
fn every_command_of_the_pages_is_run_by_a_test() {
    let mut sources = BTreeMap::new();
    for page in ["clusters", "installation"] {
        for command in commands(page) {
            let found = RUN_BY.iter().find(|(beginning, _)| command.starts_with(beginning));
            assert!(found.is_some(), "{page}.md: no test runs {command}");
        }
    }
    for (beginning, test) in RUN_BY {
        let (file, name) = test.split_once("::").expect("a file and a name");
        let source = sources.entry(file).or_insert_with(|| {
            fs::read_to_string(crate_dir().join(format!("tests/{file}.rs"))).expect(file)
        });
        assert!(source.contains(&format!("fn {name}()")), "{beginning}: there is no test {test}");
    }
}

/// A directory with the first program of the book, as `hello` and as `program`.
fn place() -> TempDir {
    let place = tempfile::tempdir().expect("a directory");
    let (source, hello) = (source_dir().join("programs/hello.f90"), place.path().join("hello"));
    let xmpfc = toolchain().prefix().join("bin/xmpfc");
    output_of(xmpfc, [source.as_path(), "-o".as_ref(), &hello]);
    symlink(&hello, place.path().join("program")).expect("a link");
    place
}

/// The command for hosts of a network in place of those of the page.
fn for_hosts_of(network: &Network, command: &str) -> String {
    let [a, b] = [0, 1].map(|number| network.hosts()[number].name());
    for (hosts, ours) in [("a:4,b:4", format!("{a}:4,{b}:4")), (" a,b ", format!(" {a},{b} "))] {
        if command.contains(hosts) {
            return command.replace(hosts, &ours);
        }
    }
    command.to_owned()
}

/// Executes a command on the first host.
fn execute(
    network: &Network,
    place: &TempDir,
    command: &str,
    variables: &[(&str, PathBuf)],
) -> Output {
    let line =
        format!("cd '{}' && exec {}", place.path().display(), for_hosts_of(network, command));
    let mut shell = network.hosts()[0].command("sh");
    let path = std::env::var("PATH").unwrap_or_default();
    let ours = toolchain().prefix().join("bin");
    shell.env("PATH", format!("{}:{}:{path}", place.path().display(), ours.display()));
    shell.envs(variables.iter().map(|(name, value)| (name, value)));
    shell.args(["-c", &line]).stdin(Stdio::null()).output().expect("a shell")
}

/// So many images have answered.
fn has_images(output: &Output, images: usize, command: &str) {
    let text = String::from_utf8_lossy(&output.stdout);
    let count = text.lines().filter(|line| line.ends_with(&format!(" of {images}"))).count();
    assert!(output.status.success() && count == images, "{command}: {output:?}");
}

#[test]
#[serial]
fn launchers_start_images_on_the_hosts_that_are_named() {
    let Some(network) = network(2) else { return };
    for mpirun in mpis_with_plugin() {
        let (beginning, name) = match mpirun.flavour() {
            Flavour::OpenMpi => ("mpirun", "mpirun"),
            Flavour::Mpich => ("mpiexec.hydra", "mpiexec.hydra"),
        };
        let place = place();
        // Launchers look for their helpers beside the name that they are called by.
        let script = place.path().join(name);
        let text = format!("#!/bin/sh\nexec {} \"$@\"\n", mpirun.program().display());
        fs::write(&script, text).expect("a script");
        fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("permissions");
        let agent = || network.agent().to_owned();
        let interface = || PathBuf::from(network.interface());
        let variables = [
            ("OMPI_ALLOW_RUN_AS_ROOT", "1".into()),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1".into()),
            ("OMPI_MCA_plm", "rsh".into()),
            ("OMPI_MCA_plm_rsh_agent", agent()),
            ("OMPI_MCA_oob_tcp_if_include", interface()),
            ("OMPI_MCA_btl_tcp_if_include", interface()),
            ("HYDRA_LAUNCHER", "ssh".into()),
            ("HYDRA_LAUNCHER_EXEC", agent()),
            ("HYDRA_IFACE", interface()),
            ("UCX_NET_DEVICES", interface()),
        ];
        for command in of_clusters(beginning) {
            has_images(&execute(&network, &place, &command, &variables), 8, &command);
        }
    }
}

#[test]
#[serial]
fn xmprun_starts_images_on_the_hosts_that_are_named() {
    let Some(network) = network(2) else { return };
    let place = place();
    let [a, b] = [0, 1].map(|number| network.hosts()[number].name());
    fs::write(place.path().join("machines"), format!("{a}:1\n{b} slots=2\n")).expect("a file");
    let variables = [("XMP_SSH", network.agent().to_owned())];
    for command in of_clusters("xmprun --hosts").into_iter().chain(of_clusters("xmprun --hostfile"))
    {
        let images = match () {
            () if command.contains("a:4,b:4") => 8,
            () if command.contains("-n 6") => 6,
            () if command.contains("machines") => 3,
            () => std::thread::available_parallelism().expect("processors").get(),
        };
        has_images(&execute(&network, &place, &command, &variables), images, &command);
    }
}
