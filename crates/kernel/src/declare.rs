//! Events and refusals, each said in one place.

/// Declares what may have happened to an aggregate: `Variant { … } = "category.what"`. Gives the stored form (`type` and
/// `data`) and [`Event::stored_type`](crate::Event::stored_type).
#[macro_export]
macro_rules! events {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $(
            $(#[$of_one:meta])*
            $one:ident
            $(($(#[$of_inner:meta])* $inner:ty))?
            $({ $($(#[$of_field:meta])* $field:ident: $type:ty),+ $(,)? })?
            = $stored:literal
        ),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(tag = "type", content = "data")]
        $vis enum $name {
            $(
                $(#[$of_one])*
                #[serde(rename = $stored)]
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
        }
    };
}

/// Declares why a command is refused: `Variant(Fact) = "code": ("text with {0}")`. The code is for programs, the text a
/// Chinese sentence for people, written as `thiserror` has it. `or Other(OtherRefusal)` behind it takes another rule's
/// refusals over as they are.
#[macro_export]
macro_rules! refusals {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $(
            $(#[$of_one:meta])*
            $one:ident $(($($inner:ty),+))? $({ $($field:ident: $type:ty),+ $(,)? })?
            = $code:literal: ($($text:tt)+)
        ),+ $(,)?
    } $(or $(#[$of_other:meta])* $other:ident($refusal:ty))?) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, ::thiserror::Error)]
        $vis enum $name {
            $(
                #[doc = concat!("`", $code, "`.")]
                $(#[$of_one])*
                #[error($($text)+)]
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Event, Refusal};

    const NAME_MAX: usize = 20;

    events! {
        /// What happened to a stall.
        enum StallEvent {
            Opened { name: String } = "stall.opened",
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
