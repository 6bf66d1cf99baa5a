//! The state of the program, and the places it can go back to.

use super::course::Course;
use super::script::Branches;
use super::step::{self, Followed};
use super::versus::Versus;
use super::wal::WalView;
use super::{LibraryEntry, Overlay, Source, TableEntry, ViewName};
use crate::scene::{FigureScene, Look, Measure, PartId, WalList, figure, tree};
use crate::timeline::{Explanation, Timeline};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
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
    /// tables of the live database
    pub tables: Vec<TableEntry>,
    /// the steps, once something is open
    pub timeline: Option<Timeline>,
    /// which view
    pub view: ViewName,
    /// relation, fork and block looked at
    pub page: Option<PageId>,
    /// what is selected
    pub selected: Option<PartId>,
    /// hide row data on screen and in what is saved
    pub redact: bool,
    pub(super) measure: Measure,
    pub(super) zoom: Option<u32>,
    pub(super) filter: Option<String>,
    pub(super) overlay: Option<Overlay>,
    pub(super) status: String,
    pub(super) busy: Option<String>,
    pub(super) live: Live,
    /// the branches of the script that is open
    pub(super) script: Option<Branches>,
    /// the other run that stands beside
    pub(super) versus: Option<Box<Versus>>,
    pub(super) wal: WalView,
    /// the lesson that the steps belong to
    pub(super) course: Option<Course>,
    /// is each step of catalog and files shown?
    pub(super) unfolded: bool,
    /// stepping stays on the page that is shown, even where another changed
    pub(super) pinned: bool,
    /// steps follow changes to pages of the relation that is shown only: where two runs are compared
    pub(super) within: bool,
    /// was the state reached by statement? Then the figure is of all its steps in one.
    pub(super) whole: bool,
    pub(super) followed: Option<Followed>,
    /// index entries for the same row that are still to visit with `FollowBack`
    pub(super) trail: Vec<(PageId, PartId)>,
    /// it takes longer to make than everything else that is drawn
    explained: Option<(Explained, Explanation)>,
    /// the figure of the current step, and the page that it was made for
    figure: Option<(Figured, FigureScene)>,
    /// the levels of the index that is shown, since taking all its pages apart takes long too
    tree: Option<(TreeOf, Tree)>,
    /// the posting list that was followed last, and how many of its TIDs
    pub(super) posting: Option<(PageId, PartId, usize)>,
    history: Vec<Place>,
}

/// What only a live database has.
#[derive(Debug, Clone, Default)]
pub(super) struct Live {
    /// what is known of the server before the first capture
    pub(super) server: Option<Server>,
    /// the table whose captures make the timeline
    pub(super) table: Option<Oid>,
    /// the table that was asked for and has not come yet
    pub(super) wanted: Option<Oid>,
    /// pages asked for and not yet answered
    pub(super) asked: BTreeSet<PageId>,
    /// was the list of tables asked for, since the program began with a table?
    pub(super) listing: bool,
    /// are captures taken every few seconds?
    pub(super) watching: bool,
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

/// What a figure is of: a state, whether of all steps of its statement, and the page that was in sight.
type Figured = (Explained, bool, Option<PageId>);

/// What levels are of: an index at a state of a timeline of so many, with so many pages read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TreeOf {
    state: usize,
    states: usize,
    index: Oid,
    pages: usize,
}

/// Where `Back` leads.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    view: ViewName,
    page: Option<PageId>,
    selected: Option<PartId>,
    measure: Measure,
    zoom: Option<u32>,
    filter: Option<String>,
    list: WalList,
    /// the state too, where a step in time led away
    state: Option<usize>,
}

impl Model {
    /// A program with a library to choose from.
    #[must_use]
    pub fn new(library: Vec<LibraryEntry>) -> Self {
        let selected = (!library.is_empty()).then_some(PartId::Entry(0));
        Self {
            source: Source::Library,
            library,
            tables: Vec::new(),
            timeline: None,
            view: ViewName::List,
            page: None,
            selected,
            redact: false,
            measure: Measure::default(),
            zoom: None,
            filter: None,
            overlay: None,
            status: String::new(),
            busy: None,
            live: Live::default(),
            script: None,
            versus: None,
            wal: WalView::default(),
            course: None,
            unfolded: false,
            pinned: false,
            within: false,
            whole: false,
            followed: None,
            trail: Vec::new(),
            explained: None,
            figure: None,
            tree: None,
            posting: None,
            history: Vec::new(),
        }
    }

    /// A program attached to a live database; send it `Tables` or `Captured`.
    #[must_use]
    pub fn live(place: String, server: Server) -> Self {
        let live = Live { server: Some(server), ..Live::default() };
        Self { source: Source::Live(place), live, ..Self::new(Vec::new()) }
    }

    /// Goes to a page, as `show --page` and links do; `Back` returns.
    pub fn go_to(&mut self, relation: Oid, fork: ForkNumber, block: BlockNumber) {
        self.remember();
        self.page = Some(PageId { relation, fork, block });
        self.view = ViewName::Page;
        self.selected = None;
    }

    /// The current moment, once something is open.
    #[must_use]
    pub fn look(&self) -> Option<Look<'_>> {
        Some(Look::new(self.timeline.as_ref()?, self.redact))
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
        matches!(self.view, ViewName::List) || self.view == ViewName::Wal && self.wal.list == WalList::Records
    }

    /// Is a live database attached?
    #[must_use]
    pub const fn is_live(&self) -> bool {
        matches!(self.source, Source::Live(_))
    }

    /// Are captures taken every few seconds?
    #[must_use]
    pub const fn is_watching(&self) -> bool {
        self.live.watching
    }

    /// What the current step did, and why.
    pub(super) fn explanation(&self, timeline: &Timeline) -> Cow<'_, Explanation> {
        match &self.explained {
            Some((of, known)) if *of == self.to_explain(timeline) => Cow::Borrowed(known),
            _ => Cow::Owned(self.explanation_of_whole(timeline).unwrap_or_else(|| match self.redact {
                true => timeline.explain_hidden(),
                false => timeline.explain(),
            })),
        }
    }

    /// Beside the figure of a whole statement stands what it shows, not what the last step, often a COMMIT, did.
    fn explanation_of_whole(&self, timeline: &Timeline) -> Option<Explanation> {
        let steps = step::group_of(timeline).filter(|_| self.to_explain(timeline).whole)?;
        let mut told = figure::whole_told(timeline, &steps, self.redact)?;
        if let Some(failure) = timeline.failure(self.redact).filter(|words| !told.headline.contains(words.as_str())) {
            told.headline = format!("{}; {}", failure.trim_end_matches('.'), told.headline);
        }
        Some(told)
    }

    /// The steps that the figure in sight shows as one.
    pub(super) fn steps_in_one(&self, timeline: &Timeline) -> Option<Range<usize>> {
        let is_one = |steps: &Range<usize>| {
            steps.len() > 1 && steps.clone().all(|state| timeline.record(state).is_some() || timeline.is_simulated())
        };
        step::group_of(timeline).filter(|_| self.to_explain(timeline).whole).filter(is_one)
    }

    /// Makes the explanation of the current step, unless it is known.
    fn explain(&mut self) {
        let Some(timeline) = self.timeline.as_ref().filter(|_| self.view != ViewName::List) else { return };
        let of = self.to_explain(timeline);
        if self.explained.as_ref().is_none_or(|(known, _)| *known != of) {
            self.explained = Some((of, self.explanation(timeline).into_owned()));
        }
    }

    const fn to_explain(&self, timeline: &Timeline) -> Explained {
        let whole = self.whole && matches!(self.view, ViewName::Figure);
        Explained { state: timeline.current(), states: timeline.len(), redact: self.redact, whole }
    }

    /// The levels of an index.
    pub(super) fn tree(&self, look: &Look<'_>, index: Oid) -> Cow<'_, Tree> {
        match &self.tree {
            Some((of, tree)) if Some(*of) == self.tree_of(index) => Cow::Borrowed(tree),
            _ => Cow::Owned(tree::build(look, index, Tree::default())),
        }
    }

    /// The figure of the current step, or of the statement that ends with it.
    pub(super) fn figure(&self, timeline: &Timeline) -> Cow<'_, FigureScene> {
        match &self.figure {
            Some((of, known)) if *of == self.figured(timeline) => Cow::Borrowed(known),
            _ => {
                let steps = step::group_of(timeline).filter(|_| self.whole);
                let whole = steps.and_then(|steps| figure::whole(timeline, &steps, self.redact, self.page));
                let look = Look::new(timeline, self.redact);
                let one = || figure::scene(&look, &self.explanation(timeline), self.page);
                let mut figure = whole.unwrap_or_else(one);
                // on a figure alone, in a document, nothing else says it
                let failure = timeline.failure(self.redact);
                let failure = failure.filter(|words| !figure.notes.iter().any(|note| note.contains(words.as_str())));
                figure.notes.extend(failure);
                Cow::Owned(figure)
            }
        }
    }

    const fn figured(&self, timeline: &Timeline) -> Figured {
        (self.to_explain(timeline), self.whole, self.page)
    }

    /// Makes the figure of the current step where it is shown, unless it is known.
    fn draw_figure(&mut self) {
        let Some(timeline) = self.timeline.as_ref().filter(|_| self.view == ViewName::Figure) else { return };
        let of = self.figured(timeline);
        if self.figure.as_ref().is_none_or(|(known, _)| *known != of) {
            self.figure = Some((of, self.figure(timeline).into_owned()));
        }
    }

    /// Makes what takes long and is asked for again with each key.
    pub(super) fn prepare(&mut self) {
        self.explain();
        self.draw_figure();
        self.prepare_wal();
        let Some(index) = self.page.map(|id| id.relation).filter(|_| self.view == ViewName::Tree) else { return };
        let Some(of) = self.tree_of(index) else { return };
        if self.tree.as_ref().is_none_or(|(known, _)| *known != of) {
            let earlier = self.tree.take().filter(|(known, _)| known.index == index);
            let earlier = earlier.map_or_else(Tree::default, |(_, tree)| tree);
            let Some(look) = self.look() else { return };
            self.tree = Some((of, tree::build(&look, index, earlier)));
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
        self.explained = None;
        self.figure = None;
        self.tree = None;
        self.wal = WalView::default();
        self.course = None;
        self.followed = None;
    }

    fn place(&self) -> Place {
        Place {
            view: self.view,
            page: self.page,
            selected: self.selected,
            measure: self.measure,
            zoom: self.zoom,
            filter: self.filter.clone(),
            list: self.wal.list,
            state: None,
        }
    }

    /// Keeps the present place and moment to go back to.
    pub(super) fn remember_moment(&mut self) {
        self.remember();
        let current = self.timeline.as_ref().map(Timeline::current);
        if let Some(place) = self.history.last_mut() {
            place.state = current;
        }
    }

    /// Keeps the present place to go back to.
    pub(super) fn remember(&mut self) {
        let place = self.place();
        if self.history.last() != Some(&place) {
            self.history.push(place);
        }
        if self.history.len() > HISTORY {
            self.history.remove(0);
        }
        self.trail.clear();
    }

    /// Goes back to the last place kept; `false` where there is none.
    pub(super) fn go_back(&mut self) -> bool {
        let here = self.place();
        while let Some(place) = self.history.pop() {
            if place == here {
                continue;
            }
            let Place { view, page, selected, measure, zoom, filter, list, state } = place;
            (self.view, self.page, self.selected) = (view, page, selected);
            (self.measure, self.zoom, self.filter, self.wal.list) = (measure, zoom, filter, list);
            if let (Some(timeline), Some(state)) = (&mut self.timeline, state) {
                timeline.seek(state);
            }
            return true;
        }
        false
    }

    /// Forgets all places: they belong to what was open before.
    pub(super) fn forget_places(&mut self) {
        self.history.retain(|place| place.view == ViewName::List);
        self.trail.clear();
    }
}
