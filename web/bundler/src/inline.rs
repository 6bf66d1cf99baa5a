//! The whole site as one page: style, program and recordings inside, so that it opens by a double click, without any
//! server.
//!
//! Browsers give a page from a `file:` address no other file, so nothing may be fetched. Binary parts stand in the page
//! as base64 of gzip.

use crate::{Asset, Outcome, REST, simulator};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

/// What the page holds instead of the module and the files beside it.
const START: &str = "\
const packed = Uint8Array.from(atob(document.getElementById('ffviz-module').textContent), (c) => c.charCodeAt(0));
const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
new Response(plain).arrayBuffer().then((bytes) => wasm_bindgen({ module_or_path: bytes })).then(() => wasm_bindgen.page());
";

/// The page with everything in it.
pub fn page(assets: &[Asset], script: &str, module: &[u8]) -> Outcome<String> {
    let text = |path: &str| -> Outcome<String> {
        let asset = assets.iter().find(|asset| asset.path == path).ok_or(format!("{path} is missing"))?;
        Ok(String::from_utf8(asset.bytes.clone())?)
    };
    let mut parts = String::new();
    let within = |path: &str| path == REST || path.starts_with("snapshots/");
    for asset in assets.iter().filter(|asset| within(&asset.path)) {
        parts += &data(&asset.path, &asset.bytes);
    }
    for asset in assets.iter().filter(|asset| simulator::FILES.contains(&asset.path.as_str())) {
        parts += &data(&asset.path, &gzip(&asset.bytes)?);
    }
    parts += &data("ffviz-module", &gzip(module)?);
    parts += &format!("<script>\n{}\n{START}</script>\n", script.replace("</script", "<\\/script"));
    parts += &format!("<script>\n{}</script>\n", text("editor.js")?);
    let style = format!("<style>\n{}</style>", text("ffviz.css")?);
    let html = text("index.html")?;
    // its ways lead to other files
    let html = between(&html, "<!-- welcome -->", "<!-- /welcome -->", "")?;
    let html = between(&html, "<!-- style -->", "<!-- /style -->", &style)?;
    between(&html, "<!-- program -->", "<!-- /program -->", &parts)
}

/// What the element as one script begins with: glue code, and the files that it needs.
pub fn element(assets: &[Asset], script: &str, module: &[u8]) -> Outcome<String> {
    let mut files = format!("{script}\nconst files = (globalThis.ffvizFiles ??= {{}});\n");
    let mut add = |path: &str, packed: &[u8]| files += &format!("files['{path}'] = '{}';\n", STANDARD.encode(packed));
    add("ffviz_bg.wasm", &gzip(module)?);
    for Asset { path, bytes } in assets {
        match path.as_str() {
            REST => add(path, bytes),
            lesson if lesson.starts_with("snapshots/lesson/") => add(path, bytes),
            "ffviz.css" => add(path, &gzip(bytes)?),
            file if simulator::FILES.contains(&file) => add(path, &gzip(bytes)?),
            _ => {}
        }
    }
    Ok(files)
}

/// A block of data that the browser keeps and does not run.
fn data(id: &str, bytes: &[u8]) -> String {
    format!("<script type=\"application/octet-stream\" id=\"{id}\">{}</script>\n", STANDARD.encode(bytes))
}

pub fn gzip(bytes: &[u8]) -> Outcome<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn between(html: &str, from: &str, to: &str, new: &str) -> Outcome<String> {
    let (before, rest) = html.split_once(from).ok_or(format!("index.html has no {from}"))?;
    let (_, after) = rest.split_once(to).ok_or(format!("index.html has no {to}"))?;
    Ok([before, new, after].concat())
}
