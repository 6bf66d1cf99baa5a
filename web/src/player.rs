//! Playing: a step every few seconds, until the last one, or until the reader does something.

use std::time::Duration;
use yew::prelude::*;

/// How long a step is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// five seconds
    Slow,
    /// two and a half
    Usual,
    /// one
    Fast,
}

impl Pace {
    const ALL: [Self; 3] = [Self::Slow, Self::Usual, Self::Fast];

    /// How long a step is shown.
    #[must_use]
    pub const fn step(self) -> Duration {
        Duration::from_millis(match self {
            Self::Slow => 5000,
            Self::Usual => 2500,
            Self::Fast => 1000,
        })
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Usual => "usual",
            Self::Fast => "fast",
        }
    }

    const fn next(self) -> Self {
        match self {
            Self::Slow => Self::Usual,
            Self::Usual => Self::Fast,
            Self::Fast => Self::Slow,
        }
    }
}

/// Is it playing, and how fast?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Player {
    /// which round: a step that was announced before the reader stopped is not taken
    round: Option<u32>,
    rounds: u32,
    pace: Pace,
}

impl Default for Player {
    fn default() -> Self {
        Self { round: None, rounds: 0, pace: Pace::ALL[1] }
    }
}

impl Player {
    /// Begins; gives what the next step is announced with.
    pub fn begin(&mut self) -> (u32, Duration) {
        self.rounds += 1;
        self.round = Some(self.rounds);
        (self.rounds, self.pace.step())
    }

    /// The reader did something else.
    pub const fn stop(&mut self) {
        self.round = None;
    }

    /// Is it playing?
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.round.is_some()
    }

    /// A step that was announced: is it still to be taken? Then what the next one is announced with.
    #[must_use]
    pub fn goes_on(&self, round: u32) -> Option<Duration> {
        (self.round == Some(round)).then(|| self.pace.step())
    }

    /// Another pace.
    pub const fn change_pace(&mut self) {
        self.pace = self.pace.next();
    }

    /// Buttons: play or pause, and how fast.
    pub fn buttons(&self, play: Callback<MouseEvent>, pace: Callback<MouseEvent>) -> Html {
        let (sign, what) = if self.is_on() { ("⏸", "pause") } else { ("▶", "play") };
        html! {
            <>
                <button type="button" class="play" title={what} aria-label={what} onclick={play}>{ sign }</button>
                if self.is_on() {
                    <button type="button" class="pace" aria-label={format!("pace: {}", self.pace.word())} onclick={pace}>{ self.pace.word() }</button>
                }
            </>
        }
    }
}
