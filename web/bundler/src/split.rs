//! Cuts the module in two: what the first picture needs, and the rest, which the page fetches while the reader reads.
//!
//! ```text
//! whole ──▶ ffviz_bg.wasm    memory, data, tables, glue; draws the library; for each function of the rest that it calls, a call through the table
//!      └──▶ ffviz_rest.wasm  everything else; imports all of that, and puts its functions into the table when it is instantiated
//! ```
//!
//! Both are one program with one memory: nothing is copied between them, and the compiler knows of nothing. Which
//! functions are the rest is told by their names ([`later`](crate::later)), and found by the calls: whatever only the
//! rest calls is the rest. A call of the rest before it is there ends the viewer, so the face opens nothing before
//! (`web/src/rest.rs`); in the simulator it fetches the rest, since its worker may wait (`web/simulator/worker.js`).
//!
//! It is cut after it is compiled, at functions, so that there is no second crate that would have to be told what a
//! step is. Nothing but the library and a lesson's beginning is drawn before the second part is there; a test keeps
//! that part back and looks.

use crate::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use walrus::ir::{Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind, GlobalId, GlobalKind,
    Import, ImportKind, ImportedFunction, LocalFunction, Module, ModuleConfig, TableId,
};

/// The name by which the rest imports what the first part exports.
const FIRST: &str = "first";

/// What is called without having anything to do: values that are not there are read, and dropped.
const ALWAYS: [&str; 2] = ["Deserialize", "drop_in_place"];

/// The two modules.
pub struct Halves {
    pub first: Vec<u8>,
    pub rest: Vec<u8>,
}

/// Cuts a module: functions whose names hold one of `later` are the rest. `bring`: the name of the page's function that
/// fetches the rest where a function of it is called that is not there yet; without one that ends the program.
pub fn split(whole: &[u8], later: &[&str], bring: Option<&str>) -> Outcome<Halves> {
    let mut config = ModuleConfig::new();
    config.generate_name_section(false).generate_producers_section(false);
    let (mut first, mut rest) = (config.parse(whole)?, config.parse(whole)?);
    let cut = Cut::of(&first, later, bring)?;
    cut.make_first(&mut first)?;
    cut.make_rest(&mut rest)?;
    Ok(Halves { first: first.emit_wasm(), rest: rest.emit_wasm() })
}

/// Where the module is cut. Functions are told by their number, which is the same in both copies of it.
struct Cut {
    /// functions of the rest that are called by pointer or from the first part: their places in the table
    slots: BTreeMap<usize, u32>,
    /// functions of the first part that the rest calls
    lent: BTreeSet<usize>,
    /// how many places the table has
    places: u64,
    /// the page's function that fetches the rest
    bring: Option<usize>,
}

impl Cut {
    fn of(module: &Module, names: &[&str], bring: Option<&str>) -> Outcome<Self> {
        let ids = functions(module);
        let numbers: BTreeMap<FunctionId, usize> = ids.iter().enumerate().map(|(n, id)| (*id, n)).collect();
        let calls: Vec<Vec<usize>> = ids.iter().map(|id| calls(module, *id).map(|id| numbers[&id]).collect()).collect();
        let table: Vec<(u32, usize)> = table(module)?.into_iter().map(|(slot, id)| (slot, numbers[&id])).collect();
        let named: Vec<bool> =
            module.funcs.iter().map(|func| func.name.as_deref().is_some_and(|name| is_later(name, names))).collect();

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
        let bring = bring.map(|name| import_of(module, name)).transpose()?.map(|id| numbers[&id]);
        Ok(Self { slots, lent, places, bring })
    }

    /// Gives the rest's functions away, but for a call through the table, and everything that the rest needs a name.
    fn make_first(&self, module: &mut Module) -> Outcome<()> {
        let ids = functions(module);
        let places = function_table(module)?;
        let given: BTreeSet<u32> = self.slots.values().copied().collect();
        let mut own: Vec<_> = table(module)?.into_iter().filter(|(slot, _)| !given.contains(slot)).collect();
        if let Some(bring) = self.bring {
            for (n, slot) in &self.slots {
                let brings = called_in_place(module, ids[*n], (places, *slot), Some(ids[bring]));
                own.push((*slot, module.funcs.add_local(brings)));
            }
            own.sort_unstable_by_key(|(slot, _)| *slot);
        }
        self.fill(module, &own)?;
        for (n, slot) in &self.slots {
            let calls = called_in_place(module, ids[*n], (places, *slot), None);
            module.funcs.get_mut(ids[*n]).kind = FunctionKind::Local(calls);
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

/// A function like that one, which calls what stands at a place of the table, after this other function.
fn called_in_place(
    module: &mut Module,
    like: FunctionId,
    (places, slot): (TableId, u32),
    first: Option<FunctionId>,
) -> LocalFunction {
    let ty = module.funcs.get(like).ty();
    let (takes, gives) = (module.types.params(ty).to_vec(), module.types.results(ty).to_vec());
    let given: Vec<_> = takes.iter().map(|ty| module.locals.add(*ty)).collect();
    let mut builder = FunctionBuilder::new(&mut module.types, &takes, &gives);
    let mut body = builder.func_body();
    if let Some(first) = first {
        body.call(first);
    }
    for local in &given {
        body.local_get(*local);
    }
    body.i32_const(slot.cast_signed()).call_indirect(ty, places);
    builder.local_func(given)
}

/// The function of the page that glue code imports by such a name.
fn import_of(module: &Module, name: &str) -> Outcome<FunctionId> {
    let is_it = |import: &&Import| import.name.contains(name);
    let found = module.imports.iter().find(is_it).ok_or(format!("the module imports no {name}"))?;
    match found.kind {
        ImportKind::Function(id) => Ok(id),
        _ => Err(format!("{name} is no function").into()),
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

fn is_later(name: &str, names: &[&str]) -> bool {
    let name = rustc_demangle::demangle(name).to_string();
    let is_ours = name.contains("ffviz_");
    let holds = |part: &&str| name.contains(*part);
    // part of a path may be one of the standard library too
    let is_named = |part: &&str| (is_ours || !part.starts_with("::")) && holds(part);
    names.iter().any(is_named) && !ALWAYS.iter().any(holds)
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
