//! The one way to declare a C struct of PostgreSQL: name, size, and each field's offset, name, type and sentence.
//!
//! ```
//! use ffviz_format::page::layout::{Wire, c_struct};
//! c_struct! {
//!     /// `ExampleData`, src/include/example.h
//!     pub struct ExampleData, 6 {
//!         /// a count of things
//!         0 => ex_count: u16,
//!         /// a block number
//!         2 => ex_block: u32,
//!     }
//! }
//! let example = ExampleData::new(&[7, 0, 1, 0, 0, 0]);
//! assert_eq!((example.ex_count(), example.ex_block()), (7, 1));
//! assert_eq!(ExampleData::FIELDS[1].doc.trim(), "a block number");
//!
//! let mut made = ExampleData::make(7, 1);
//! assert_eq!(made, [7, 0, 1, 0, 0, 0]);
//! ExampleData::edit(&mut made).ex_count(8).ex_block(2);
//! assert_eq!(made, [8, 0, 2, 0, 0, 0]);
//! ```
//!
//! From the one declaration come a view of borrowed bytes with a getter a field, the bytes made of the fields' values,
//! a setter a field, the table `FIELDS`, the fields with their values that the inspector shows, and a proof at compile
//! time that the fields follow one another and end at the stated size. Fields named `padding` are zero in what `make`
//! makes and are no argument of it.

use super::field::Field;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

/// A value with a fixed place in a struct: `SIZE` bytes, little-endian as on every platform PostgreSQL's packages
/// serve.
pub trait Wire: Sized {
    /// bytes on the page
    const SIZE: usize;
    /// Reads the value at the start of `bytes`; missing bytes count as zero, since decoding never fails.
    fn get(bytes: &[u8]) -> Self;
    /// Writes the value at the start of `bytes`, which must have `SIZE` bytes.
    fn set(&self, bytes: &mut [u8]);
    /// The value as the inspector shows it.
    fn show(&self) -> String;
}

/// The first bytes, zero where they are missing. They hardly ever are, and then reading them is one load.
#[inline]
fn first_bytes<const N: usize>(bytes: &[u8]) -> [u8; N] {
    match bytes.first_chunk() {
        Some(bytes) => *bytes,
        None => filled_up(bytes),
    }
}

#[cold]
fn filled_up<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut raw = [0; N];
    raw.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    raw
}

macro_rules! wire_int {
    ($($int:ty),+) => {$(
        impl Wire for $int {
            const SIZE: usize = size_of::<$int>();
            #[inline]
            fn get(bytes: &[u8]) -> Self {
                <$int>::from_le_bytes(first_bytes(bytes))
            }
            #[inline]
            fn set(&self, bytes: &mut [u8]) {
                bytes[..Self::SIZE].copy_from_slice(&self.to_le_bytes());
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )+};
}
wire_int!(u8, u16, u32, u64, i16, i32, i64, f64);

/// Alignment and other bytes without a type of their own; shown in hex.
impl<const N: usize> Wire for [u8; N] {
    const SIZE: usize = N;
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        first_bytes(bytes)
    }
    fn set(&self, bytes: &mut [u8]) {
        bytes[..N].copy_from_slice(self);
    }
    fn show(&self) -> String {
        self.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A C `bool`: one byte, true unless it is 0.
impl Wire for bool {
    const SIZE: usize = 1;
    fn get(bytes: &[u8]) -> Self {
        u8::get(bytes) != 0
    }
    fn set(&self, bytes: &mut [u8]) {
        u8::from(*self).set(bytes);
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

/// One field of a C struct, for tables that explain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSpec {
    /// PostgreSQL's name, verbatim
    pub name: &'static str,
    /// bytes from the start of the struct
    pub offset: u16,
    /// length in bytes
    pub len: u16,
    /// what it means, one sentence
    pub doc: &'static str,
}

impl FieldSpec {
    /// Where the field lies, in a struct that starts at byte `at` of the page.
    #[must_use]
    pub const fn bytes(&self, at: u16) -> Range<u16> {
        let start = at.saturating_add(self.offset);
        start..start.saturating_add(self.len)
    }

    /// The field with its value, of a struct that starts at byte `at` of the page.
    #[must_use]
    pub fn field(&self, at: u16, value: String) -> Field {
        Field::new(self.name, self.bytes(at), value, self.doc.trim())
    }
}

/// Fields of a struct in the header's order, as the inspector shows them.
pub type Fields = Vec<Field>;

/// Declares a C struct once; see the module's documentation.
#[macro_export]
macro_rules! c_struct {
    // the constructor: alignment drops out of the list of arguments
    (@make $size:literal [$($kept:tt)*] $at:literal padding: $ty:ty, $($rest:tt)*) => {
        $crate::page::layout::c_struct!(@make $size [$($kept)*] $($rest)*);
    };
    (@make $size:literal [$($kept:tt)*] $at:literal padding1: $ty:ty, $($rest:tt)*) => {
        $crate::page::layout::c_struct!(@make $size [$($kept)*] $($rest)*);
    };
    (@make $size:literal [$($kept:tt)*] $at:literal padding2: $ty:ty, $($rest:tt)*) => {
        $crate::page::layout::c_struct!(@make $size [$($kept)*] $($rest)*);
    };
    (@make $size:literal [$($kept:tt)*] $at:literal padding3: $ty:ty, $($rest:tt)*) => {
        $crate::page::layout::c_struct!(@make $size [$($kept)*] $($rest)*);
    };
    (@make $size:literal [$($kept:tt)*] $at:literal $field:ident: $ty:ty, $($rest:tt)*) => {
        $crate::page::layout::c_struct!(@make $size [$($kept)* $at $field: $ty,] $($rest)*);
    };
    (@make $size:literal [$($at:literal $field:ident: $ty:ty,)*]) => {
        /// The struct's bytes, of its fields' values in their order; alignment is zero.
        #[must_use]
        #[allow(clippy::too_many_arguments)]
        pub fn make($($field: $ty),*) -> [u8; $size] {
            let mut bytes = [0; $size];
            $($crate::page::layout::Wire::set(&$field, &mut bytes[$at..]);)*
            bytes
        }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident, $size:literal {
        $( $(#[doc = $doc:literal])+ $offset:literal => $field:ident : $ty:ty ),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis struct $name<'a>(&'a [u8]);

        #[allow(dead_code)]
        impl<'a> $name<'a> {
            /// size of the struct in bytes
            pub const SIZE: usize = $size;
            /// the fields in the header's order
            pub const FIELDS: &'static [$crate::page::layout::FieldSpec] = &[$(
                $crate::page::layout::FieldSpec {
                    name: stringify!($field),
                    offset: $offset,
                    len: <$ty as $crate::page::layout::Wire>::SIZE as u16,
                    doc: concat!($($doc),+),
                }
            ),+];

            /// Looks at the struct at the start of `bytes`; bytes that are missing read as zero.
            #[must_use]
            #[inline]
            pub const fn new(bytes: &'a [u8]) -> Self {
                Self(bytes)
            }
            $(
                $(#[doc = $doc])+
                #[must_use]
                #[inline]
                pub fn $field(&self) -> $ty {
                    <$ty as $crate::page::layout::Wire>::get(self.0.get($offset..).unwrap_or(&[]))
                }
            )+
            /// Where a field lies, in a struct that starts at byte `at` of the page; empty for a name it does not have.
            #[must_use]
            pub fn bytes_of(name: &str, at: u16) -> core::ops::Range<u16> {
                let spec = Self::FIELDS.iter().find(|spec| spec.name == name);
                spec.map_or(at..at, |spec| spec.bytes(at))
            }
            /// Every field with its bytes and value, of a struct that starts at byte `at` of the page.
            #[must_use]
            pub fn fields(&self, at: u16) -> $crate::page::layout::Fields {
                let mut specs = Self::FIELDS.iter();
                let mut fields = $crate::page::layout::Fields::with_capacity(specs.len());
                $(
                    let value = $crate::page::layout::Wire::show(&self.$field());
                    fields.extend(specs.next().map(|spec| spec.field(at, value)));
                )+
                fields
            }
            $crate::page::layout::c_struct!(@make $size [] $($offset $field: $ty,)+);
        }

        #[allow(dead_code)]
        const _: () = {
            /// Setters of the struct's fields.
            pub struct Edit<'a>(&'a mut [u8]);

            impl $name<'_> {
                /// Setters of the struct at the start of `bytes`, which must have its bytes up to the fields that are
                /// set.
                #[must_use]
                #[inline]
                pub const fn edit(bytes: &mut [u8]) -> Edit<'_> {
                    Edit(bytes)
                }
            }

            impl Edit<'_> {
                $(
                    $(#[doc = $doc])+
                    #[inline]
                    pub fn $field(&mut self, value: $ty) -> &mut Self {
                        $crate::page::layout::Wire::set(&value, &mut self.0[$offset..]);
                        self
                    }
                )+
            }
        };

        const _: () = {
            let mut end = 0;
            $(
                assert!($offset == end, "a field does not follow the one before it");
                end += <$ty as $crate::page::layout::Wire>::SIZE;
            )+
            assert!(end == $size, "the fields do not end at the stated size");
        };
    };
}
pub use c_struct;
