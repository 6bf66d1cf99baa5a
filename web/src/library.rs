//! Recordings: those shipped with the page, at relative addresses or within the page itself, and files of the reader.

use ffviz_story::app::LibraryEntry;
use js_sys::Uint8Array;
use std::cell::RefCell;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Response};

#[wasm_bindgen]
extern "C" {
    /// The browser's own gunzip; web-sys still counts it among the unstable.
    type DecompressionStream;

    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;
}

/// Why something could not be read: a sentence for people.
pub type Failure = String;

/// The recordings shipped with the page.
pub async fn index() -> Result<Vec<LibraryEntry>, Failure> {
    const INDEX: &str = "snapshots/library.json";
    let bytes = shipped(INDEX).await?;
    // the browser's own reader: the module stays smaller than with another
    let list = js_sys::JSON::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| sentence(INDEX, &error))?;
    let word = |entry: &JsValue, name: &str| {
        js_sys::Reflect::get(entry, &name.into()).ok().and_then(|word| word.as_string()).unwrap_or_default()
    };
    let entry = |entry: JsValue| LibraryEntry { name: word(&entry, "name"), title: word(&entry, "title") };
    Ok(js_sys::Array::from(&list).iter().map(entry).collect())
}

/// A recording shipped with the page.
pub async fn recording(name: &str) -> Result<Vec<u8>, Failure> {
    shipped(&format!("snapshots/{name}.ffrec.gz")).await
}

/// A file of the reader's.
pub async fn file(file: &web_sys::File) -> Result<Vec<u8>, Failure> {
    let bytes = JsFuture::from(file.array_buffer()).await.map_err(|error| sentence(&file.name(), &error))?;
    unpacked(bytes).await.map_err(|error| sentence(&file.name(), &error))
}

thread_local! {
    /// where our files are, with `/` at its end; empty: beside the page
    static BASE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Our files are not beside the page, but there.
pub fn set_base(address: String) {
    BASE.set(address);
}

/// The address of one of our files.
#[must_use]
pub fn address(path: &str) -> String {
    BASE.with_borrow(|base| format!("{base}{path}"))
}

/// A file that stands in the page itself, as base64: in an element named after it, the one-file form of the page, or in
/// `ffvizFiles`, the one-script form of the element.
#[must_use]
pub fn inside(path: &str) -> Option<String> {
    let files = js_sys::Reflect::get(&js_sys::global(), &"ffvizFiles".into()).ok().filter(JsValue::is_object);
    if let Some(file) = files.and_then(|files| js_sys::Reflect::get(&files, &path.into()).ok()?.as_string()) {
        return Some(file);
    }
    web_sys::window()?.document()?.get_element_by_id(path)?.text_content()
}

/// One of our files: beside the page, or in it.
pub async fn shipped(path: &str) -> Result<Vec<u8>, Failure> {
    let address =
        inside(path).map_or_else(|| address(path), |data| format!("data:application/octet-stream;base64,{data}"));
    fetched(path, &address).await
}

/// What stands at an address, unpacked; `path` is what it is called when it cannot be read.
pub async fn fetched(path: &str, address: &str) -> Result<Vec<u8>, Failure> {
    let window = web_sys::window().ok_or("no window")?;
    let response = JsFuture::from(window.fetch_with_str(address)).await;
    let response: Response = response.and_then(JsCast::dyn_into).map_err(|error| sentence(path, &error))?;
    if !response.ok() {
        return Err(format!("{path} cannot be read: status {}", response.status()));
    }
    let bytes = async { JsFuture::from(response.array_buffer()?).await };
    let bytes = bytes.await.map_err(|error| sentence(path, &error))?;
    unpacked(bytes).await.map_err(|error| sentence(path, &error))
}

/// What each part of a compressed file begins with.
const GZIP: [u8; 3] = [0x1F, 0x8B, 8];

/// The bytes, unpacked if they are gzip: some servers unpack on the way, and a reader's file may be either.
///
/// `ffviz record` writes a part for each capture, and browsers unpack one part only. What parts begin with may stand
/// within one too: what is before it is then not whole, and goes on.
async fn unpacked(buffer: JsValue) -> Result<Vec<u8>, JsValue> {
    let bytes = Uint8Array::new(&buffer).to_vec();
    if !bytes.starts_with(&GZIP) {
        return Ok(bytes);
    }
    let ends = (1..bytes.len()).filter(|at| bytes[*at..].starts_with(&GZIP)).chain([bytes.len()]);
    let (mut unpacked, mut from) = (Vec::new(), 0);
    for end in ends {
        match gunzip(&bytes[from..end]).await {
            Ok(part) => {
                unpacked.extend(part);
                from = end;
            }
            Err(error) if end == bytes.len() => return Err(error),
            Err(_) => {}
        }
    }
    Ok(unpacked)
}

/// One part.
async fn gunzip(part: &[u8]) -> Result<Vec<u8>, JsValue> {
    let blob = Blob::new_with_buffer_source_sequence(&js_sys::Array::of1(&Uint8Array::from(part)))?;
    let unpacked = blob.stream().pipe_through(DecompressionStream::new("gzip")?.unchecked_ref());
    let response = Response::new_with_opt_readable_stream(Some(&unpacked))?;
    Ok(Uint8Array::new(&JsFuture::from(response.array_buffer()?).await?).to_vec())
}

/// That the file of this name cannot be read, and why, in the browser's words.
pub fn sentence(name: &str, error: &JsValue) -> Failure {
    let error = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    format!("{name} cannot be read: {}", error.unwrap_or_else(|| "no reason given".to_owned()))
}
