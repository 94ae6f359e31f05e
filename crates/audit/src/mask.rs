//! Personal data: marked where it is folded, masked wherever it is shown or kept in a row.

use serde_json::{Map, Value, json};

/// Under this key stands what a person may have forgotten.
const MARK: &str = "$personal";

/// `value` with personal data marked shortly (`{"$personal": "王芳"}`, null when forgotten) and without zero characters,
/// which PostgreSQL cannot hold.
pub fn marked(value: Value) -> Value {
    match value {
        Value::Object(mut fields) => match fields.remove(MARK) {
            Some(Value::Object(mut form)) => {
                json!({ MARK: form.remove("plain").map_or(Value::Null, marked) })
            }
            Some(short) => json!({ MARK: short }),
            None => {
                Value::Object(fields.into_iter().map(|(key, value)| (clean(&key), marked(value))).collect())
            }
        },
        Value::Array(items) => Value::Array(items.into_iter().map(marked).collect()),
        Value::String(text) if text.contains('\0') => Value::String(clean(&text)),
        other => other,
    }
}

/// Text without zero characters.
pub fn clean(text: &str) -> String {
    text.replace('\0', "")
}

/// What is known, without its mark: for names that people are called by.
pub fn plain(value: &Value) -> &Value {
    match value {
        Value::Object(fields) if fields.len() == 1 => fields.get(MARK).unwrap_or(value),
        _ => value,
    }
}

/// `value` as anybody may see it: phones and identity numbers without their middle, personal data down to its first
/// character.
pub fn masked(value: &Value) -> Value {
    match value {
        Value::Object(fields) => match fields.get(MARK) {
            Some(Value::String(text)) => Value::String(person(text)),
            Some(Value::Null) => Value::String("（已遗忘）".to_owned()),
            Some(_) => Value::String("***".to_owned()),
            None => {
                let kept = |(key, value): (&String, &Value)| (key.clone(), masked(value));
                Value::Object(fields.iter().map(kept).collect::<Map<_, _>>())
            }
        },
        Value::Array(items) => Value::Array(items.iter().map(masked).collect()),
        Value::String(text) => Value::String(text_masked(text)),
        other => other.clone(),
    }
}

/// Personal text: a number as numbers are masked, anything else down to its first character.
fn person(text: &str) -> String {
    let numbers = text_masked(text);
    if numbers != text {
        return numbers;
    }
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{first}{}", "*".repeat(letters.count().min(2))))
}

/// Text with the middle of every mainland mobile number and identity number in it hidden.
pub fn text_masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        let (digits, after) = from.split_at(end);
        // The last place of an identity number may be an X.
        let identity = digits.len() == 18
            || (digits.len() == 17
                && after.starts_with(['x', 'X'])
                && !after[1..].starts_with(|c: char| c.is_ascii_alphanumeric()));
        if digits.len() == 11 && digits.starts_with('1') && digits.as_bytes()[1] >= b'3' {
            out.push_str(&digits[..3]);
            out.push_str("****");
            out.push_str(&digits[7..]);
        } else if identity && looks_like_identity(digits) {
            out.push_str(&digits[..4]);
            out.push_str("**********");
            out.push_str(&digits[14..]);
        } else {
            out.push_str(digits);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether places 7 to 14 are a date of birth: ids of the system have 18 digits too.
fn looks_like_identity(digits: &str) -> bool {
    let number = |from: usize, to: usize| digits[from..to].parse::<u32>().unwrap_or(0);
    let (region, year, month, day) = (number(0, 2), number(6, 10), number(10, 12), number(12, 14));
    (11..=82).contains(&region)
        && (1900..=2100).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persons_name_keeps_its_first_character_and_what_is_forgotten_says_so() {
        let data = marked(json!({"name": {"$personal": {"subject": "operator:7", "plain": "王小芳"}}}));
        assert_eq!(plain(&data["name"]), "王小芳");
        assert_eq!(masked(&data), json!({"name": "王**"}));
        let gone = marked(json!({"name": {"$personal": {"subject": "operator:7", "sealed": "abc"}}}));
        assert_eq!(masked(&gone), json!({"name": "（已遗忘）"}));
        assert!(plain(&gone["name"]).is_null());
    }

    #[test]
    fn phones_and_identity_numbers_lose_their_middle_wherever_they_stand() {
        assert_eq!(text_masked("请回电13812348888谢谢"), "请回电138****8888谢谢");
        assert_eq!(text_masked("350203199003071234"), "3502**********1234");
        assert_eq!(text_masked("35020319900307123X"), "3502**********123X");
        let kept = ["7201234567890123456", "138123488881", "12812348888", "A00012", "2026-05-01 09:00:00"];
        for text in kept {
            assert_eq!(text_masked(text), text);
        }
        assert_eq!(masked(&json!(["19912345678", 7])), json!(["199****5678", 7]));
    }

    #[test]
    fn zero_characters_do_not_reach_the_database() {
        assert_eq!(marked(json!({"a": "x\u{0}y", "b": ["\u{0}"]})), json!({"a": "xy", "b": [""]}));
    }
}
