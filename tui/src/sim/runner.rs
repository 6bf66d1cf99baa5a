//! Runs scripts in the background for the program on screen, which goes on meanwhile.

use crate::inbox::Mailbox;
use ffviz_simulator::sql::run::{Mistake, Play, RunOptions};
use ffviz_story::app::{Effect, Msg, Problem, RunReport, RunRequest};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a run says how far it is.
const OFTEN: Duration = Duration::from_millis(100);

/// As much as the main thread has: expressions are read by descent.
const STACK: usize = 8 << 20;

/// One run at a time, on a thread of its own.
pub struct Runner {
    options: RunOptions,
    /// of the second run, where two are shown
    versus: Option<RunOptions>,
    mailbox: Mailbox,
    stopped: Arc<AtomicBool>,
}

impl Runner {
    /// Runs on that server, and answers to that mailbox.
    #[must_use]
    pub fn new(options: RunOptions, versus: Option<RunOptions>, mailbox: Mailbox) -> Self {
        Self { options, versus, mailbox, stopped: Arc::default() }
    }

    /// Performs what the model asks for.
    pub fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Run(request) => self.run(request),
            Effect::StopRun => self.stopped.store(true, Ordering::Relaxed),
            _ => drop(self.mailbox.send(Msg::Failed("there is no server: this is a script in the simulator".into()))),
        }
    }

    fn run(&mut self, request: RunRequest) {
        self.stopped.store(true, Ordering::Relaxed);
        self.stopped = Arc::default();
        let ways: Vec<RunOptions> = [&self.options].into_iter().chain(&self.versus).cloned().collect();
        let (mailbox, stopped) = (self.mailbox.clone(), Arc::clone(&self.stopped));
        let number = request.number;
        let work = move || play(request, &ways, &stopped, |report| mailbox.send(Msg::run(number, report)));
        if let Err(error) = std::thread::Builder::new().stack_size(STACK).spawn(work) {
            let _ = self.mailbox.send(Msg::Failed(format!("the script cannot be run: {error}")));
        }
    }
}

/// A mistake as the program shows it.
#[must_use]
pub fn problem(mistake: Mistake) -> Problem {
    let Mistake { line, column, sentence, runs, is_valid } = mistake;
    Problem { line, column, sentence, runs, is_valid }
}

/// Runs a text to its end in each way, or until it is stopped; says how far it is.
fn play(request: RunRequest, ways: &[RunOptions], stopped: &Arc<AtomicBool>, report: impl Fn(RunReport) -> bool) {
    let mistake = Play::mistake(&request.text).filter(|mistake| !(request.anyway && mistake.runs));
    if let Some(mistake) = mistake {
        report(RunReport::Wrong(problem(mistake)));
        return;
    }
    let mut runs = Vec::new();
    for (way, options) in ways.iter().enumerate() {
        // the text is a script, and the settings were good when the first was run
        let Ok(mut play) = Play::new(request.text.clone(), options) else { return };
        play.interrupt_by(Arc::clone(stopped));
        let mut said = Instant::now();
        while play.next() {
            if stopped.load(Ordering::Relaxed) {
                return;
            }
            if said.elapsed() >= OFTEN {
                let (done, of) = play.progress();
                report(RunReport::Running(way * of + done, ways.len() * of));
                said = Instant::now();
            }
        }
        runs.push(Box::new(play.finish()));
    }
    let mut runs = runs.into_iter();
    if let Some(run) = runs.next() {
        report(RunReport::Ran(run, runs.next()));
    }
}
