//! A value as serde's derived readers ask for it.

use super::{Failure, Json};
use alloc::borrow::Cow;
use alloc::vec;
use serde::de::{self, DeserializeSeed, Deserializer, Expected, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

impl<'a> Json<'a> {
    /// The digits of a number; those of a map's key stand in quotes.
    fn digits(&self) -> &str {
        match self {
            Self::Number(digits) => digits,
            Self::Text(text) => text,
            _ => "",
        }
    }

    fn wrong<T>(expected: &dyn Expected) -> Result<T, Failure> {
        Err(de::Error::invalid_type(Unexpected::Other("value"), expected))
    }

    fn give_text<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self {
            Self::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Self::Text(Cow::Owned(text)) => visitor.visit_string(text),
            _ => Self::wrong(&visitor),
        }
    }

    fn give_list<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self {
            Self::List(items) => visitor.visit_seq(Items(items.into_iter())),
            _ => Self::wrong(&visitor),
        }
    }

    fn give_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self {
            Self::Map(entries) => visitor.visit_map(Entries(entries.into_iter(), Self::Null)),
            _ => Self::wrong(&visitor),
        }
    }
}

/// Whole numbers: the visitor looks whether one fits its type.
macro_rules! whole {
    ($visit:ident: $($name:ident)+) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
            match self.digits().parse() {
                Ok(number) => visitor.$visit(number),
                Err(_) => Err(de::Error::invalid_value(Unexpected::Other("number"), &visitor)),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for Json<'de> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        Self::wrong(&visitor)
    }

    whole!(visit_u64: deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64);
    whole!(visit_i64: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64);

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self {
            Self::Bool(value) => visitor.visit_bool(value),
            _ => Self::wrong(&visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.give_text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.give_text(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.give_text(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.give_text(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.give_list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Failure> {
        self.give_list(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.give_map(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.give_map(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self {
            Self::Null => visitor.visit_none(),
            some => visitor.visit_some(some),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    /// `"wal"`, or `{"map": …}`.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let (name, contents) = match self {
            Self::Map(mut entries) if entries.len() == 1 => entries.remove(0),
            Self::Text(name) => (name, Self::Null),
            _ => return Self::wrong(&visitor),
        };
        visitor.visit_enum(Variant(name, contents))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 f32 f64 bytes byte_buf unit unit_struct tuple_struct }
}

/// What is left of a list.
struct Items<'de>(vec::IntoIter<Json<'de>>);

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Failure> {
        self.0.next().map(|item| seed.deserialize(item)).transpose()
    }
}

/// What is left of a map, and the value of the key that was read.
struct Entries<'de>(vec::IntoIter<(Cow<'de, str>, Json<'de>)>, Json<'de>);

impl<'de> de::MapAccess<'de> for Entries<'de> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Failure> {
        let Some((key, value)) = self.0.next() else { return Ok(None) };
        self.1 = value;
        seed.deserialize(Json::Text(key)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Failure> {
        seed.deserialize(core::mem::replace(&mut self.1, Json::Null))
    }
}

/// A variant's name, and what it holds.
struct Variant<'de>(Cow<'de, str>, Json<'de>);

impl<'de> de::EnumAccess<'de> for Variant<'de> {
    type Error = Failure;
    type Variant = Json<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Json<'de>), Failure> {
        Ok((seed.deserialize(Json::Text(self.0))?, self.1))
    }
}

impl<'de> de::VariantAccess<'de> for Json<'de> {
    type Error = Failure;

    fn unit_variant(self) -> Result<(), Failure> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Failure> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Failure> {
        self.give_list(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Failure> {
        self.give_map(visitor)
    }
}
