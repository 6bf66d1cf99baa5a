//! A live database without a screen: what `ffviz show CONNINFO -t TABLE` and a piped `ffviz attach` look at.

use ffviz_live::args::AttachArgs;
use ffviz_story::app::{self, Effect, Model, Msg};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Longest time between two answers of a server.
const PATIENCE: Duration = Duration::from_secs(60);

/// A model that is attached to a server; messages are sent to it and their answers awaited.
pub struct Attached {
    /// the state of the program
    pub model: Model,
    effects: UnboundedSender<Effect>,
    answers: Receiver<Msg>,
}

impl Attached {
    /// Connects and waits for the first answer: the list of tables, or a capture.
    ///
    /// # Errors
    /// A sentence that says what is wrong and what to do.
    pub fn start(args: &AttachArgs) -> Result<Self, String> {
        let (sender, answers) = channel();
        let attached = ffviz_live::start(args, move |msg| sender.send(msg).is_ok())?;
        let mut model = Model::live(attached.place, attached.server);
        model.redact = args.read.redact;
        let mut this = Self { model, effects: attached.effects, answers };
        this.wait()?;
        Ok(this)
    }

    /// Sends a message and waits until everything it asked for is there.
    ///
    /// # Errors
    /// What the server said.
    pub fn send(&mut self, msg: Msg) -> Result<(), String> {
        let effects = app::update(&mut self.model, msg);
        let waiting = !effects.is_empty();
        for effect in effects {
            self.effects.send(effect).map_err(|_| "the connection has ended".to_owned())?;
        }
        if waiting { self.wait() } else { Ok(()) }
    }

    fn wait(&mut self) -> Result<(), String> {
        match self.answers.recv_timeout(PATIENCE) {
            Ok(Msg::Failed(why)) => Err(why),
            Ok(answer) => self.send(answer),
            Err(RecvTimeoutError::Timeout) => Err("the server has not answered for a minute; try again later".into()),
            Err(RecvTimeoutError::Disconnected) => Err("the connection has ended".into()),
        }
    }
}
