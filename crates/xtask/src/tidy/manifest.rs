//! The root manifest says what each dependency is for.

/// Lines of `[workspace.dependencies]` from outside without a remark.
pub fn uncommented(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut lines = Vec::new();
    for (index, line) in manifest.lines().enumerate() {
        if line.starts_with('[') {
            inside = line.trim() == "[workspace.dependencies]";
            continue;
        }
        let is_dependency = inside && line.contains('=') && !line.trim_start().starts_with('#');
        let is_ours = line.contains("path = ");
        if is_dependency && !is_ours && !line.contains("# ") {
            let name = line.split('=').next().unwrap_or_default().trim();
            lines.push(format!("Cargo.toml:{}: say what {name} is for", index + 1));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dependencies_from_outside_need_a_remark() {
        let manifest = "[workspace]\nmembers = []\n[workspace.dependencies]\nours = { path = \"x\" }\n\
                        a = \"1\"   # why\nb = { version = \"1\" }\n# a remark\n[profile.dev]\ndebug = 1\n";
        assert_eq!(uncommented(manifest), ["Cargo.toml:6: say what b is for"]);
    }
}
