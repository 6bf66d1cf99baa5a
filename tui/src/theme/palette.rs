//! The palettes: one table, a line a family, a column a palette. `tests` measure contrast and what is left of the
//! differences for colour-blind eyes.

use ffviz_story::scene::Role;
use ratatui::style::Color;

/// A colour: 24 bits, and the nearest in meaning of the terminal's sixteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swatch {
    /// red, green, blue
    pub rgb: [u8; 3],
    /// of the sixteen
    pub ansi: Color,
}

impl Swatch {
    /// Red, green and blue as amounts of light.
    #[must_use]
    pub fn linear(self) -> [f64; 3] {
        self.rgb.map(|channel| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// WCAG's contrast ratio, 1 to 21.
    #[must_use]
    pub fn contrast(self, other: Self) -> f64 {
        let luminance = |s: Self| {
            let [r, g, b] = s.linear();
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let (a, b) = (luminance(self), luminance(other));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }
}

/// Least contrast of text, and of lines and signs that mean something (WCAG 2.2, 1.4.3 and 1.4.11).
pub const TEXT: f64 = 4.5;
/// The same of lines and signs.
pub const GRAPHICS: f64 = 3.0;

/// A set of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Palette {
    /// light text on a dark ground
    Dark,
    /// dark text on a light ground
    Light,
    /// dark, with Okabe and Ito's eight colours undiluted
    CvdDark,
    /// light, likewise
    CvdLight,
}

/// Roles that share a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// nothing there
    Free,
    /// page header, special space, metapage
    Frame,
    /// what only leads elsewhere: ordinary line pointer, downlink, internal page
    Pointer,
    /// unused, padding, remains
    Faint,
    /// redirect
    Redirect,
    /// dead, deleted, killed, aborted
    Dead,
    /// live, index entries, leaf
    Live,
    /// newest member of a HOT chain
    Hot,
    /// older member of a HOT chain
    HotOld,
    /// version left behind by an update that was not HOT
    Cold,
    /// locked, high key, root
    Lock,
    /// all-visible, frozen
    Settled,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 12] = [
        Self::Free,
        Self::Frame,
        Self::Pointer,
        Self::Faint,
        Self::Redirect,
        Self::Dead,
        Self::Live,
        Self::Hot,
        Self::HotOld,
        Self::Cold,
        Self::Lock,
        Self::Settled,
    ];

    /// The family of a role.
    #[must_use]
    pub const fn of(role: Role) -> Self {
        match role {
            Role::Free => Self::Free,
            Role::PageHeader
            | Role::Special
            | Role::Meta
            | Role::TransactionItem
            | Role::Entry
            | Role::Heading
            | Role::Elided
            | Role::WalMeasured
            | Role::WalHeader => Self::Frame,
            // an entry of an index leads to a row, and does not know whether it lives
            Role::LpNormal
            | Role::Pivot
            | Role::IndexTuple
            | Role::PostingList
            | Role::Internal
            | Role::WalRecord
            | Role::WalBlockRef => Self::Pointer,
            Role::LpUnused
            | Role::Padding
            | Role::Residue
            | Role::New
            | Role::BlockUnknown
            | Role::Bytes
            | Role::WalNotLogged
            | Role::WalOther => Self::Faint,
            Role::LpRedirect => Self::Redirect,
            Role::LpDead
            | Role::TupleDeleted
            | Role::TupleAborted
            | Role::IndexKilled
            | Role::HalfDead
            | Role::Deleted
            | Role::Refused => Self::Dead,
            Role::TupleLive | Role::Leaf | Role::Block | Role::WalEnd | Role::WalMainData => Self::Live,
            Role::TupleHeapOnly | Role::WalBlockData => Self::Hot,
            Role::TupleHotUpdated | Role::UndoRecord => Self::HotOld,
            Role::TupleUpdated => Self::Cold,
            Role::TupleLocked | Role::HighKey | Role::Root | Role::WalImage | Role::WalCheckpoint | Role::WalRedo => {
                Self::Lock
            }
            Role::BlockAllVisible | Role::BlockAllFrozen | Role::Vm | Role::Fsm => Self::Settled,
        }
    }

    const fn ansi(self) -> Color {
        match self {
            Self::Free => Color::Reset,
            Self::Frame | Self::Faint => Color::DarkGray,
            Self::Pointer => Color::Gray,
            Self::Redirect => Color::LightBlue,
            Self::Dead => Color::Red,
            Self::Live => Color::Green,
            Self::Hot | Self::Settled => Color::Cyan,
            Self::HotOld => Color::Blue,
            Self::Cold => Color::Magenta,
            Self::Lock => Color::Yellow,
        }
    }
}

/// fill, text on the fill, sign on the ground
type Three = [u32; 3];

const fn three(palette: Palette, family: Family) -> Three {
    match palette {
        Palette::Dark => dark(family),
        Palette::Light => light(family),
        Palette::CvdDark => cvd_dark(family),
        Palette::CvdLight => cvd_light(family),
    }
}

const fn dark(family: Family) -> Three {
    match family {
        Family::Free => [0x14171C, 0x8B95A3, 0x8B95A3],
        Family::Frame => [0x3B4350, 0xE6EBF2, 0xAAB4C2],
        Family::Pointer => [0x566275, 0xFFFFFF, 0xCFD8E3],
        Family::Faint => [0x23282F, 0x98A2AF, 0x8B95A3],
        Family::Redirect => [0x4655C8, 0xFFFFFF, 0x9DACFF],
        Family::Dead => [0x93400F, 0xFFF1E8, 0xF2935F],
        Family::Live => [0x05664B, 0xF0FFFA, 0x45CFA3],
        Family::Hot => [0x2074B8, 0xFFFFFF, 0x6FC3F7],
        Family::HotOld => [0x263E55, 0xCBE1F4, 0x86AACB],
        Family::Cold => [0x6E3E63, 0xFFE9F7, 0xDA9AC8],
        Family::Lock => [0x5E5818, 0xFBF6CF, 0xCFC65A],
        Family::Settled => [0x3D6A70, 0xECFEFF, 0x84CBD1],
    }
}

const fn light(family: Family) -> Three {
    match family {
        Family::Free => [0xFFFFFF, 0x5C6673, 0x5C6673],
        Family::Frame => [0xD0D6DE, 0x1F2733, 0x4B5563],
        Family::Pointer => [0xB0B8C2, 0x141B26, 0x2A3342],
        Family::Faint => [0xEDF0F3, 0x55606D, 0x626C78],
        Family::Redirect => [0xC9D0FF, 0x16226E, 0x3344B8],
        Family::Dead => [0xF7A97F, 0x4E1A00, 0xA83F00],
        Family::Live => [0xA4EBC9, 0x053A29, 0x006B4A],
        Family::Hot => [0x86BDEE, 0x062B44, 0x0A629C],
        Family::HotOld => [0xD9E8F5, 0x2B4964, 0x46698A],
        Family::Cold => [0xEFBEE6, 0x4A153B, 0x92387A],
        Family::Lock => [0xE9E294, 0x443E00, 0x6C6300],
        Family::Settled => [0xC3E3E6, 0x0F4246, 0x1E7379],
    }
}

const fn cvd_dark(family: Family) -> Three {
    match family {
        Family::Free => [0x000000, 0xA8A8A8, 0xA8A8A8],
        Family::Frame => [0x4A4A4A, 0xFFFFFF, 0xC8C8C8],
        Family::Pointer => [0x707070, 0xFFFFFF, 0xE8E8E8],
        Family::Faint => [0x262626, 0xB0B0B0, 0x9A9A9A],
        Family::Redirect => [0xFFFFFF, 0x000000, 0xFFFFFF],
        Family::Dead => [0xD55E00, 0x000000, 0xFF8A33],
        Family::Live => [0x009E73, 0x000000, 0x2FD3A4],
        Family::Hot => [0x56B4E9, 0x000000, 0x7CCBF8],
        Family::HotOld => [0x0072B2, 0xFFFFFF, 0x4DA8DD],
        Family::Cold => [0xCC79A7, 0x000000, 0xE39CC4],
        Family::Lock => [0x8A8A3A, 0x000000, 0xD8D48A],
        Family::Settled => [0x9AD7D0, 0x000000, 0x9AD7D0],
    }
}

const fn cvd_light(family: Family) -> Three {
    match family {
        Family::Free => [0xFFFFFF, 0x4D4D4D, 0x4D4D4D],
        Family::Frame => [0xC4C4C4, 0x000000, 0x3C3C3C],
        Family::Pointer => [0x8E8E8E, 0x000000, 0x1C1C1C],
        Family::Faint => [0xEEEEEE, 0x404040, 0x666666],
        Family::Redirect => [0x000000, 0xFFFFFF, 0x000000],
        Family::Dead => [0xE8803A, 0x000000, 0xA34700],
        Family::Live => [0x2FB98E, 0x000000, 0x00694C],
        Family::Hot => [0x56B4E9, 0x000000, 0x005F94],
        Family::HotOld => [0x0072B2, 0xFFFFFF, 0x0072B2],
        Family::Cold => [0xCC79A7, 0x000000, 0x93396A],
        Family::Lock => [0xC9C36A, 0x000000, 0x666000],
        Family::Settled => [0xBFE6E1, 0x000000, 0x1F6E66],
    }
}

const fn swatch(hex: u32, ansi: Color) -> Swatch {
    Swatch { rgb: [(hex >> 16) as u8, (hex >> 8) as u8, hex as u8], ansi }
}

impl Palette {
    /// Every palette.
    pub const ALL: [Self; 4] = [Self::Dark, Self::Light, Self::CvdDark, Self::CvdLight];

    /// Does text stand out by being lighter than the ground?
    #[must_use]
    pub const fn is_dark(self) -> bool {
        matches!(self, Self::Dark | Self::CvdDark)
    }

    const fn pick(self, values: [u32; 4], dark: Color, light: Color) -> Swatch {
        let ansi = if self.is_dark() { dark } else { light };
        swatch(values[self as usize], ansi)
    }

    /// The background.
    #[must_use]
    pub const fn ground(self) -> Swatch {
        self.pick([0x14171C, 0xFFFFFF, 0x000000, 0xFFFFFF], Color::Black, Color::White)
    }

    /// Running text.
    #[must_use]
    pub const fn text(self) -> Swatch {
        self.pick([0xD8DEE6, 0x1B2026, 0xFFFFFF, 0x000000], Color::Reset, Color::Reset)
    }

    /// Less important text.
    #[must_use]
    pub const fn dim(self) -> Swatch {
        self.pick([0x8B95A3, 0x5C6673, 0xA8A8A8, 0x4D4D4D], Color::DarkGray, Color::DarkGray)
    }

    /// Lines that guide the eye.
    #[must_use]
    pub const fn rule(self) -> Swatch {
        self.pick([0x616C7B, 0x8A94A1, 0x6A6A6A, 0x8A8A8A], Color::DarkGray, Color::Gray)
    }

    /// Changed by this step; nothing else has this colour.
    #[must_use]
    pub const fn accent(self) -> Swatch {
        self.pick([0xFFB20F, 0x9A5B00, 0xF0E442, 0x8A5200], Color::LightYellow, Color::Red)
    }

    /// Behind what is selected; nothing else has this colour.
    #[must_use]
    pub const fn selection(self) -> Swatch {
        self.pick([0xF4F6F8, 0x1B2026, 0xF0E442, 0x000000], Color::White, Color::Black)
    }

    /// Text on the selection.
    #[must_use]
    pub const fn selection_ink(self) -> Swatch {
        self.pick([0x101318, 0xFFFFFF, 0x000000, 0xFFFFFF], Color::Black, Color::White)
    }

    /// A family as a filled area.
    #[must_use]
    pub const fn fill(self, family: Family) -> Swatch {
        swatch(three(self, family)[0], family.ansi())
    }

    /// A family as the area of a figure, on which there is text of every ink: as much of the fill as leaves that to be
    /// read, two fifths at most.
    #[must_use]
    pub fn soft(self, family: Family) -> Swatch {
        let (fill, ground) = (self.fill(family), self.ground());
        let mixed = |percent: u16| {
            let mix = |n: usize| (u16::from(fill.rgb[n]) * percent + u16::from(ground.rgb[n]) * (100 - percent)) / 100;
            Swatch { rgb: [mix(0) as u8, mix(1) as u8, mix(2) as u8], ansi: fill.ansi }
        };
        let is_read = |soft: &Swatch| {
            let inks = [self.text(), self.dim(), self.accent()];
            inks.iter().all(|ink| ink.contrast(*soft) >= TEXT) && self.tone(family).contrast(*soft) >= GRAPHICS
        };
        (1..=40).rev().map(mixed).find(is_read).unwrap_or(ground)
    }

    /// Text on that area.
    #[must_use]
    pub const fn on_fill(self, family: Family) -> Swatch {
        let ansi = match family {
            Family::Frame | Family::Faint | Family::HotOld | Family::Dead | Family::Cold => Color::White,
            Family::Free => Color::Reset,
            _ => Color::Black,
        };
        swatch(three(self, family)[1], ansi)
    }

    /// A family as a sign on the ground.
    #[must_use]
    pub const fn tone(self, family: Family) -> Swatch {
        swatch(three(self, family)[2], family.ansi())
    }
}
