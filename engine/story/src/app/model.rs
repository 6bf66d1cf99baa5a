//! The state of the program, and the places it can go back to.

use super::follow::Links;
use super::live::Live;
use super::step::{self, Steps};
use super::wal::WalView;
use super::{LibraryEntry, Overlay, Source, ViewName};
use crate::scene::figure::{self, Whole};
use crate::scene::{FigureScene, Look, Measure, PartId, PlotScene, WalList, charts, tree};
use crate::timeline::{Explanation, Timeline};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::nbtree::tree::Tree;
use ffviz_format::page::{BlockNumber, ForkNumber, Oid};
use ffviz_format::state::{PageId, Server};

/// places that are kept to go back to
const HISTORY: usize = 200;

/// The state of the program.
#[derive(Debug, Clone)]
pub struct Model {
    /// where steps come from
    pub source: Source,
    /// entries of the library
    pub library: Vec<LibraryEntry>,
    /// the steps, once something is open
    pub timeline: Option<Timeline>,
    /// what is looked at, and how
    pub place: Place,
    /// hide row data on screen and in what is saved
    pub redact: bool,
    /// where a statement runs that the simulator does not know: a sentence of the face's, or nothing
    pub elsewhere: &'static str,
    pub(super) overlay: Option<Overlay>,
    pub(super) status: String,
    pub(super) busy: Option<String>,
    pub(super) steps: Steps,
    pub(super) links: Links,
    pub(super) wal: WalView,
    made: Made,
    history: Vec<Past>,
}

/// What is looked at, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// which view
    pub view: ViewName,
    /// relation, fork and block looked at
    pub page: Option<PageId>,
    /// what is selected
    pub selected: Option<PartId>,
    pub(super) measure: Measure,
    pub(super) zoom: Option<u32>,
    pub(super) filter: Option<String>,
    pub(super) list: WalList,
}

/// Where `Back` leads: a place, and where a step in time led away the state too.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Past {
    place: Place,
    state: Option<usize>,
}

/// What takes longer to make than everything else that is drawn, and what it was made for.
#[derive(Debug, Clone, Default)]
struct Made {
    explained: Option<(Explained, Explanation)>,
    whole: Option<(Explained, Option<Whole>)>,
    figure: Option<(Figured, FigureScene)>,
    tree: Option<(TreeOf, Tree)>,
    charts: Option<(ChartsOf, Vec<PlotScene>)>,
}

/// What an explanation is of: a state of a timeline of so many, with row data or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Explained {
    state: usize,
    states: usize,
    redact: bool,
    /// all steps of the statement that ends here?
    whole: bool,
}

/// What a figure is of: a state, or all steps of its statement, and the page that was in sight.
type Figured = (Explained, Option<PageId>);

/// What levels are of: an index at a state of a timeline of so many, with so many pages read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TreeOf {
    state: usize,
    states: usize,
    index: Oid,
    pages: usize,
}

/// What charts are of: a timeline of so many states, at whose end so many pages were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ChartsOf {
    states: usize,
    pages: usize,
}

impl Model {
    /// A program with a library to choose from.
    #[must_use]
    pub fn new(library: Vec<LibraryEntry>) -> Self {
        let selected = (!library.is_empty()).then_some(PartId::Entry(0));
        Self {
            source: Source::Library,
            library,
            timeline: None,
            place: Place {
                view: ViewName::List,
                page: None,
                selected,
                measure: Measure::default(),
                zoom: None,
                filter: None,
                list: WalList::default(),
            },
            redact: false,
            elsewhere: "",
            overlay: None,
            status: String::new(),
            busy: None,
            steps: Steps::default(),
            links: Links::default(),
            wal: WalView::default(),
            made: Made::default(),
            history: Vec::new(),
        }
    }

    /// A program attached to a live database; send it `Tables` or `Captured`.
    #[must_use]
    pub fn live(place: String, server: Server) -> Self {
        Self { source: Source::Live(place, Box::new(Live::new(server))), ..Self::new(Vec::new()) }
    }

    /// Goes to a page, as `show --page` and links do; `Back` returns.
    pub fn go_to(&mut self, relation: Oid, fork: ForkNumber, block: BlockNumber) {
        self.remember();
        self.place.page = Some(PageId { relation, fork, block });
        self.place.view = ViewName::Page;
        self.place.selected = None;
    }

    /// The current moment, once something is open; of a long step with what all its steps changed.
    #[must_use]
    pub fn look(&self) -> Option<Look<'_>> {
        let timeline = self.timeline.as_ref()?;
        let look = Look::new(timeline, self.redact);
        let of = self.to_explain(timeline);
        let whole = self.made.whole.as_ref().filter(|(known, _)| *known == of).and_then(|(_, whole)| whole.as_ref());
        Some(whole.map_or(look, |whole| Look { step: whole.step(), ..look }))
    }

    /// Is nothing known but catalogs and statistics? Then pages could not be read, and all figures are estimates.
    #[must_use]
    pub fn is_estimated(&self) -> bool {
        self.timeline.as_ref().is_some_and(|timeline| {
            let state = timeline.state();
            // nothing is known of a script without statements either
            let has_relations = !state.relations.is_empty();
            has_relations && state.pages.is_empty() && state.file.is_none() && !timeline.is_script()
        })
    }

    /// Can what is shown be filtered by typing?
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        matches!(self.place.view, ViewName::List)
            || self.place.view == ViewName::Wal && self.place.list == WalList::Records
    }

    /// What the current step did, and why; of a long step, what all its steps did.
    pub(super) fn explanation(&self, timeline: &Timeline) -> Cow<'_, Explanation> {
        match &self.made.explained {
            Some((of, known)) if *of == self.to_explain(timeline) => Cow::Borrowed(known),
            _ => Cow::Owned(self.explanation_of_whole(timeline).unwrap_or_else(|| match self.redact {
                true => timeline.explain_hidden(),
                false => timeline.explain(),
            })),
        }
    }

    /// Where a whole statement is looked at, its last step, often a COMMIT, is not what it did.
    fn explanation_of_whole(&self, timeline: &Timeline) -> Option<Explanation> {
        let mut told = self.whole(timeline)?.explanation.clone();
        if let Some(failure) = timeline.failure(self.redact).filter(|words| !told.headline.contains(words.as_str())) {
            told.headline = format!("{}; {}", failure.trim_end_matches('.'), told.headline);
        }
        Some(told)
    }

    /// The steps that are looked at as one, where the state was reached by statement.
    pub(super) fn whole(&self, timeline: &Timeline) -> Option<Cow<'_, Whole>> {
        let of = self.to_explain(timeline);
        match &self.made.whole {
            Some((known, whole)) if *known == of => whole.as_ref().map(Cow::Borrowed),
            _ => {
                let steps = self.steps_in_one(timeline)?;
                Whole::of(timeline, &steps, self.redact).map(Cow::Owned)
            }
        }
    }

    /// The states of those steps.
    pub(super) fn steps_in_one(&self, timeline: &Timeline) -> Option<Range<usize>> {
        let steps = step::group_of(timeline).filter(|_| self.steps.whole)?;
        Whole::is_there(timeline, &steps).then_some(steps)
    }

    /// Makes the explanation of the current step, unless it is known.
    fn explain(&mut self) {
        let Some(timeline) = self.timeline.as_ref().filter(|_| self.place.view != ViewName::List) else { return };
        let of = self.to_explain(timeline);
        if self.made.whole.as_ref().is_none_or(|(known, _)| *known != of) {
            self.made.whole = Some((of, self.whole(timeline).map(Cow::into_owned)));
        }
        if self.made.explained.as_ref().is_none_or(|(known, _)| *known != of) {
            self.made.explained = Some((of, self.explanation(timeline).into_owned()));
        }
    }

    const fn to_explain(&self, timeline: &Timeline) -> Explained {
        let (state, states) = (timeline.current(), timeline.len());
        Explained { state, states, redact: self.redact, whole: self.steps.whole }
    }

    /// The levels of an index.
    pub(super) fn tree(&self, look: &Look<'_>, index: Oid) -> Cow<'_, Tree> {
        match &self.made.tree {
            Some((of, tree)) if Some(*of) == self.tree_of(index) => Cow::Borrowed(tree),
            _ => Cow::Owned(tree::build(look, index, Tree::default())),
        }
    }

    /// The figure of the current step, or of the statement that ends with it.
    pub(super) fn figure(&self, timeline: &Timeline) -> Cow<'_, FigureScene> {
        match &self.made.figure {
            Some((of, known)) if *of == self.figured(timeline) => Cow::Borrowed(known),
            _ => {
                let whole = self.whole(timeline).map(|it| it.figure(timeline, self.redact, self.place.page));
                let look = Look::new(timeline, self.redact);
                let one = || figure::scene(&look, &self.explanation(timeline), self.place.page);
                Cow::Owned(whole.unwrap_or_else(one))
            }
        }
    }

    const fn figured(&self, timeline: &Timeline) -> Figured {
        (self.to_explain(timeline), self.place.page)
    }

    /// Makes the figure of the current step where it is shown, unless it is known.
    fn draw_figure(&mut self) {
        let Some(timeline) = self.timeline.as_ref().filter(|_| self.place.view == ViewName::Figure) else { return };
        let of = self.figured(timeline);
        if self.made.figure.as_ref().is_none_or(|(known, _)| *known != of) {
            self.made.figure = Some((of, self.figure(timeline).into_owned()));
        }
    }

    /// Are there numbers of a server over time? Lessons and scripts are read statement by statement.
    pub(super) fn has_charts(&self) -> bool {
        let is_watched = matches!(self.source, Source::Recording(_) | Source::Live(..));
        let has_captures = |timeline: &Timeline| timeline.groups().len() >= charts::LEAST && !timeline.is_script();
        is_watched && self.timeline.as_ref().is_some_and(has_captures)
    }

    /// The charts of all captures.
    pub(super) fn plots(&self, timeline: &Timeline) -> Cow<'_, [PlotScene]> {
        match &self.made.charts {
            Some((of, known)) if *of == charts_of(timeline) => Cow::Borrowed(known),
            _ => Cow::Owned(charts::plots(timeline)),
        }
    }

    /// Makes the charts where they are shown, unless they are known.
    fn draw_charts(&mut self) {
        let Some(timeline) = self.timeline.as_ref().filter(|_| self.place.view == ViewName::Charts) else { return };
        let of = charts_of(timeline);
        if self.made.charts.as_ref().is_none_or(|(known, _)| *known != of) {
            self.made.charts = Some((of, charts::plots(timeline)));
        }
    }

    /// Makes what takes long and is asked for again with each key.
    pub(super) fn prepare(&mut self) {
        self.explain();
        self.draw_figure();
        self.draw_charts();
        self.prepare_wal();
        let Some(index) = self.place.page.map(|id| id.relation).filter(|_| self.place.view == ViewName::Tree) else {
            return;
        };
        let Some(of) = self.tree_of(index) else { return };
        if self.made.tree.as_ref().is_none_or(|(known, _)| *known != of) {
            let earlier = self.made.tree.take().filter(|(known, _)| known.index == index);
            let earlier = earlier.map_or_else(Tree::default, |(_, tree)| tree);
            let Some(look) = self.look() else { return };
            self.made.tree = Some((of, tree::build(&look, index, earlier)));
        }
    }

    fn tree_of(&self, index: Oid) -> Option<TreeOf> {
        let timeline = self.timeline.as_ref()?;
        let pages = timeline.state().fork(index, ForkNumber::Main).count();
        Some(TreeOf { state: timeline.current(), states: timeline.len(), index, pages })
    }

    /// Opens a timeline in place of what was open.
    pub(super) fn set_timeline(&mut self, timeline: Timeline) {
        self.timeline = Some(timeline);
        self.made = Made::default();
        self.wal = WalView::default();
        self.place.list = WalList::default();
        self.steps.followed = None;
    }

    /// Keeps the present place and moment to go back to.
    pub(super) fn remember_moment(&mut self) {
        self.remember();
        let current = self.timeline.as_ref().map(Timeline::current);
        if let Some(past) = self.history.last_mut() {
            past.state = current;
        }
    }

    /// Keeps the present place to go back to.
    pub(super) fn remember(&mut self) {
        let here = Past { place: self.place.clone(), state: None };
        if self.history.last() != Some(&here) {
            self.history.push(here);
        }
        if self.history.len() > HISTORY {
            self.history.remove(0);
        }
        self.links.trail.clear();
    }

    /// Goes back to the last place kept; `false` where there is none.
    pub(super) fn go_back(&mut self) -> bool {
        let here = Past { place: self.place.clone(), state: None };
        while let Some(past) = self.history.pop() {
            if past == here {
                continue;
            }
            self.place = past.place;
            if let (Some(timeline), Some(state)) = (&mut self.timeline, past.state) {
                timeline.seek(state);
            }
            return true;
        }
        false
    }

    /// Forgets all places: they belong to what was open before.
    pub(super) fn forget_places(&mut self) {
        self.history.retain(|past| past.place.view == ViewName::List);
        self.links.trail.clear();
    }
}

fn charts_of(timeline: &Timeline) -> ChartsOf {
    ChartsOf { states: timeline.len(), pages: timeline.last().pages.len() }
}
