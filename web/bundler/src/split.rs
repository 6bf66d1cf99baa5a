//! Cuts the module in two: what the first picture needs, and the rest, which the page fetches while the reader reads.
//!
//! ```text
//! whole ──▶ ffviz_bg.wasm    memory, data, tables, glue; draws the library; for each function of the rest that it calls, a call through the table
//!      └──▶ ffviz_rest.wasm  everything else; imports all of that, and puts its functions into the table when it is instantiated
//! ```
//!
//! Both are one program with one memory: nothing is copied between them, and the compiler knows of nothing. A call of
//! the rest before it is there ends the program, so the face opens nothing before (`web/src/rest.rs`). Which functions
//! are the rest is told by their names, and found by the calls: whatever only the rest calls is the rest.
//!
//! It is cut after it is compiled, at functions, so that there is no second crate that would have to be told what a
//! step is. Nothing but the library and a lesson's beginning is drawn before the second part is there; a test keeps
//! that part back and looks.

use crate::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use walrus::ir::{Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind, GlobalId, GlobalKind,
    ImportKind, ImportedFunction, Module, ModuleConfig, TableId,
};

/// The name by which the rest imports what the first part exports.
const FIRST: &str = "first";

/// Functions whose names hold one of these are the rest: neither the library nor the beginning of a lesson has anything
/// for them to do.
const LATER: [&str; 57] = [
    "::timeline::captures",
    "::timeline::explain",
    "::timeline::replay",
    "::timeline::history::Timeline>::push_replayed",
    "::timeline::history::Timeline>::replay_between",
    "::timeline::history::Timeline>::push_crashed",
    "::timeline::diff::diff",
    "ffviz_story::redo",
    "ffviz_story::describe",
    "::heap::",
    "::nbtree::decode",
    "::datum::",
    "::page::region",
    "::page::header",
    "::page::fsm",
    "::page::gist",
    "::page::nbtree",
    "::scene::charts::",
    "::scene::page::",
    "::scene::plot::",
    "::scene::tree::",
    "::scene::figure",
    "::scene::map::",
    "::scene::inspector",
    "::scene::reference",
    "::scene::result",
    "::scene::wal::book",
    "::scene::wal::inspect",
    "::scene::wal::totals",
    "::app::follow",
    "::app::script",
    "::app::versus",
    "::app::live",
    "::app::course::answer",
    "::app::update::do_command",
    "::view::byte_map",
    "::view::charts",
    "::view::figure",
    "::view::tree",
    "::view::wal",
    "::view::help",
    "::view::inspector",
    "::view::result",
    "::view::editor",
    "ffviz_web::demo::",
    "ffviz_web::playground::Playground>::",
    "ffviz_web::simulator::Running>::",
    "ffviz_web::simulator::Arriving>::",
    "ffviz_web::simulator::Server>::",
    "ffviz_web::simulator::parts",
    "ffviz_web::server::",
    "ffviz_web::real::Real>::",
    "ffviz_web::real::between",
    "ffviz_web::share::copy",
    "ffviz_web::share::embed",
    "ffviz_web::share::drawing",
    "ffviz_web::link::Link>::",
];
/// What is called without having anything to do: values that are not there are read, and dropped.
const ALWAYS: [&str; 2] = ["Deserialize", "drop_in_place"];

/// The two modules.
pub struct Halves {
    pub first: Vec<u8>,
    pub rest: Vec<u8>,
}

pub fn split(whole: &[u8]) -> Outcome<Halves> {
    let mut config = ModuleConfig::new();
    config.generate_name_section(false).generate_producers_section(false);
    let (mut first, mut rest) = (config.parse(whole)?, config.parse(whole)?);
    let cut = Cut::of(&first)?;
    cut.make_first(&mut first)?;
    cut.make_rest(&mut rest)?;
    Ok(Halves { first: first.emit_wasm(), rest: rest.emit_wasm() })
}

/// The module without the names of its functions, which only cutting needs.
pub fn without_names(whole: &[u8]) -> Outcome<Vec<u8>> {
    let mut config = ModuleConfig::new();
    config.generate_name_section(false).generate_producers_section(false);
    Ok(config.parse(whole)?.emit_wasm())
}

/// Where the module is cut. Functions are told by their number, which is the same in both copies of it.
struct Cut {
    /// functions of the rest that are called by pointer or from the first part: their places in the table
    slots: BTreeMap<usize, u32>,
    /// functions of the first part that the rest calls
    lent: BTreeSet<usize>,
    /// how many places the table has
    places: u64,
}

impl Cut {
    fn of(module: &Module) -> Outcome<Self> {
        let ids = functions(module);
        let numbers: BTreeMap<FunctionId, usize> = ids.iter().enumerate().map(|(n, id)| (*id, n)).collect();
        let calls: Vec<Vec<usize>> = ids.iter().map(|id| calls(module, *id).map(|id| numbers[&id]).collect()).collect();
        let table: Vec<(u32, usize)> = table(module)?.into_iter().map(|(slot, id)| (slot, numbers[&id])).collect();
        let named: Vec<bool> = module.funcs.iter().map(|func| func.name.as_deref().is_some_and(is_later)).collect();

        let exported = module.exports.iter().filter_map(|export| match export.item {
            ExportItem::Function(id) => Some(numbers[&id]),
            _ => None,
        });
        let imported = (0..ids.len()).filter(|n| matches!(module.funcs.get(ids[*n]).kind, FunctionKind::Import(_)));
        let by_pointer = table.iter().map(|(_, n)| *n).filter(|n| !named[*n]);
        let mut reached: Vec<usize> = exported.chain(imported).chain(by_pointer).collect();
        let mut later = vec![true; ids.len()];
        while let Some(n) = reached.pop() {
            if std::mem::replace(&mut later[n], false) {
                reached.extend(calls[n].iter().filter(|n| !named[**n]));
            }
        }

        let crossed = |from_rest: bool| {
            let from = (0..ids.len()).filter(|n| later[*n] == from_rest);
            from.flat_map(|n| &calls[n]).copied().filter(|n| later[*n] != from_rest).collect::<BTreeSet<usize>>()
        };
        let (doors, lent) = (crossed(false), crossed(true));
        let mut slots: BTreeMap<usize, u32> =
            table.iter().filter(|(_, n)| later[*n]).map(|(slot, n)| (*n, *slot)).collect();
        let free = table.iter().map(|(slot, _)| slot + 1).max().unwrap_or(0);
        let unlisted: Vec<usize> = doors.into_iter().filter(|n| !slots.contains_key(n)).collect();
        let places = u64::from(free) + unlisted.len() as u64;
        slots.extend(unlisted.into_iter().zip(free..));
        Ok(Self { slots, lent, places })
    }

    /// Gives the rest's functions away, but for a call through the table, and everything that the rest needs a name.
    fn make_first(&self, module: &mut Module) -> Outcome<()> {
        let ids = functions(module);
        let places = function_table(module)?;
        let given: BTreeSet<u32> = self.slots.values().copied().collect();
        let kept: Vec<_> = table(module)?.into_iter().filter(|(slot, _)| !given.contains(slot)).collect();
        self.fill(module, &kept)?;
        for (n, slot) in &self.slots {
            let ty = module.funcs.get(ids[*n]).ty();
            let (takes, gives) = (module.types.params(ty).to_vec(), module.types.results(ty).to_vec());
            let given: Vec<_> = takes.iter().map(|ty| module.locals.add(*ty)).collect();
            let mut stub = FunctionBuilder::new(&mut module.types, &takes, &gives);
            let mut body = stub.func_body();
            for local in &given {
                body.local_get(*local);
            }
            body.i32_const(slot.cast_signed()).call_indirect(ty, places);
            module.funcs.get_mut(ids[*n]).kind = FunctionKind::Local(stub.local_func(given));
        }
        for n in &self.lent {
            module.exports.add(&format!("f{n}"), ids[*n]);
        }
        for (n, id) in tables(module).into_iter().enumerate() {
            module.exports.add(&format!("t{n}"), id);
        }
        for (n, id) in globals(module).into_iter().enumerate() {
            module.exports.add(&format!("g{n}"), id);
        }
        let memory = module.get_memory_id()?;
        module.exports.add("m", memory);
        walrus::passes::gc::run(module);
        Ok(())
    }

    /// Leaves nothing but functions: all else is the first part's.
    fn make_rest(&self, module: &mut Module) -> Outcome<()> {
        let ids = functions(module);
        let exports: Vec<_> = module.exports.iter().map(|export| export.id()).collect();
        exports.into_iter().for_each(|id| module.exports.delete(id));
        let data: Vec<_> = module.data.iter().map(|data| data.id()).collect();
        data.into_iter().for_each(|id| module.data.delete(id));
        let memory = module.get_memory_id()?;
        let import = module.imports.add(FIRST, "m", ImportKind::Memory(memory));
        let entry = module.memories.get_mut(memory);
        entry.data_segments.clear();
        entry.import = Some(import);

        let mut own: Vec<_> = self.slots.iter().map(|(n, slot)| (*slot, ids[*n])).collect();
        own.sort_unstable_by_key(|(slot, _)| *slot);
        self.fill(module, &own)?;
        for (n, id) in tables(module).into_iter().enumerate() {
            let import = module.imports.add(FIRST, &format!("t{n}"), ImportKind::Table(id));
            module.tables.get_mut(id).import = Some(import);
        }
        for (n, id) in globals(module).into_iter().enumerate() {
            let import = module.imports.add(FIRST, &format!("g{n}"), ImportKind::Global(id));
            module.globals.get_mut(id).kind = GlobalKind::Import(import);
        }
        for n in &self.lent {
            // what the first part has from the page, the rest has from the first part
            if let FunctionKind::Import(from_page) = &module.funcs.get(ids[*n]).kind {
                module.imports.delete(from_page.import);
            }
            let import = module.imports.add(FIRST, &format!("f{n}"), ImportKind::Function(ids[*n]));
            let func = module.funcs.get_mut(ids[*n]);
            func.kind = FunctionKind::Import(ImportedFunction { import, ty: func.ty() });
        }
        walrus::passes::gc::run(module);
        Ok(())
    }

    /// Makes these what the table is filled with: a segment for each run of places, which are in order.
    fn fill(&self, module: &mut Module, functions: &[(u32, FunctionId)]) -> Outcome<()> {
        let table = function_table(module)?;
        let old: Vec<_> = module.elements.iter().map(|element| element.id()).collect();
        old.into_iter().for_each(|id| module.elements.delete(id));
        let entry = module.tables.get_mut(table);
        entry.elem_segments.clear();
        entry.initial = entry.initial.max(self.places);
        entry.maximum = entry.maximum.map(|maximum| maximum.max(self.places));
        for run in functions.chunk_by(|(a, _), (b, _)| a + 1 == *b) {
            let offset = ConstExpr::Value(Value::I32(run[0].0.cast_signed()));
            let items = ElementItems::Functions(run.iter().map(|(_, id)| *id).collect());
            let segment = module.elements.add(ElementKind::Active { table, offset }, items);
            module.tables.get_mut(table).elem_segments.insert(segment);
        }
        Ok(())
    }
}

fn functions(module: &Module) -> Vec<FunctionId> {
    module.funcs.iter().map(|func| func.id()).collect()
}

fn tables(module: &Module) -> Vec<TableId> {
    module.tables.iter().map(|table| table.id()).collect()
}

fn globals(module: &Module) -> Vec<GlobalId> {
    module.globals.iter().map(|global| global.id()).collect()
}

fn is_later(name: &str) -> bool {
    let name = rustc_demangle::demangle(name).to_string();
    let holds = |part: &&str| name.contains(*part);
    name.contains("ffviz_") && LATER.iter().any(holds) && !ALWAYS.iter().any(holds)
}

/// What a function calls, or takes the address of.
fn calls(module: &Module, id: FunctionId) -> impl Iterator<Item = FunctionId> {
    struct Seen(BTreeSet<FunctionId>);
    impl Visitor<'_> for Seen {
        fn visit_function_id(&mut self, id: &FunctionId) {
            self.0.insert(*id);
        }
    }
    let mut seen = Seen(BTreeSet::new());
    if let FunctionKind::Local(func) = &module.funcs.get(id).kind {
        dfs_in_order(&mut seen, func, func.entry_block());
    }
    seen.0.into_iter()
}

fn function_table(module: &Module) -> Outcome<TableId> {
    Ok(module.tables.main_function_table()?.ok_or("the module has no table of functions")?)
}

/// The functions in the table, with their places.
fn table(module: &Module) -> Outcome<Vec<(u32, FunctionId)>> {
    let mut found = Vec::new();
    for element in module.elements.iter() {
        match (&element.kind, &element.items) {
            (
                ElementKind::Active { offset: ConstExpr::Value(Value::I32(start)), .. },
                ElementItems::Functions(items),
            ) => found.extend((start.cast_unsigned()..).zip(items.iter().copied())),
            _ => return Err("a table is filled in a way that the bundler does not know".into()),
        }
    }
    Ok(found)
}
