//! Values with a number and a label, each said once: storage, wire, OpenAPI, exports and the operator log read them
//! from here, the web from the document.

/// One of a few values, known by its number on the wire and by its label to people.
pub trait Choice: Copy + Eq + Sized + 'static {
    /// What it is a choice of, in Chinese: for refusals.
    const TITLE: &'static str;
    /// All of them, by number.
    const ALL: &'static [Self];

    /// Its number, on the wire, in events and in tables.
    fn number(self) -> i16;

    /// How people call it, in Chinese.
    fn label(self) -> &'static str;

    /// The one with this number.
    fn of(number: i16) -> Result<Self, NotAChoice> {
        let found = Self::ALL.iter().copied().find(|one| one.number() == number);
        found.ok_or(NotAChoice { title: Self::TITLE, number: number.into() })
    }

    /// The label of the one with this number; empty when there is none, as in rows that are older than a rule.
    fn label_of(number: i16) -> &'static str {
        Self::of(number).map_or("", Self::label)
    }
}

/// No choice has this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{title}的取值不正确：{number}")]
pub struct NotAChoice {
    /// What it would be a choice of.
    pub title: &'static str,
    /// What was given.
    pub number: i64,
}

/// Declares choices: `Variant = number => "label"`. Gives [`Choice`], numbers in JSON and in PostgreSQL (`smallint`), and
/// the numbers with their labels (`x-enum-labels`) in OpenAPI.
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $name:ident($title:literal) {
        $($(#[$of_one:meta])* $one:ident = $number:literal => $label:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i16)]
        $vis enum $name {
            $(
                #[doc = concat!(stringify!($number), " ", $label, ".")]
                $(#[$of_one])*
                $one = $number
            ),+
        }

        #[allow(dead_code, reason = "not every choice is asked for all of it")]
        impl $name {
            /// All of them, by number.
            $vis const ALL: &'static [Self] = &[$(Self::$one),+];

            /// Its number, on the wire, in events and in tables.
            $vis const fn number(self) -> i16 {
                self as i16
            }

            /// How people call it, in Chinese.
            $vis const fn label(self) -> &'static str {
                match self {
                    $(Self::$one => $label),+
                }
            }
        }

        impl $crate::Choice for $name {
            const TITLE: &'static str = $title;
            const ALL: &'static [Self] = Self::ALL;

            fn number(self) -> i16 {
                self as i16
            }

            fn label(self) -> &'static str {
                self.label()
            }
        }

        /// The label.
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.label())
            }
        }

        impl From<$name> for i16 {
            fn from(one: $name) -> Self {
                one as Self
            }
        }

        impl TryFrom<i16> for $name {
            type Error = $crate::NotAChoice;

            fn try_from(number: i16) -> Result<Self, $crate::NotAChoice> {
                $crate::Choice::of(number)
            }
        }

        impl $crate::choice::serde::Serialize for $name {
            fn serialize<S: $crate::choice::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_i16(*self as i16)
            }
        }

        impl<'de> $crate::choice::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::choice::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let number = <i16 as $crate::choice::serde::Deserialize>::deserialize(from)?;
                $crate::Choice::of(number).map_err($crate::choice::serde::de::Error::custom)
            }
        }

        impl $crate::choice::sqlx::Type<$crate::choice::sqlx::Postgres> for $name {
            fn type_info() -> $crate::choice::sqlx::postgres::PgTypeInfo {
                <i16 as $crate::choice::sqlx::Type<$crate::choice::sqlx::Postgres>>::type_info()
            }
        }

        impl<'q> $crate::choice::sqlx::Encode<'q, $crate::choice::sqlx::Postgres> for $name {
            fn encode_by_ref(
                &self,
                to: &mut $crate::choice::sqlx::postgres::PgArgumentBuffer,
            ) -> Result<$crate::choice::sqlx::encode::IsNull, $crate::choice::sqlx::error::BoxDynError> {
                <i16 as $crate::choice::sqlx::Encode<'q, $crate::choice::sqlx::Postgres>>::encode_by_ref(&(*self as i16), to)
            }
        }

        impl<'r> $crate::choice::sqlx::Decode<'r, $crate::choice::sqlx::Postgres> for $name {
            fn decode(
                value: $crate::choice::sqlx::postgres::PgValueRef<'r>,
            ) -> Result<Self, $crate::choice::sqlx::error::BoxDynError> {
                let number = <i16 as $crate::choice::sqlx::Decode<'r, $crate::choice::sqlx::Postgres>>::decode(value)?;
                Ok($crate::Choice::of(number)?)
            }
        }

        impl $crate::choice::utoipa::PartialSchema for $name {
            fn schema() -> $crate::choice::utoipa::openapi::RefOr<$crate::choice::utoipa::openapi::Schema> {
                $crate::choice::schema::<Self>()
            }
        }

        impl $crate::choice::utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
        }
    };
}

/// What the macro needs of others, so that its users need not name them.
#[doc(hidden)]
pub use {serde, sqlx, utoipa};

/// The numbers, and their labels in the same order.
#[doc(hidden)]
pub fn schema<T: Choice>() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
    use utoipa::openapi::extensions::ExtensionsBuilder;
    use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
    let labels: Vec<&str> = T::ALL.iter().map(|one| one.label()).collect();
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
        .description(Some(T::TITLE))
        .enum_values(Some(T::ALL.iter().map(|one| one.number())))
        .extensions(Some(ExtensionsBuilder::new().add("x-enum-labels", labels).build()))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    choices! {
        /// How ripe it is.
        pub enum Ripeness("成熟度") {
            Green = 0 => "未熟",
            Ripe = 2 => "已熟",
        }
    }

    #[test]
    fn a_choice_is_its_number_to_machines_and_its_label_to_people() {
        assert_eq!(serde_json::to_string(&Ripeness::Ripe).unwrap(), "2");
        assert_eq!(serde_json::from_str::<Ripeness>("0").unwrap(), Ripeness::Green);
        assert_eq!(
            (Ripeness::Ripe.label(), Ripeness::label_of(2), Ripeness::label_of(1)),
            ("已熟", "已熟", "")
        );
        let refused = serde_json::from_str::<Ripeness>("1").unwrap_err();
        assert!(refused.to_string().starts_with("成熟度的取值不正确：1"), "{refused}");
        assert!(serde_json::from_str::<Ripeness>("\"2\"").is_err(), "a text is no number");
    }

    #[test]
    fn the_document_has_the_numbers_with_their_labels() {
        let schema = serde_json::to_value(schema::<Ripeness>()).unwrap();
        assert_eq!(schema["enum"], serde_json::json!([0, 2]));
        assert_eq!(schema["x-enum-labels"], serde_json::json!(["未熟", "已熟"]));
    }
}
