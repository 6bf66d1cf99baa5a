//! What comes in: keys and mouse, signals, answers of what works in the background; all through one channel, in order.

use crate::{keymap, terminal};
use ffviz_story::app::Msg;
use ratatui::crossterm::event::{self, Event};
use signal_hook::iterator::Signals;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What comes in.
pub enum Incoming {
    /// a key, the mouse, another size
    Terminal(Event),
    /// a signal
    Signal(i32),
    /// an answer
    Msg(Box<Msg>),
    /// something panicked, on whatever thread
    Panicked,
}

/// Where answers go: may be cloned and sent to other threads.
#[derive(Clone)]
pub struct Mailbox(Sender<Incoming>);

impl Mailbox {
    /// Sends a message to the program; `false` when it has ended.
    #[must_use]
    pub fn send(&self, msg: Msg) -> bool {
        self.0.send(Incoming::Msg(Box::new(msg))).is_ok()
    }
}

/// What comes in, in order.
pub struct Inbox {
    pub(super) sender: Sender<Incoming>,
    pub(super) incoming: Receiver<Incoming>,
}

/// The two ends of the way in; the mailbox may be given away before the program takes the inbox.
#[must_use]
pub fn inbox() -> (Mailbox, Inbox) {
    let (sender, incoming) = channel();
    (Mailbox(sender.clone()), Inbox { sender, incoming })
}

/// Forwards signals that concern the terminal.
///
/// # Errors
/// Where the system does not let us.
pub fn forward_signals(sender: Sender<Incoming>) -> std::io::Result<()> {
    let mut signals = Signals::new(terminal::SIGNALS)?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if sender.send(Incoming::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Forwards what the terminal says. Behind a key that may hand the terminal to another program it waits until it is
/// told to go on, so that it does not take that program's keys.
#[must_use]
pub fn forward_terminal(sender: Sender<Incoming>) -> Sender<()> {
    let (go_on, may_go_on) = channel();
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            let waits = keymap::hands_over(&event);
            if sender.send(Incoming::Terminal(event)).is_err() || waits && may_go_on.recv().is_err() {
                return;
            }
        }
        // the terminal is gone
        let _ = sender.send(Incoming::Signal(signal_hook::consts::SIGHUP));
    });
    go_on
}
