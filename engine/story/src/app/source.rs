//! Where steps come from. What there is of one source only stands with it: so a lesson has no branches, and a recording
//! no table that is watched.

use super::Model;
use super::course::Course;
use super::live::Live;
use super::script::Branches;
use super::versus::Versus;
use alloc::boxed::Box;
use alloc::string::String;

/// Where steps come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// nothing is open yet: the library
    Library,
    /// a recording: its name
    Recording(String),
    /// a lesson: its name, and how far it was read
    Lesson(String, Box<Course>),
    /// a script that runs in the simulator: its name, its branches
    Script(String, Box<Script>),
    /// a live database: where, and what was asked of it
    Live(String, Box<Live>),
}

/// A script that is open.
#[derive(Debug, Clone)]
pub struct Script {
    pub(super) branches: Branches,
    /// the other run that stands beside
    pub(super) versus: Option<Box<Versus>>,
}

impl Model {
    /// Is a live database attached?
    #[must_use]
    pub const fn is_live(&self) -> bool {
        matches!(self.source, Source::Live(..))
    }

    /// Is a script open that can be edited?
    #[must_use]
    pub const fn is_script(&self) -> bool {
        matches!(self.source, Source::Script(..))
    }

    /// The lesson that is open.
    pub(super) const fn course(&self) -> Option<&Course> {
        if let Source::Lesson(_, course) = &self.source { Some(course) } else { None }
    }

    pub(super) const fn course_mut(&mut self) -> Option<&mut Course> {
        if let Source::Lesson(_, course) = &mut self.source { Some(course) } else { None }
    }

    /// The branches of the script that is open.
    pub(super) const fn branches(&self) -> Option<&Branches> {
        if let Source::Script(_, script) = &self.source { Some(&script.branches) } else { None }
    }

    pub(super) const fn branches_mut(&mut self) -> Option<&mut Branches> {
        if let Source::Script(_, script) = &mut self.source { Some(&mut script.branches) } else { None }
    }

    /// The run beside the script that is open; none where no script is.
    pub(super) const fn versus_mut(&mut self) -> Option<&mut Option<Box<Versus>>> {
        if let Source::Script(_, script) = &mut self.source { Some(&mut script.versus) } else { None }
    }

    /// The live database.
    pub(super) const fn attached(&self) -> Option<&Live> {
        if let Source::Live(_, live) = &self.source { Some(live) } else { None }
    }

    pub(super) const fn attached_mut(&mut self) -> Option<&mut Live> {
        if let Source::Live(_, live) = &mut self.source { Some(live) } else { None }
    }
}
