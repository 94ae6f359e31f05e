//! Which zone of the web may import which: api ← live ← kit ← map ← features ← app. Features meet in the application or
//! share through the kit, and never import one another.

use super::TextFile;

const SOURCES: &str = "web/src/";
/// What comes before the name of an imported file.
const BEFORE: [&str; 3] = ["from '", "import '", "import('"];

/// Imports that go the wrong way.
pub fn crossed(files: &[TextFile]) -> Vec<String> {
    let web = files.iter().filter(|file| file.has_ending("ts") || file.has_ending("tsx"));
    web.filter_map(|file| Some((file, file.path.strip_prefix(SOURCES)?)))
        .flat_map(|(file, place)| {
            file.text.lines().zip(1..).flat_map(move |(line, number)| {
                imports(line).filter_map(move |name| {
                    let to = resolved(place, name)?;
                    let why = wrong(place, &to)?;
                    Some(format!("{}:{number}: {why} ({name})", file.path))
                })
            })
        })
        .collect()
}

fn imports(line: &str) -> impl Iterator<Item = &str> {
    BEFORE.iter().filter_map(|before| Some(line.split_once(before)?.1.split_once('\'')?.0))
}

/// Where an import leads, from `web/src`; nothing for a package.
fn resolved(place: &str, name: &str) -> Option<String> {
    if let Some(path) = name.strip_prefix("@/") {
        return Some(path.to_owned());
    }
    if !name.starts_with('.') {
        return None;
    }
    let mut path: Vec<&str> = place.split('/').collect();
    path.pop();
    for part in name.split('/') {
        match part {
            "." => {}
            ".." => drop(path.pop()),
            part => path.push(part),
        }
    }
    Some(path.join("/"))
}

fn wrong(from: &str, to: &str) -> Option<String> {
    let (zone, other) = (zone(from), zone(to));
    let feature = |path: &str| path.split('/').nth(1).map(str::to_owned);
    if zone == "features" && other == "features" {
        return (feature(from) != feature(to))
            .then(|| "features meet in app or share through kit, and import none of the others".to_owned());
    }
    let may = match zone {
        "api" => &[][..],
        "live" => &["api"],
        "kit" => &["api", "live"],
        "map" => &["api", "live", "kit"],
        "features" => &["api", "live", "kit", "map", "app"],
        _ => return None,
    };
    (zone != other && !may.contains(&other)).then(|| format!("{zone} does not import {other}"))
}

/// A file's zone: its first folder, or `app` for what stands beside the folders.
fn zone(path: &str) -> &str {
    path.split_once('/').map_or("app", |(zone, _)| zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<String> {
        crossed(&[TextFile { path: path.into(), text: text.into() }])
    }

    #[test]
    fn what_goes_one_way_is_fine() {
        for (path, text) in [
            (
                "web/src/kit/list/a.ts",
                "import { b } from '../b'\nimport { c } from '@/api/c'\nimport d from 'antd'",
            ),
            ("web/src/features/fleet/map/a.tsx", "import { b } from '@/kit/b'\nimport '../other/b.css'"),
            ("web/src/features/fleet/map/a.tsx", "import { b } from '@/app/session/store'"),
            ("web/src/app/App.tsx", "const page = lazy(() => import('@/features/fleet/map/Page'))"),
            ("web/src/main.tsx", "import { App } from './app/App'"),
            ("web/bench/a.ts", "import { b } from '@/features/fleet/b'"),
        ] {
            assert_eq!(lines(path, text), Vec::<String>::new(), "{path}");
        }
    }

    #[test]
    fn features_do_not_know_each_other_however_they_are_named() {
        for text in ["import { b } from '@/features/access/b'", "import { b } from '../../access/b'"] {
            let broken = lines("web/src/features/fleet/map/a.tsx", text);
            assert!(broken[0].starts_with("web/src/features/fleet/map/a.tsx:1: features meet"), "{broken:?}");
        }
    }

    #[test]
    fn the_kit_and_what_is_below_it_know_neither_features_nor_the_application() {
        for (path, text, why) in [
            ("web/src/kit/list/a.ts", "import { b } from '@/app/b'", "kit does not import app"),
            ("web/src/kit/a.ts", "const b = import('../features/fleet/b')", "kit does not import features"),
            ("web/src/live/a.ts", "\nexport { b } from '../map/b'", "live does not import map"),
            ("web/src/api/a.ts", "import '@/live/b'", "api does not import live"),
            (
                "web/src/map/a.ts",
                "import type { B } from '@/features/fleet/b'",
                "map does not import features",
            ),
            ("web/src/map/a.ts", "import { b } from '../main'", "map does not import app"),
        ] {
            let broken = lines(path, text);
            assert!(broken.len() == 1 && broken[0].contains(why), "{path}: {broken:?}");
        }
    }
}
