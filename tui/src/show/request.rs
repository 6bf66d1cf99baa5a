//! What a picture is to show: step, view, page, selected part; each as the command line names it.

use crate::failure::Failure;
use crate::live::Attached;
use ffviz_format::page::ForkNumber;
use ffviz_format::state::{PageId, Relation};
use ffviz_story::app::{self, Model, Msg, View, ViewName};
use ffviz_story::scene::{FigureScene, PartId, Scene, StepName};
use std::str::FromStr;

/// What is asked for; what is not, is as the program shows it first.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// the last one otherwise
    pub step: Option<StepName>,
    /// the state after this statement, from 1
    pub statement: Option<usize>,
    /// view
    pub view: Option<ViewName>,
    /// pages: the last is shown, those before it are read too
    pub pages: Vec<String>,
    /// selected part
    pub select: Option<String>,
}

/// The steps of an animation: from one to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frames {
    from: StepName,
    to: StepName,
}

/// figures of an animation at most: a file stays small, and who looks at it awake
const MOST_FRAMES: usize = 12;

impl FromStr for Frames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) =
            text.split_once("..").ok_or("name two steps, such as 6.1..6.4, or statements: 6.all..9.all")?;
        Ok(Self { from: from.parse()?, to: to.parse()? })
    }
}

impl Frames {
    /// What is to be seen of each: of statements one figure each, of steps those that changed something.
    ///
    /// # Errors
    /// A sentence that says which steps there are, or that there are too many.
    pub fn views(self, to: &mut dyn Send) -> Result<Vec<View>, Failure> {
        let names: Vec<StepName> = match (self.from, self.to) {
            (StepName::Whole(from), StepName::Whole(to)) => (from..=to).map(StepName::Whole).collect(),
            (from, until) => {
                let states = state_of(to.model(), from)?..=state_of(to.model(), until)?;
                states.map(StepName::State).collect()
            }
        };
        let mut views = Vec::new();
        for name in names {
            let request = Request { step: Some(name), view: Some(ViewName::Figure), ..Request::default() };
            request.apply(to)?;
            let view = app::view(to.model());
            let changes = |figure: &FigureScene| figure.pieces().any(|piece| piece.fate.takes_part());
            if matches!(&view.scene, Scene::Figure(figure) if changes(figure)) {
                views.push(view);
            }
        }
        match views.len() {
            0 => Err(Failure::wrong_use("--animate: no step from the first to the second changes anything".to_owned())),
            n if n > MOST_FRAMES => Err(Failure::wrong_use(format!(
                "--animate: {n} of these steps change something, and at most {MOST_FRAMES} are shown; choose fewer"
            ))),
            _ => Ok(views),
        }
    }
}

/// A model that messages can be sent to, attached or not.
pub trait Send {
    /// the state of the program
    fn model(&mut self) -> &mut Model;
    /// Sends a message and waits until what it asked for is there.
    ///
    /// # Errors
    /// What a server said.
    fn send(&mut self, msg: Msg) -> Result<(), String>;
}

impl Send for Model {
    fn model(&mut self) -> &mut Model {
        self
    }

    fn send(&mut self, msg: Msg) -> Result<(), String> {
        app::update(self, msg);
        Ok(())
    }
}

impl Send for Attached {
    fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    fn send(&mut self, msg: Msg) -> Result<(), String> {
        Self::send(self, msg)
    }
}

impl Request {
    /// Brings the model to what is asked for.
    ///
    /// # Errors
    /// A sentence that says which page or part there is not, and which there are.
    pub fn apply(&self, to: &mut dyn Send) -> Result<(), Failure> {
        let after = self.statement.map(|n| after_statement(to.model(), n).map(Msg::SeekWhole)).transpose()?;
        let step = self.step.map(|step| seek(to.model(), step)).transpose()?;
        to.send(after.or(step).unwrap_or(Msg::Seek(usize::MAX)))?;
        for page in &self.pages {
            let id = find_page(to.model(), page)?;
            to.model().go_to(id.relation, id.fork, id.block);
            to.send(Msg::Show(ViewName::Page))?;
        }
        if let Some(view) = self.view {
            to.send(Msg::Show(view))?;
            let shown = app::view(to.model());
            if !shown.tabs.iter().any(|(name, _, current)| *name == view && *current) {
                return Err(format!("--view: {}", shown.status).into());
            }
        }
        if let Some(part) = &self.select {
            let parts = parts(&app::view(to.model()).scene);
            let found = parts.into_iter().find(|p| p.to_string() == *part);
            let found = found
                .ok_or_else(|| format!("{part}: no such part in this picture; --format json names those it has"))?;
            to.send(Msg::Select(found))?;
        }
        Ok(())
    }
}

/// What leads to the step of that name.
///
/// # Errors
/// As [`state_of`].
pub fn seek(model: &Model, step: StepName) -> Result<Msg, Failure> {
    let state = state_of(model, step)?;
    Ok(if matches!(step, StepName::Whole(_)) { Msg::SeekWhole(state) } else { Msg::Seek(state) })
}

/// The state that a step's name leads to.
///
/// # Errors
/// A sentence that says which there are.
pub fn state_of(model: &Model, step: StepName) -> Result<usize, Failure> {
    let found = model.timeline.as_ref().map_or(Ok(0), |timeline| step.find(timeline));
    let state = found.map_err(|why| Failure::wrong_use(format!("--step: {why}")))?;
    there_is(model, state)?;
    Ok(state)
}

/// Refuses a state that there is not.
fn there_is(model: &Model, step: usize) -> Result<(), Failure> {
    let last = app::view(model).timeline.count.checked_sub(1);
    let sentence = match last {
        Some(last) if step <= last => return Ok(()),
        Some(0) => "there are no steps; 0 is all there is to see".to_owned(),
        Some(last) => format!("the last step is {last}, and 0 is what there was before the first"),
        None => "nothing is open that has steps; name a lesson, a script or a recording".to_owned(),
    };
    Err(Failure::wrong_use(format!("--step {step}: {sentence}")))
}

/// The last state of a statement.
fn after_statement(model: &Model, n: usize) -> Result<usize, Failure> {
    let groups = model.timeline.as_ref().map_or(&[][..], |timeline| timeline.groups());
    let mut statements = groups.iter().filter(|group| group.is_statement());
    let count = statements.clone().count();
    let found = n.checked_sub(1).and_then(|n| statements.nth(n));
    found.map(|group| group.states.end - 1).ok_or_else(|| {
        let which = if count == 0 { "there are none".to_owned() } else { format!("there are statements 1 to {count}") };
        Failure::wrong_use(format!("--statement {n}: {which}"))
    })
}

/// `REL:BLOCK` or `REL/FORK:BLOCK`.
fn find_page(model: &Model, page: &str) -> Result<PageId, String> {
    let wrong = || format!("{page}: name a page by its relation and block, such as t:0 or t/vm:0");
    let (name, block) = page.rsplit_once(':').ok_or_else(wrong)?;
    let block = block.parse().map_err(|_| wrong())?;
    let forks = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];
    let (name, fork) = (name.rsplit_once('/'))
        .and_then(|(name, fork)| Some((name, *forks.iter().find(|f| f.name() == fork)?)))
        .unwrap_or((name, ForkNumber::Main));
    let state = model.timeline.as_ref().map(|timeline| timeline.state()).ok_or("nothing is open")?;
    let is_it = |r: &&Relation| r.name == name || format!("{}.{}", r.schema, r.name) == name;
    let relations = || state.relations.values().map(AsRef::as_ref);
    // of two tables of one name in two schemas that of public, if it is one of them
    let found = relations().find(|r| r.told() == name).or_else(|| relations().find(is_it));
    let relation = found.ok_or_else(|| {
        let names = relations().map(Relation::told).collect::<Vec<_>>().join(", ");
        format!("{name}: no such relation here; there are {names}")
    })?;
    let length = relation.blocks.of(fork);
    if block >= length {
        return Err(format!("{page}: the {} fork of {name} has {length} blocks, counted from 0", fork.name()));
    }
    Ok(PageId { relation: relation.oid, fork, block })
}

/// Every part of a picture.
#[must_use]
pub fn parts(scene: &Scene) -> Vec<PartId> {
    match scene {
        Scene::List(list) => list.rows.iter().map(|row| row.part).collect(),
        Scene::Figure(figure) => figure.pieces().map(|piece| piece.part).collect(),
        Scene::RelationMap(map) => map.cells.iter().map(|cell| cell.part).collect(),
        Scene::Page(page) => {
            page.regions.iter().map(|region| region.part).chain(page.rows.iter().map(|row| row.part)).collect()
        }
        Scene::Charts(_) => Vec::new(),
        Scene::Tree(tree) => tree.levels.iter().flat_map(|level| &level.nodes).map(|node| node.part).collect(),
        Scene::Wal(wal) => {
            let in_panels = wal.panels.iter().flat_map(|panel| &panel.rows);
            wal.rows.iter().chain(in_panels).map(|row| row.row.part).collect()
        }
    }
}
