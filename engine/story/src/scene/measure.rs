//! What a cell of the relation map can show.

/// A measure of a page, switchable in the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Measure {
    /// bytes in use
    #[default]
    Fill,
    /// bytes of dead row versions
    Dead,
    /// all-visible and all-frozen, from the visibility map
    Visibility,
    /// free space within which an UPDATE of an average row version stays on the page
    HotRoom,
    /// bytes that this step changed
    Change,
    /// how much WAL was written since the page was
    Age,
}

impl Measure {
    /// All of them, in the order of `NextMeasure`.
    pub const ALL: [Self; 6] = [Self::Fill, Self::Dead, Self::Visibility, Self::HotRoom, Self::Change, Self::Age];

    /// Its name in words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Dead => "dead share",
            Self::Visibility => "all-visible",
            Self::HotRoom => "HOT room",
            Self::Change => "change",
            Self::Age => "age",
        }
    }

    /// What a full cell means.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Fill => "share of the page in use",
            Self::Dead => "share of the page taken by dead row versions and dead line pointers",
            Self::Visibility => {
                "pages whose every row version is visible to all, or frozen, as the visibility map says"
            }
            Self::HotRoom => "pages with room for a new version of an average row, so that its UPDATE can be HOT",
            Self::Change => "share of the page's bytes that this step changed",
            Self::Age => {
                "how much WAL was written since the page was: empty is none, full is 1 GB or more, each step in between four times as much"
            }
        }
    }
}
