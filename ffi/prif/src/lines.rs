//! Lines of Fortran.

/// Longest line that is written, but for declarations.
const WIDTH: usize = 110;

/// `head(items)tail`, on as many lines as are needed.
pub fn call(indent: &str, head: &str, items: &[&str], tail: &str) -> String {
    let mut text = String::new();
    let mut line = format!("{indent}{head}(");
    for (at, item) in items.iter().enumerate() {
        let end = if at + 1 < items.len() { ", " } else { "" };
        if line.len() + item.len() + 3 > WIDTH {
            text += &format!("{}&\n", line);
            line = format!("{indent}    ");
        }
        line += item;
        line += end;
    }
    let end = format!("){tail}");
    if line.len() + end.len() > WIDTH {
        text += &format!("{line} &\n");
        line = format!("{indent}    ");
    }
    text + &line + &end + "\n"
}
