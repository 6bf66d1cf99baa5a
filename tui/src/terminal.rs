//! The terminal: taken over at the start, given back whatever happens: normal end, panic, signal, suspend.

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use std::io::{self, Stdout, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

/// ratatui's terminal on standard output.
pub type Screen = Terminal<CrosstermBackend<Stdout>>;

/// The signals that concern the terminal.
pub const SIGNALS: [i32; 5] = [SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGCONT];

static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal as long as it is ours; dropping it gives it back.
pub struct Taken {
    /// what to draw on
    pub screen: Screen,
}

impl Taken {
    /// Raw mode, second screen, mouse.
    ///
    /// # Errors
    /// When standard output is no terminal after all.
    pub fn take() -> io::Result<Self> {
        enter()?;
        Ok(Self { screen: Terminal::new(CrosstermBackend::new(stdout()))? })
    }

    /// Gives the terminal back, stops the process as `SIGTSTP` does, and takes it again when the process goes on.
    ///
    /// # Errors
    /// When the terminal cannot be had again.
    pub fn suspend(&mut self) -> io::Result<()> {
        give_back();
        signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
        self.take_again()
    }

    /// Takes the terminal anew, after the process was stopped by somebody else.
    ///
    /// # Errors
    /// When the terminal cannot be had again.
    pub fn take_again(&mut self) -> io::Result<()> {
        give_back();
        enter()?;
        // a new screen is drawn whole; clearing the old one would ask the terminal for the cursor, and the answer would
        // go to the thread of the keys
        self.screen = Terminal::new(CrosstermBackend::new(stdout()))?;
        Ok(())
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture)
}

/// Gives the terminal back; does nothing when it was not taken. Errors are of no use here: the terminal may be gone.
pub fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// Before a panic is reported, on whatever thread, the terminal is given back; `also` is called after the report.
pub fn give_back_on_panic(also: impl Fn() + Send + Sync + 'static) {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        give_back();
        report(info);
        also();
    }));
}

/// Ends the process as the signal would have, so that the caller's shell sees why.
///
/// # Errors
/// Where the system does not let us.
pub fn die_by(signal: i32) -> io::Result<()> {
    give_back();
    signal_hook::low_level::emulate_default_handler(signal)
}
