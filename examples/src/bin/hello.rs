//! Every image leaves a greeting in its own coarray; image 1 fetches and prints them in image order, so the output is
//! the same on every run.

use std::process::ExitCode;
use xmp_coarray::prelude::*;

/// Bytes of a greeting.
const LEN: usize = 40;

fn main() -> ExitCode {
    run(hello)
}

fn hello(image: &Image) -> Result<()> {
    let (me, images) = (image.this_image(), image.num_images());
    let line = format!("{:LEN$}", format!("hello from image {me} of {images}"));
    let greeting = Coarray::<u8>::new(image, LEN)?;
    greeting.write(.., line.as_bytes())?;
    image.sync_all()?;

    if me == 1 {
        for index in 1..=images {
            let line = greeting.get_vec(index, ..)?;
            println!("{}", String::from_utf8_lossy(&line).trim_end());
        }
    }

    let mut total = me;
    image.co_sum(&mut total)?;
    if total != images * (images + 1) / 2 {
        return Err(Error::Invalid("the sum of the image indices is wrong".into()));
    }
    greeting.free()
}
