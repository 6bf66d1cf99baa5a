//! A link that holds a whole script with its server, step and view: `#v1/` and JSON, compressed, in letters that an
//! address may have. Nothing of it is sent anywhere, and all of it is text.
//!
//! ```text
//! {"sql":"create table …","pg":"17","set":["full_page_writes=off"],"versus":[],"step":"6.2","view":"page"}
//!   └─ deflate ─▶ base64url ─▶ #v1/eJyr…
//! ```
//!
//! Links of version 1 stay good: a test keeps some. What a link may not hold is refused, and said.

use crate::library::Failure;
use crate::simulator::Server;
use js_sys::{Array, JSON, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStream, ReadableStreamDefaultReader, Response};

/// What the part of the address behind `#` begins with.
const PREFIX: &str = "v1/";
/// A link may hold so much, in bytes, when it is unpacked.
const MOST: usize = 1 << 20;
/// The way that it is packed, in the browser's words.
const PACKED: &str = "deflate-raw";

#[wasm_bindgen]
extern "C" {
    type CompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<CompressionStream, JsValue>;

    type DecompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;
}

/// What a link holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Link {
    /// the script
    pub sql: String,
    /// the server that it runs on, and another
    pub server: Server,
    /// the step's address, such as `6.2`; empty for the first with something to see
    pub step: String,
    /// the view's name; empty for the figure
    pub view: String,
}

/// Is it a link, of any version?
#[must_use]
pub fn is_link(hash: &str) -> bool {
    let version = hash.strip_prefix("#v").and_then(|rest| rest.split_once('/'));
    version.is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

impl Link {
    /// Reads the part of the address from `#` on.
    ///
    /// # Errors
    /// What is wrong with it, a sentence.
    pub async fn read(hash: &str) -> Result<Self, Failure> {
        let Some(packed) = hash.trim_start_matches('#').strip_prefix(PREFIX) else {
            return Err("This link is of a later version of ffviz than this page.".to_owned());
        };
        let damaged = |_: JsValue| "This link is damaged: a part of it is missing or was changed.".to_owned();
        let bytes = letters_to_bytes(packed).map_err(damaged)?;
        let plain =
            unpack(&bytes).await.map_err(damaged)?.ok_or("This link holds more than 1 MB, and is not opened.")?;
        let object = JSON::parse(&String::from_utf8_lossy(&plain)).map_err(damaged)?;
        let word = |name: &str| Reflect::get(&object, &name.into()).ok().and_then(|value| value.as_string());
        let words = |name: &str| -> Vec<String> {
            let list = Reflect::get(&object, &name.into()).unwrap_or_default();
            if !Array::is_array(&list) {
                return Vec::new();
            }
            Array::from(&list).iter().filter_map(|value| value.as_string()).collect()
        };
        let sql = word("sql").ok_or("This link holds no script.")?;
        let server =
            Server { version: word("pg").unwrap_or_default(), settings: words("set"), versus: words("versus") };
        Ok(Self { sql, server, step: word("step").unwrap_or_default(), view: word("view").unwrap_or_default() })
    }

    /// Writes it, `#` included.
    ///
    /// # Errors
    /// When the browser cannot compress.
    pub async fn write(&self) -> Result<String, JsValue> {
        let object = Object::new();
        let list = |words: &[String]| words.iter().map(|word| JsValue::from_str(word)).collect::<Array>();
        let fields: [(&str, JsValue); 6] = [
            ("sql", (&self.sql).into()),
            ("pg", (&self.server.version).into()),
            ("set", list(&self.server.settings).into()),
            ("versus", list(&self.server.versus).into()),
            ("step", (&self.step).into()),
            ("view", (&self.view).into()),
        ];
        for (name, value) in fields {
            Reflect::set(&object, &name.into(), &value)?;
        }
        let text = JSON::stringify(&object)?;
        let blob = Blob::new_with_str_sequence(&Array::of1(&text))?;
        let packed = blob.stream().pipe_through(CompressionStream::new(PACKED)?.unchecked_ref());
        let response = Response::new_with_opt_readable_stream(Some(&packed))?;
        let bytes = Uint8Array::new(&JsFuture::from(response.array_buffer()?).await?).to_vec();
        Ok(format!("#{PREFIX}{}", bytes_to_letters(&bytes)?))
    }
}

/// The bytes, unpacked; none where there are too many.
async fn unpack(bytes: &[u8]) -> Result<Option<Vec<u8>>, JsValue> {
    let blob = Blob::new_with_buffer_source_sequence(&Array::of1(&Uint8Array::from(bytes)))?;
    let stream: ReadableStream = blob.stream().pipe_through(DecompressionStream::new(PACKED)?.unchecked_ref());
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    let mut plain = Vec::new();
    loop {
        let part = JsFuture::from(reader.read()).await?;
        if Reflect::get(&part, &"done".into())?.is_truthy() {
            return Ok(Some(plain));
        }
        plain.extend(Uint8Array::new(&Reflect::get(&part, &"value".into())?).to_vec());
        if plain.len() > MOST {
            let _ = reader.cancel();
            return Ok(None);
        }
    }
}

/// base64 with letters that need no escape in an address, by the browser's own `btoa`.
fn bytes_to_letters(bytes: &[u8]) -> Result<String, JsValue> {
    let window = web_sys::window().ok_or("no window")?;
    let latin: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let letters = window.btoa(&latin)?;
    Ok(letters.trim_end_matches('=').replace('+', "-").replace('/', "_"))
}

fn letters_to_bytes(letters: &str) -> Result<Vec<u8>, JsValue> {
    let window = web_sys::window().ok_or("no window")?;
    let latin = window.atob(&letters.replace('-', "+").replace('_', "/"))?;
    latin.chars().map(|c| u8::try_from(u32::from(c)).map_err(|_| JsValue::from("no byte"))).collect()
}
