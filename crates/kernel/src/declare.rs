//! Events, refusals and rows, each said in one place.

/// Declares what may have happened to an aggregate: `Variant { … } = "category.what"`. Gives the stored form (`type` and
/// `data`), which documents it, and [`Event::stored_type`](crate::Event::stored_type). Data that changed its form says
/// which form this is and what lifts older ones: `= "category.what" in form 2 by lift`, where `fn lift(from: i16, data:
/// Value) -> Value` makes the next form of one.
#[macro_export]
macro_rules! events {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $(
            $(#[$of_one:meta])*
            $one:ident
            $(($(#[$of_inner:meta])* $inner:ty))?
            $({ $($(#[$of_field:meta])* $field:ident: $type:ty),+ $(,)? })?
            = $stored:literal $(in form $form:literal by $lift:path)?
        ),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(tag = "type", content = "data")]
        $vis enum $name {
            $(
                #[doc = concat!("`", $stored, "`.")]
                $(#[$of_one])*
                #[serde(rename = $stored)]
                #[allow(missing_docs, reason = "fields are named after what they are")]
                $one
                $(($(#[$of_inner])* $inner))?
                $({ $($(#[$of_field])* $field: $type),+ })?
            ),+
        }

        impl $crate::Event for $name {
            fn stored_type(&self) -> &'static str {
                match self {
                    $(Self::$one { .. } => $stored),+
                }
            }

            fn schema_version(_stored_type: &str) -> i16 {
                $($(if _stored_type == $stored {
                    return $form;
                })?)+
                1
            }

            fn upcast(
                _stored_type: &str,
                _from: i16,
                data: ::serde_json::Value,
            ) -> Result<::serde_json::Value, $crate::DecodeError> {
                $($(if _stored_type == $stored {
                    return Ok($lift(_from, data));
                })?)+
                Ok(data)
            }
        }
    };
}

/// Declares why a command is refused: `Variant(Fact) = "code": ("text with {0}")`. The code is for programs, the text a
/// Chinese sentence for people, written as `thiserror` has it; both are its documentation. `or Other(OtherRefusal)` behind it takes another rule's
/// refusals over as they are.
#[macro_export]
macro_rules! refusals {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $(
            $(#[$of_one:meta])*
            $one:ident $(($($inner:ty),+))? $({ $($field:ident: $type:ty),+ $(,)? })?
            = $code:literal: ($text:literal $($fact:tt)*)
        ),+ $(,)?
    } $(or $(#[$of_other:meta])* $other:ident($refusal:ty))?) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, ::thiserror::Error)]
        $vis enum $name {
            $(
                #[doc = concat!("`", $code, "`: ", $text)]
                $(#[$of_one])*
                #[error($text $($fact)*)]
                #[allow(missing_docs, reason = "fields are the facts that the text names")]
                $one $(($($inner),+))? $({ $($field: $type),+ })?,
            )+
            $(
                $(#[$of_other])*
                #[error(transparent)]
                $other(#[from] $refusal),
            )?
        }

        impl $crate::Refusal for $name {
            fn code(&self) -> &'static str {
                match self {
                    $(Self::$one { .. } => $code,)+
                    $(Self::$other(refusal) => <$refusal>::code(refusal),)?
                }
            }

            fn message(&self) -> String {
                self.to_string()
            }
        }
    };
}

/// Declares a row of a read model once for its table and for the wire: a field's column has its name or the one behind
/// `=`. What other tables tell of it, a list's query adds (`as default`); what no table does, is filled in (`as skip`). The
/// struct derives `sqlx::FromRow`, which reads it, and says its names on the wire by serde.
#[macro_export]
macro_rules! row {
    (@column $field:ident) => { stringify!($field) };
    (@column $field:ident = $column:literal) => { $column };
    (@store $to:ident, $row:ident, $field:ident as $added:ident) => {};
    (@store $to:ident, $row:ident, $field:ident $(= $column:literal)?) => {
        $to.insert($crate::row!(@column $field $(= $column)?).to_owned(), ::serde_json::to_value(&$row.$field)?);
    };
    (@restore $of:ident, $field:ident as $added:ident) => { Default::default() };
    (@restore $of:ident, $field:ident $(= $column:literal)?) => {
        ::serde_json::from_value($of[$crate::row!(@column $field $(= $column)?)].take())?
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $(
            $(#[$of_field:meta])*
            $of_vis:vis $field:ident: $type:ty $(= $column:literal)? $(as $added:ident)?
        ),+ $(,)?
    }) => {
        $(#[$meta])*
        $vis struct $name {
            $(
                $(#[$of_field])*
                $(#[sqlx(rename = $column)])?
                $(#[sqlx($added)])?
                $of_vis $field: $type,
            )+
        }

        impl $crate::Stored for $name {
            fn stored(&self) -> ::serde_json::Result<::serde_json::Value> {
                let mut columns = ::serde_json::Map::new();
                $($crate::row!(@store columns, self, $field $(= $column)? $(as $added)?);)+
                Ok(columns.into())
            }

            fn restored(mut columns: ::serde_json::Value) -> ::serde_json::Result<Self> {
                Ok(Self { $($field: $crate::row!(@restore columns, $field $(= $column)? $(as $added)?)),+ })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{Event, Refusal, Stored};

    row! {
        #[derive(Debug, PartialEq, serde::Serialize, sqlx::FromRow)]
        #[serde(rename_all = "camelCase")]
        struct StallRow {
            id: String = "stall_id",
            opened_at: i64 = "opened_at_ms",
            goods: Vec<u8>,
            street: Option<String> as default,
            #[serde(skip)]
            position: i64,
        }
    }

    #[test]
    fn a_row_has_the_names_of_its_table_there_and_those_of_the_wire_here() {
        let columns = json!({"stall_id": "东", "opened_at_ms": 5, "goods": [1, 2], "position": 9});
        let row =
            StallRow { street: Some("南街".to_owned()), ..StallRow::restored(columns.clone()).unwrap() };
        assert_eq!(row.stored().unwrap(), columns, "the street is another table's");
        let told = json!({"id": "东", "openedAt": 5, "goods": [1, 2], "street": "南街"});
        assert_eq!(serde_json::to_value(&row).unwrap(), told);
        assert!(StallRow::restored(json!({"stall_id": "东"})).is_err(), "a column is missing");
    }

    const NAME_MAX: usize = 20;

    events! {
        /// What happened to a stall.
        enum StallEvent {
            Opened { name: String } = "stall.opened" in form 3 by named,
            Sold(u8) = "stall.sold",
            Closed = "stall.closed",
        }
    }

    refusals! {
        /// Why not.
        enum StallRefusal {
            Name = "stall-name": ("名称需 1 到 {NAME_MAX} 个字"),
            Left(u8) = "stall-left": ("还有 {0} 件"),
            Rent { cents: i64 } = "stall-rent": ("还欠 {} 元", cents / 100),
        }
    }

    /// At first a stall had a title, then a name, then one in brackets.
    #[expect(clippy::needless_pass_by_value, reason = "the form that lifts must have")]
    fn named(from: i16, data: Value) -> Value {
        match from {
            1 => json!({"name": data["title"]}),
            _ => json!({"name": format!("[{}]", data["name"].as_str().unwrap_or_default())}),
        }
    }

    #[test]
    fn what_was_stored_in_an_older_form_is_lifted_step_by_step() {
        let read = |form: i16, data: &str| {
            crate::log::codec::decode::<StallEvent>("stall.opened", form, data.as_bytes()).unwrap()
        };
        let opened = |name: &str| StallEvent::Opened { name: name.to_owned() };
        assert_eq!(read(1, r#"{"title": "东"}"#), opened("[东]"));
        assert_eq!(read(2, r#"{"name": "东"}"#), opened("[东]"));
        assert_eq!(read(3, r#"{"name": "东"}"#), opened("东"));
        assert_eq!(
            (StallEvent::schema_version("stall.opened"), StallEvent::schema_version("stall.sold")),
            (3, 1)
        );
    }

    #[test]
    fn an_event_is_stored_under_its_type() {
        let opened = StallEvent::Opened { name: "东".to_owned() };
        assert_eq!(
            serde_json::to_value(&opened).unwrap(),
            json!({"type": "stall.opened", "data": {"name": "东"}})
        );
        let types = [opened, StallEvent::Sold(1), StallEvent::Closed].map(|event| event.stored_type());
        assert_eq!(types, ["stall.opened", "stall.sold", "stall.closed"]);
        assert_eq!(
            serde_json::from_value::<StallEvent>(json!({"type": "stall.closed"})).unwrap(),
            StallEvent::Closed
        );
    }

    #[test]
    fn a_refusal_has_a_code_and_a_sentence_with_its_facts() {
        let refusals = [StallRefusal::Name, StallRefusal::Left(3), StallRefusal::Rent { cents: 500 }];
        let told = refusals.map(|refusal| (refusal.code(), refusal.message()));
        let text = |(code, text): &(&'static str, String)| format!("{code} {text}");
        assert_eq!(
            told.each_ref().map(text),
            ["stall-name 名称需 1 到 20 个字", "stall-left 还有 3 件", "stall-rent 还欠 5 元"]
        );
    }
}
