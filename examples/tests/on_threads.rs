//! The example programs with images as threads: right results on any number of images.

use xmp_coarray::prelude::*;
use xmp_examples::npb_cg::{self, Class, Form};
use xmp_examples::random_access;

#[test]
fn cg_finds_the_official_eigenvalue_in_all_forms() {
    let zeta = |images, form| {
        let reports = run_on_threads(images, |image| {
            let mut iterations = 0;
            let report = npb_cg::run(image, &Class::ALL[0], form, |_, step| {
                assert!(step.residual < 1e-10);
                iterations += 1;
            })?;
            assert_eq!(iterations, 15);
            Ok(report)
        })
        .unwrap();
        for report in &reports {
            assert!(report.is_verified(), "{report}");
            assert_eq!(report.zeta.to_bits(), reports[0].zeta.to_bits(), "the same on all images");
        }
        reports[0].zeta
    };
    let alone = zeta(1, Form::Tasks);
    for images in [2, 4] {
        let first = zeta(images, Form::Tasks);
        assert!((first - alone).abs() < 1e-12);
        for form in [Form::OnTeam, Form::Steps, Form::Sums] {
            assert_eq!(zeta(images, form).to_bits(), first.to_bits(), "{images} images, {form}");
        }
    }
}

#[test]
fn cg_refuses_grids_that_it_cannot_make() {
    let refused =
        run_on_threads(3, |image| npb_cg::run(image, &Class::ALL[0], Form::Steps, |_, _| ()));
    assert_eq!(refused.unwrap_err().to_string(), "3 images, which is not a power of two");
}

#[test]
fn random_access_loses_no_update() {
    for (images, log2_words) in [(1, 12), (2, 12), (3, 10), (4, 12), (5, 2), (4, 0)] {
        let reports =
            run_on_threads(images, |image| random_access::run(image, log2_words)).unwrap();
        assert!(reports.iter().all(|report| report.errors == 0), "{images}: {reports:?}");
        assert_eq!(reports[0].updates, 4 << log2_words);
    }
}
