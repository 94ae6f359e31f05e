//! Rules on the sizes of files.

use super::TextFile;

/// Files are small because subjects are small.
const MOST_LINES: usize = 600;

/// Files that have outgrown their subject.
pub fn too_long(files: &[TextFile]) -> Vec<String> {
    files
        .iter()
        .filter(|file| !file.path.contains("/generated/"))
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(file, lines)| format!("{}: {lines} lines; divide it ({MOST_LINES} at most)", file.path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.into(), text: text.into() }
    }

    #[test]
    fn the_601st_line_is_too_many_except_in_generated_files() {
        let files = [
            file("a.rs", &"x\n".repeat(600)),
            file("b.rs", &"x\n".repeat(601)),
            file("web/src/api/generated/openapi.d.ts", &"x\n".repeat(9000)),
        ];
        assert_eq!(too_long(&files), ["b.rs: 601 lines; divide it (600 at most)"]);
    }
}
