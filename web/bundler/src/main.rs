//! Makes the static site out of the wasm module: glue code, page, style, recordings; and the same as one file.
//!
//! ```text
//! ffviz_viewer.wasm ──wasm-bindgen, cut──▶ ffviz.js, ffviz_bg.wasm, ffviz_rest.wasm ─┐
//! ffviz_worker.wasm ──wasm-bindgen──▶ ffviz_worker.js, ffviz_simulator.wasm          │
//! web/site/*                                                                        ├─▶ OUT/          any static folder
//! snapshots/library.json, */*.ffrec.gz                                              │   OUT/ffviz.html  one file, works without a server
//! tutorials/*.md ──played──▶ traces, as recordings ─────────────────────────────────┘
//! ```

mod inline;
mod lessons;
mod simulator;
mod split;

use split::Halves;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use wasm_bindgen_cli_support::Bindgen;

/// What the first picture does not need, as the face calls it (`web/src/rest.rs`).
const REST: &str = "ffviz_rest.wasm";

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What the site is made of.
struct Parts {
    wasm: PathBuf,
    /// the simulator's module, and the script of its worker
    simulator: [PathBuf; 2],
    site: PathBuf,
    snapshots: PathBuf,
    tutorials: PathBuf,
}

/// A file of the site, with its path relative to the site.
struct Asset {
    path: String,
    bytes: Vec<u8>,
}

fn main() -> Outcome<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [wasm, simulator, worker, site, snapshots, tutorials, out] = &arguments[..] else {
        return Err(
            "use: ffviz-bundler VIEWER.wasm SIMULATOR.wasm WORKER.js SITE-SOURCES SNAPSHOTS TUTORIALS OUT".into()
        );
    };
    let [wasm, site, snapshots, tutorials] = [wasm, site, snapshots, tutorials].map(Clone::clone);
    let simulator = [simulator, worker].map(Clone::clone);
    let parts = Parts { wasm, simulator, site, snapshots, tutorials };
    fs::create_dir_all(out)?;
    bindgen(&parts.wasm).web(true)?.generate(out)?;
    let module = out.join("ffviz_bg.wasm");
    let Halves { first, rest } = split::split(&fs::read(&module)?)?;
    fs::write(module, first)?;
    fs::write(out.join(REST), rest)?;
    let mut assets = site_sources(&parts.site)?;
    assets.extend(simulator::assets(&parts.simulator)?);
    assets.extend(recordings(&parts.snapshots)?);
    lessons::add(&parts.tutorials, &mut assets)?;
    for asset in &assets {
        let to = out.join(&asset.path);
        fs::create_dir_all(to.parent().unwrap_or(out))?;
        fs::write(to, &asset.bytes)?;
    }
    let (script, module) = classic_glue(&parts.wasm)?;
    let Halves { first, rest } = split::split(&module)?;
    assets.push(Asset { path: REST.to_owned(), bytes: inline::gzip(&rest)? });
    fs::write(out.join("classic-head.js"), inline::element(&assets, &script, &first)?)?;
    fs::write(out.join("ffviz.html"), inline::page(&assets, &script, &first)?)?;
    Ok(())
}

fn bindgen(wasm: &Path) -> Bindgen {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name("ffviz").typescript(false);
    // the names tell what the first picture needs; they go when the module is cut
    bindgen.remove_producers_section(true).omit_default_module_path(true);
    bindgen
}

/// Glue code that is no module, since modules do not load from `file:` addresses, and the wasm that fits it.
pub(crate) fn classic_glue(wasm: &Path) -> Outcome<(String, Vec<u8>)> {
    let folder = std::env::temp_dir().join(format!("ffviz-bundler-{}", std::process::id()));
    bindgen(wasm).no_modules(true)?.generate(&folder)?;
    let glue = (fs::read_to_string(folder.join("ffviz.js"))?, fs::read(folder.join("ffviz_bg.wasm"))?);
    fs::remove_dir_all(folder)?;
    Ok(glue)
}

fn site_sources(folder: &Path) -> Outcome<Vec<Asset>> {
    let mut assets = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        assets.push(Asset { path: entry.file_name().to_string_lossy().into_owned(), bytes: fs::read(entry.path())? });
    }
    assets.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(assets)
}

/// The library's index and every recording: `snapshots/18/hot-chain.ffrec.gz`.
fn recordings(folder: &Path) -> Outcome<Vec<Asset>> {
    let mut paths = vec![folder.join("library.json")];
    for version in fs::read_dir(folder)? {
        let version = version?.path();
        if version.is_dir() {
            let files = fs::read_dir(version)?.collect::<Result<Vec<_>, _>>()?;
            paths.extend(files.iter().map(fs::DirEntry::path).filter(|p| p.to_string_lossy().ends_with(".ffrec.gz")));
        }
    }
    paths.sort();
    let asset = |path: &PathBuf| -> Outcome<Asset> {
        let name = path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/");
        Ok(Asset { path: format!("snapshots/{name}"), bytes: fs::read(path)? })
    };
    paths.iter().filter(|path| path.exists()).map(asset).collect()
}
