//! The document: its operations, and whether a value is of a schema.

use serde_json::{Map, Value};

use super::asking::Operation;

/// The OpenAPI document.
pub struct Document(Value);

/// Schemas in schemas end somewhere.
const DEEPEST: usize = 32;

impl Document {
    pub fn new(document: Value) -> Self {
        Self(document)
    }

    /// Every operation there is.
    pub fn operations(&self) -> Vec<Operation> {
        let paths = self.0["paths"].as_object().expect("paths");
        let of_path = |(path, item): (&String, &Value)| {
            let operations = item.as_object().expect("operations").clone();
            operations
                .into_iter()
                .map(|(method, operation)| Operation::new(self, path, &method, &operation))
                .collect::<Vec<_>>()
        };
        paths.iter().flat_map(of_path).collect()
    }

    /// The schema itself where `schema` only names it.
    pub fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        self.named(schema["$ref"].as_str()).unwrap_or(schema)
    }

    /// What a reference leads to.
    pub fn named(&self, reference: Option<&str>) -> Option<&Value> {
        let pointer = reference?.strip_prefix('#')?;
        Some(self.0.pointer(pointer).unwrap_or_else(|| panic!("{pointer} leads nowhere")))
    }

    /// The properties of an object's schema with the names of those that must be there, through `allOf`.
    pub fn fields(&self, schema: &Value) -> (Map<String, Value>, Vec<String>) {
        let schema = self.resolved(schema);
        let mut fields = schema["properties"].as_object().cloned().unwrap_or_default();
        let names = |schema: &Value| -> Vec<String> {
            schema["required"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|name| Some(name.as_str()?.to_owned()))
                .collect()
        };
        let mut required = names(schema);
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let (more, also) = self.fields(part);
            fields.extend(more);
            required.extend(also);
        }
        (fields, required)
    }

    /// Why `value` is not of `schema`.
    pub fn conforms(&self, value: &Value, schema: &Value) -> Result<(), String> {
        self.check(value, schema, "", 0)
    }

    fn check(&self, value: &Value, schema: &Value, at: &str, depth: usize) -> Result<(), String> {
        if depth > DEEPEST {
            return Ok(());
        }
        let schema = self.resolved(schema);
        let inside = |value: &Value, schema: &Value, name: &str| {
            self.check(value, schema, &format!("{at}/{name}"), depth + 1)
        };
        for part in schema["allOf"].as_array().into_iter().flatten() {
            inside(value, part, "")?;
        }
        for kind in ["oneOf", "anyOf"] {
            if let Some(choices) = schema[kind].as_array() {
                let whys: Vec<String> =
                    choices.iter().filter_map(|one| inside(value, one, "").err()).collect();
                if whys.len() == choices.len() {
                    return Err(format!("{at} is none of its choices: {}", whys.join("; ")));
                }
            }
        }
        if let Some(allowed) = schema["enum"].as_array()
            && !allowed.contains(value)
        {
            return Err(format!("{at} is none of {allowed:?}"));
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return Ok(()),
        };
        if !kinds.iter().any(|kind| is(value, kind)) {
            return Err(format!("{at} is not {kinds:?}: {value}"));
        }
        for item in value.as_array().into_iter().flatten() {
            inside(item, &schema["items"], "*")?;
        }
        if let Some(object) = value.as_object() {
            for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                object.get(name).ok_or_else(|| format!("{at}/{name} is missing"))?;
            }
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                object.get(name).map_or(Ok(()), |value| inside(value, schema, name))?;
            }
        }
        Ok(())
    }
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// Whether a refusal has the shape of its host and says in Chinese why.
pub fn refusal_in_chinese(financial: bool, body: &Value) -> Result<(), String> {
    let texts: Vec<&Value> = if financial {
        if body["success"] != false {
            return Err("it does not say success: false".to_owned());
        }
        vec![&body["msg"], &body["message"]]
    } else if body["error"].is_string() {
        vec![&body["error"]]
    } else {
        if body["suc"] != false || !body["error"]["code"].is_string() {
            return Err("it does not say suc: false and a code".to_owned());
        }
        vec![&body["error"]["promot"], &body["error"]["promt"]]
    };
    for text in texts {
        let text = text.as_str().ok_or("it says nothing")?;
        in_chinese(text)?;
        // Names of fields are Latin; sentences are not.
        let latin = text.replace("YYYY-MM-DD HH:mm:ss", "");
        let latin = latin.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 1).count();
        if latin > 3 {
            return Err(format!("half English: {text}"));
        }
    }
    Ok(())
}

/// Whether there is any Chinese in it.
pub fn in_chinese(text: &str) -> Result<(), String> {
    let chinese = text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    if chinese { Ok(()) } else { Err(format!("not Chinese: {text}")) }
}
