//! Rules on single source files.

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

/// Models that know more than their decisions.
pub fn impure_models(files: &[TextFile]) -> Vec<String> {
    files
        .iter()
        .filter(|file| is_model(&file.path))
        .flat_map(|file| {
            file.text.lines().enumerate().filter_map(move |(index, line)| {
                let code = line.split("//").next().unwrap_or_default();
                let foreign = words(code).find(|word| matches!(*word, "sqlx" | "axum" | "tokio"))?;
                Some(format!("{}:{}: a model knows no {foreign}", file.path, index + 1))
            })
        })
        .collect()
}

fn is_model(path: &str) -> bool {
    path.starts_with("crates/") && (path.contains("/src/model/") || path.ends_with("/src/model.rs"))
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_'))
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

    #[test]
    fn a_model_that_imports_the_database_is_named_with_its_line() {
        let files = [
            file("crates/care/src/model/ticket.rs", "// sqlx is elsewhere\nuse std::fmt;\nuse sqlx::Row;\n"),
            file("crates/care/src/model/reply.rs", "fn tokio_free() {}\n"),
            file("crates/care/src/read/tickets.rs", "use sqlx::Row;\n"),
        ];
        assert_eq!(impure_models(&files), ["crates/care/src/model/ticket.rs:3: a model knows no sqlx"]);
    }
}
