//! Every feed held against the public schema of its format, in the folder that `WHEELHOUSE_DATA` names. `cargo xtask test`
//! leaves this out, and says so, where it names none.

use std::error::Error;
use std::path::PathBuf;

use jsonschema::{Retrieve, Uri, Validator};
use serde_json::{Value, json};

use super::{GBFS, MDS, NAMES, Scene, rows};

fn data(path: &str) -> PathBuf {
    let folder =
        std::env::var_os("WHEELHOUSE_DATA").expect("WHEELHOUSE_DATA names the folder of the recordings");
    PathBuf::from(folder).join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(data(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn of_gbfs(name: &str) -> Validator {
    let schema: Value = serde_json::from_str(&read(&format!("schemas/gbfs/v3.0/{name}.json"))).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

/// The files of MDS's OpenAPI, by where they say that they are.
struct Files;

const HOST: &str = "https://mds.invalid/";

fn yaml(path: &str) -> Result<Value, serde_saphyr::Error> {
    serde_saphyr::from_str(&read(&format!("schemas/mds-2.0-openapi/{path}")))
}

impl Retrieve for Files {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let path = uri.as_str().strip_prefix(HOST).ok_or_else(|| format!("{uri} is no file of MDS"))?;
        Ok(yaml(path)?)
    }
}

/// What `path` of the API `file` answers.
fn of_mds(file: &str, path: &str) -> Validator {
    let place = format!("reference/{file}.yaml");
    let document = yaml(&place).unwrap();
    let path = path.replace('/', "~1");
    let pointer = format!("/paths/{path}/get/responses/200/content/application~1json/schema");
    let mut schema = document.pointer(&pointer).unwrap_or_else(|| panic!("{place} has no {pointer}")).clone();
    // Its references start from the document that it is a part of.
    schema["$id"] = json!(format!("{HOST}{place}"));
    jsonschema::options().should_validate_formats(true).with_retriever(Files).build(&schema).unwrap()
}

fn conforms(validator: &Validator, value: &Value, what: &str) {
    let wrong: Vec<String> = validator
        .iter_errors(value)
        .take(5)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{what}: {wrong:#?}");
}

mod real_data {
    use super::*;

    #[test]
    #[ignore = "reads the folder that WHEELHOUSE_DATA names"]
    fn the_schemas_take_feeds_of_others_and_refuse_wrong_ones() {
        // The collection has no manifest.
        for name in NAMES.into_iter().filter(|name| *name != "manifest") {
            let validator = of_gbfs(name);
            let mut feed: Value =
                serde_json::from_str(&read(&format!("gbfs/fixtures_v3.0/{name}.json"))).unwrap();
            conforms(&validator, &feed, name);
            feed["last_updated"] = json!("yesterday");
            assert!(!validator.is_valid(&feed), "{name}: a time is looked at");
        }
        let geography = of_mds("geography", "/geographies/{geography_id}");
        assert!(!geography.is_valid(&json!({"version": "2.0.0", "geography": {"name": "x"}})));
        assert!(!geography.is_valid(&json!({"version": "2.0.0"})));
    }

    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "reads the folder that WHEELHOUSE_DATA names"]
    async fn every_feed_conforms_to_its_schema() {
        let scene = Scene::build().await;
        let reader = scene.reader("reader").await;
        for name in NAMES {
            let feed = reader.read(&format!("{GBFS}/{name}.json")).await;
            conforms(&of_gbfs(name), &feed, name);
        }
        let geographies = reader.read(&format!("{MDS}/geographies")).await;
        conforms(&of_mds("geography", "/geographies"), &geographies, "geographies");
        let policies = reader.read(&format!("{MDS}/policies?start_date=0")).await;
        conforms(&of_mds("policy", "/policies"), &policies, "policies");
        // What lies deep in them is looked at too.
        for (validator, whole, place) in [
            (of_mds("policy", "/policies"), &policies, "/policies/0/rules/0/rule_units"),
            (
                of_mds("geography", "/geographies"),
                &geographies,
                "/geographies/0/geography_json/features/0/type",
            ),
        ] {
            let mut wrong = whole.clone();
            *wrong.pointer_mut(place).expect(place) = json!("wrong");
            assert!(!validator.is_valid(&wrong), "{place}");
        }
        assert!(rows(&policies["policies"]).len() > 5 && rows(&geographies["geographies"]).len() > 5);
        let id = geographies["geographies"][0]["geography_id"].as_str().unwrap();
        let one = reader.read(&format!("{MDS}/geographies/{id}")).await;
        conforms(&of_mds("geography", "/geographies/{geography_id}"), &one, "one geography");
        let id = policies["policies"][0]["policy_id"].as_str().unwrap();
        let one = reader.read(&format!("{MDS}/policies/{id}")).await;
        conforms(&of_mds("policy", "/policies/{policy_id}"), &one, "one policy");
    }
}
