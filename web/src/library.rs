//! Recordings: those shipped with the page, at relative addresses or within the page itself, and files of the reader.

use ffviz_engine::app::LibraryEntry;
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CompressionFormat, DecompressionStream, ReadableWritablePair, Response};

/// Why something could not be read: a sentence for people.
pub type Failure = String;

/// The recordings shipped with the page.
pub async fn index() -> Result<Vec<LibraryEntry>, Failure> {
    let text = shipped("snapshots/library.json").await?;
    let entries: Vec<serde_json::Value> =
        serde_json::from_str(&text).map_err(|error| format!("snapshots/library.json: {error}"))?;
    let word = |entry: &serde_json::Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    Ok(entries.iter().map(|e| LibraryEntry { name: word(e, "name"), title: word(e, "title") }).collect())
}

/// The text of a recording shipped with the page.
pub async fn recording(name: &str) -> Result<String, Failure> {
    shipped(&format!("snapshots/{name}.ffrec.gz")).await
}

/// The text of a file of the reader's.
pub async fn file(file: &web_sys::File) -> Result<String, Failure> {
    let bytes = JsFuture::from(file.array_buffer()).await.map_err(|error| sentence(&file.name(), &error))?;
    unpacked(bytes).await.map_err(|error| sentence(&file.name(), &error))
}

/// A file beside the page. In the one-file form of the page it stands in an element named after it.
async fn shipped(path: &str) -> Result<String, Failure> {
    let window = web_sys::window().ok_or("no window")?;
    let inside = window.document().and_then(|document| document.get_element_by_id(path));
    let inside = inside.and_then(|element| element.text_content());
    let address = inside.map_or_else(|| path.to_owned(), |data| format!("data:application/octet-stream;base64,{data}"));
    let response = JsFuture::from(window.fetch_with_str(&address)).await;
    let response: Response = response.and_then(JsCast::dyn_into).map_err(|error| sentence(path, &error))?;
    if !response.ok() {
        return Err(format!("{path} cannot be read: status {}", response.status()));
    }
    let bytes = async { JsFuture::from(response.array_buffer()?).await };
    let bytes = bytes.await.map_err(|error| sentence(path, &error))?;
    unpacked(bytes).await.map_err(|error| sentence(path, &error))
}

/// The text in the bytes, which may be gzip or not: some servers unpack on the way.
async fn unpacked(buffer: JsValue) -> Result<String, JsValue> {
    let bytes = Uint8Array::new(&buffer);
    let gzip = bytes.length() > 2 && bytes.get_index(0) == 0x1F && bytes.get_index(1) == 0x8B;
    let blob = Blob::new_with_buffer_source_sequence(&js_sys::Array::of1(&bytes))?;
    if !gzip {
        return Ok(JsFuture::from(blob.text()).await?.as_string().unwrap_or_default());
    }
    let unpacking = DecompressionStream::new(CompressionFormat::Gzip)?;
    let pair = ReadableWritablePair::new(&unpacking.readable(), &unpacking.writable());
    let response = Response::new_with_opt_readable_stream(Some(&blob.stream().pipe_through(&pair)))?;
    Ok(JsFuture::from(response.text()?).await?.as_string().unwrap_or_default())
}

fn sentence(name: &str, error: &JsValue) -> Failure {
    let error = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    format!("{name} cannot be read: {}", error.unwrap_or_else(|| "no reason given".to_owned()))
}
