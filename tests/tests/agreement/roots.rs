//! Images that name different roots of a collective operation: errors without any setting.

use std::path::Path;
use std::time::Duration;
use xmp_tests::mistakes::Mistakes;
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Outcome, Program, Run};

/// Runs `faults/sources` with these arguments and this many images.
fn sources(
    program: &Path,
    images: u32,
    arguments: [&str; 2],
    variables: &[(&str, &str)],
) -> Outcome {
    let run = Run::new(program).images(images).args(arguments);
    let run = variables.iter().fold(run, |run, (name, value)| run.env(name, value));
    let outcome = run.finish();
    outcome.within(Duration::from_secs(300));
    outcome
}

/// The C library calls the exit handler of the library.
#[test]
fn an_error_that_is_found_by_an_exit_names_the_line_of_the_program_that_exits() {
    let c = Mistakes::of(
        &Program::c("exits_with_error").argument("-O0").argument("-g"),
        &crate_dir().join("c/exits_with_error.c"),
    );
    let fortran = Mistakes::of(
        &Program::fortran("faults/sources").argument("-O0"),
        &crate_dir().join("fortran/faults/sources.f90"),
    );
    let run = |of: &Mistakes, arguments: &[&str]| {
        let run = Run::new(of.program()).images(2).args(arguments).env("XMP_CHECK", "0").finish();
        run.exited_with(1).stderr_without("libc");
        of.without_directories(&run.stderr)
    };
    for (of, arguments) in [(&c, &["exit"][..]), (&fortran, &["few", "exit"])] {
        let text = run(of, arguments);
        assert!(text.starts_with(&of.with_lines("{exit}: image")), "{text}");
        assert!(text.contains(": end of the program: image"), "{text}");
    }
    assert!(run(&c, &["exit"]).contains(&c.with_lines("called from main at {finish}")));
    // Where `main` has returned no line is to be named.
    let text = run(&c, &["return"]);
    assert!(text.starts_with("xmp: image") && text.lines().count() == 1, "{text}");
}

#[test]
fn images_that_each_name_themselves_as_the_source_of_a_short_broadcast_are_found() {
    let program = Program::fortran("faults/sources").argument("-O0").build();
    let differ = "image 1 and image 2 each are the source image of an earlier co_broadcast; XMP_CHECK=1 finds the statement";
    for next in ["sync all", "co_sum", "allocate", "form team", "stop", "end"] {
        for (what, images) in [("few", 2), ("few", 5), ("many", 3)] {
            let outcome = sources(&program, images, [what, next], &[("XMP_CHECK", "0")]);
            outcome.exited_with(1).stdout_is("");
            // At the end of the program any two of them find it.
            let words = match next {
                "stop" | "end" => [
                    "end of the program: image",
                    "each are the source image of an earlier co_broadcast",
                ],
                _ => [next, differ],
            };
            outcome.stderr_line_with(&words);
        }
    }
    for what in ["swapped", "another"] {
        for next in ["sync all", "co_sum", "stop", "end"] {
            for images in [3, 4, 7] {
                let outcome = sources(&program, images, [what, next], &[("XMP_CHECK", "0")]);
                outcome.exited_with(1).stdout_is("").stderr_line_with(&["XMP_CHECK=1 finds the"]);
            }
        }
    }
    for barrier in ["central", "flat", "dissemination", "grouped"] {
        let variables = [("XMP_COLL", &*format!("barrier:{barrier}"))];
        let outcome = sources(&program, 4, ["few", "sync all"], &variables);
        outcome.exited_with(1).stdout_is("").stderr_line_with(&["sync all: ", differ]);
        sources(&program, 4, ["nothing", "sync all"], &variables).succeeded();
    }
    for (what, words) in [
        ("often", "each are the source image of an earlier co_broadcast"),
        ("team", "end team"),
        ("result", "no image names itself as the result image of an earlier co_sum that has one"),
        ("one", "image 1 has executed a co_broadcast in which image 2 has not taken part"),
    ] {
        let outcome = sources(&program, 4, [what, "sync all"], &[]);
        outcome.exited_with(1).stdout_is("").stderr_line_with(&[words]);
    }
    let text = "or had another root in an earlier collective: XMP_CHECK=1 names it";
    for (hosts, images) in [("2", 2), ("3", 3)] {
        for next in ["sync all", "co_sum", "allocate"] {
            for what in ["few", "many", "often", "result"] {
                let outcome =
                    sources(&program, images, [what, next], &[("XMP_VIRTUAL_HOSTS", hosts)]);
                let found_by = if what == "often" { "co_broadcast" } else { next };
                outcome.exited_with(1).stdout_is("").stderr_line_with(&[found_by, text]);
            }
        }
    }
    // The statement itself, with both lines.
    let outcome = sources(&program, 2, ["few", "sync all"], &[("XMP_CHECK", "1")]);
    outcome.exited_with(1).stdout_is("");
    outcome.stderr_line_with(&["sources.f90:19: ", "co_broadcast: the root is image 1 on image 1"]);
}

#[test]
fn images_that_ask_for_stat_learn_of_different_sources_and_go_on_alike() {
    let program = Program::fortran("faults/sources").argument("-O0").build();
    for (images, what) in [(2, "few"), (7, "few"), (3, "many"), (4, "one"), (4, "result")] {
        let outcome = sources(&program, images, [what, "stat"], &[]);
        outcome.succeeded();
        assert_eq!(outcome.stdout, "status 7000\n".repeat(images as usize));
    }
    for next in ["sync all", "co_sum", "allocate", "form team", "stop", "end"] {
        for hosts in ["1", "2", "3"] {
            let variables = [("XMP_VIRTUAL_HOSTS", hosts)];
            sources(&program, 4, ["nothing", next], &variables).succeeded();
        }
    }
}

/// Operations in the background, in which images name themselves as the root, or one another: then each may expect data of the other.
#[test]
fn operations_in_the_background_with_different_roots_are_errors_without_any_setting() {
    let program = Program::c("begun_roots").build();
    for what in ["broadcast", "gather", "scatter", "gatherv", "scatterv"] {
        for bytes in ["4", "20000"] {
            for (images, hosts) in [(2, 1), (3, 1), (2, 2), (4, 2)] {
                let run = |roots| {
                    let run = Run::new(&program).images(images).virtual_hosts(hosts);
                    run.args([what, bytes, roots]).finish()
                };
                run("same").succeeded().silent();
                for roots in ["own", "other"] {
                    let outcome = run(roots);
                    outcome.exited_with(9).within(Duration::from_secs(60)).stdout_is("");
                    outcome.stderr_line_with(&["begun_roots.c:", "_co_", "root"]);
                }
            }
        }
    }
}

#[test]
fn directives_in_the_background_with_different_roots_are_errors_without_any_setting() {
    let program = Program::xmp_c(&["begun_roots"]).build();
    for (images, hosts) in [(2, 1), (3, 1), (2, 2), (3, 2)] {
        let outcome = Run::new(&program).images(images).virtual_hosts(hosts).finish();
        outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
        outcome.stderr_line_with(&["begun_roots.c:", "root"]);
    }
}

/// The operation itself, where an image waits in vain, or the synchronisation after it.
#[test]
fn gathers_and_scatters_of_c_with_different_roots_between_hosts_are_named() {
    let program = Program::c("other_root").build();
    let later = "xmprt_sync: image 1 or image";
    for what in ["gather", "scatter", "gatherv", "scatterv"] {
        for hosts in [2, 4] {
            for image in ["1", "2", "3", "4"] {
                let run = Run::new(&program).images(4).virtual_hosts(hosts);
                let outcome = run.args([what, image]).finish();
                outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
                outcome.stderr_line_with(&["other_root.c:", "root in an earlier collective"]);
                let (text, own) = (&outcome.stderr, format!(": xmprt_co_{what}: image"));
                assert!(text.contains(&own) || text.contains(later), "{what} {image}: {text}");
                outcome.stderr_without("has stopped").stderr_without("deadlock");
            }
        }
    }
}
