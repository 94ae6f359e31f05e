//! What runs on controllers: models, the spread of versions over a city, packages that are published, and how one is installed.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::identity::stable_hash;

/// A download, its check and the restart take so long.
pub const INSTALL_MS: i64 = 30_000;
/// Of a thousand installations so many fail, where trouble is 1.
const FAILURES_PER_1000: f64 = 60.0;

/// A model, its share of a city of a hundred bikes, and what its controllers run: a version and how many of a hundred run it.
struct Model {
    name: &'static str,
    share: u64,
    running: &'static [(&'static str, u64)],
    /// Published, and run by nobody yet.
    newest: &'static str,
}

const MODELS: [Model; 2] = [
    Model {
        name: "WH-EC20",
        share: 72,
        running: &[("1.2.0", 58), ("1.1.4", 30), ("1.0.3", 12)],
        newest: "1.3.0",
    },
    Model { name: "WH-EC10", share: 28, running: &[("2.1.4", 75), ("2.0.1", 25)], newest: "2.2.0" },
];

/// Packages as they are published through the open API: what most run, and what comes next.
pub fn packages() -> Vec<Value> {
    let package = |model: &str, firmware: &str, note: &str| {
        let named = format!("{model}/{firmware}");
        let md5 = format!("{:016x}{:016x}", stable_hash(&named), stable_hash(&format!("{named}#")));
        json!({
            "model": model, "firmware": firmware, "url": format!("https://firmware.wheelhouse.example/{named}.bin"),
            "md5": md5, "sizeBytes": 400_000 + stable_hash(&named) % 300_000, "note": note,
        })
    };
    MODELS
        .iter()
        .flat_map(|model| {
            let present = package(model.name, model.running[0].0, "现行版本");
            [present, package(model.name, model.newest, "改进弱信号下的上报")]
        })
        .collect()
}

/// What a controller runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firmware {
    /// 型号.
    pub model: &'static str,
    /// The version that runs.
    pub version: String,
    /// Tells controllers apart.
    seed: u64,
    /// Installations that were begun.
    attempts: u64,
    failures_per_1000: u64,
}

impl Default for Firmware {
    fn default() -> Self {
        Self::of("", 0.0)
    }
}

/// What became of an order to install.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installed {
    /// It runs after [`INSTALL_MS`].
    Soon,
    /// What was said of the package cannot be used.
    BadParams,
    /// It was fetched, and is not what its MD5 says.
    Broken,
}

/// What is said of a package.
#[derive(Deserialize)]
struct Package {
    model: String,
    version: String,
    url: String,
    md5: String,
    size: u64,
}

/// One of these by its share of a hundred.
fn drawn<T>(draw: u64, of: impl Iterator<Item = (T, u64)>) -> Option<T> {
    let mut left = draw % 100;
    for (one, share) in of {
        match left.checked_sub(share) {
            Some(rest) => left = rest,
            None => return Some(one),
        }
    }
    None
}

impl Firmware {
    /// What the controller with this IMEI runs at first. `trouble` multiplies how often an installation fails.
    pub fn of(imei: &str, trouble: f64) -> Self {
        let seed = stable_hash(&format!("firmware {imei}"));
        let model = drawn(seed, MODELS.iter().map(|model| (model, model.share))).unwrap_or(&MODELS[0]);
        let version = drawn(seed / 100, model.running.iter().copied()).unwrap_or(model.newest);
        let failures_per_1000 = (FAILURES_PER_1000 * trouble).clamp(0.0, 1_000.0) as u64;
        Self { model: model.name, version: version.to_owned(), seed, attempts: 0, failures_per_1000 }
    }

    /// What it says of itself, as `ebike/<imei>/about` carries it.
    pub fn about(&self) -> Value {
        json!({ "model": self.model, "firmware": self.version })
    }

    /// Installs what `params` name; the same controller fails at the same attempts.
    pub fn install(&mut self, params: &Value) -> Installed {
        let Ok(package) = Package::deserialize(params) else { return Installed::BadParams };
        let is_md5 = package.md5.len() == 32 && package.md5.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_url = package.url.starts_with("https://") || package.url.starts_with("http://");
        if package.model != self.model
            || package.version.is_empty()
            || package.size == 0
            || !is_md5
            || !is_url
        {
            return Installed::BadParams;
        }
        self.attempts += 1;
        let draw = stable_hash(&format!("install {} {}", self.seed, self.attempts)) % 1_000;
        if draw < self.failures_per_1000 {
            return Installed::Broken;
        }
        self.version = package.version;
        Installed::Soon
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(package: &Value) -> Value {
        json!({ "model": package["model"], "version": package["firmware"], "url": package["url"],
            "md5": package["md5"], "size": package["sizeBytes"] })
    }

    #[test]
    fn a_city_has_two_models_and_a_spread_of_versions_that_stays() {
        let all: Vec<Firmware> = (0..1_000).map(|i| Firmware::of(&i.to_string(), 1.0)).collect();
        let count = |model: &str, version: &str| {
            all.iter().filter(|it| it.model == model && it.version == version).count()
        };
        for model in &MODELS {
            let counts: Vec<usize> =
                model.running.iter().map(|(version, _)| count(model.name, version)).collect();
            assert!(counts.iter().all(|count| *count > 30), "{} {counts:?}", model.name);
            assert!(counts.is_sorted_by(|one, next| one > next), "{} {counts:?}", model.name);
            assert_eq!(count(model.name, model.newest), 0);
        }
        assert_eq!(all[7], Firmware::of("7", 1.0));
    }

    #[test]
    fn what_is_published_fits_some_and_is_installed_by_its_own_model_alone() {
        let packages = packages();
        let mut one = Firmware::of("1", 0.0);
        let (fitting, other): (Vec<&Value>, Vec<&Value>) =
            packages.iter().partition(|package| package["model"] == one.model);
        assert_eq!(one.install(&told(other[0])), Installed::BadParams);
        assert_eq!(one.install(&json!({})), Installed::BadParams);
        assert_eq!(one.install(&told(fitting[1])), Installed::Soon);
        assert_eq!(one.about()["firmware"], fitting[1]["firmware"]);
    }

    #[test]
    fn some_installations_fail_the_same_ones_each_time_and_none_without_trouble() {
        let package = told(&packages()[1]);
        let outcomes = |trouble: f64| -> Vec<Installed> {
            let cars = (0..400).map(|i| Firmware::of(&i.to_string(), trouble));
            cars.filter(|it| it.model == "WH-EC20").map(|mut it| it.install(&package)).collect()
        };
        let broken = outcomes(1.0).iter().filter(|it| **it == Installed::Broken).count();
        assert!((3..60).contains(&broken), "{broken}");
        assert_eq!(outcomes(1.0), outcomes(1.0));
        assert!(outcomes(0.0).iter().all(|it| *it == Installed::Soon));
    }
}
