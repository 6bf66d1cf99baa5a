//! A script in the program: edited and run anew, branched off, its branches gone through; the test performs the
//! effects.

use crate::command;
use ffviz_format::page::{ForkNumber, PgVersion};
use ffviz_format::state::State;
use ffviz_simulator::sql::run::{Mistake, Play, RunOptions};
use ffviz_story::app::{Command, Effect, Model, Msg, Overlay, Problem, RunReport, RunRequest, ViewName, update, view};
use ffviz_story::scene::{Scene, StepName};
use ffviz_story::timeline::Run;

const SCRIPT: &str = "create table t (a int, b int) with (autovacuum_enabled = off);
insert into t values (1, 1), (2, 2);
update t set b = 3 where a = 1;
delete from t where a = 2; -- the last one
";

fn run(text: &str) -> Run {
    run_as(text, &RunOptions::new(PgVersion(180_004)))
}

pub fn run_as(text: &str, options: &RunOptions) -> Run {
    let mut play = Play::new(text.to_owned(), options).expect("a script");
    while play.next() {}
    play.finish()
}

fn open(text: &str) -> Model {
    let mut model = Model::new(Vec::new());
    update(&mut model, Msg::Scripted { name: "a.sql".into(), run: run(text) });
    update(&mut model, Msg::Show(ViewName::Page));
    model
}

const DEFINED: &str = "create table t (id int primary key, n int);
    insert into t values (1, 0), (2, 0);
    update t set n = 1 where id = 1;";

/// What only defines something is one step, until each is asked for.
#[test]
fn catalog_and_files_are_one_step() {
    let mut model = open(DEFINED);
    let first = view(&model).timeline.count;
    command(&mut model, Command::First);
    let folded = command(&mut model, Command::StepForward);
    let end = model.timeline.as_ref().expect("steps").groups()[1].states.end - 1;
    assert!(end > 3, "CREATE TABLE with a key has steps");
    assert_eq!(folded.timeline.current, end);
    assert!(folded.status.contains("in one"), "{}", folded.status);
    assert!(command(&mut model, Command::StepForward).timeline.label.starts_with("insert"));
    command(&mut model, Command::StepBack);
    assert_eq!(command(&mut model, Command::StepBack).timeline.current, 0);
    command(&mut model, Command::Unfold);
    let presses = (0..first).take_while(|_| !command(&mut model, Command::StepForward).status.contains("last state"));
    assert_eq!(presses.count(), first - 1, "each step is shown");
}

/// An address leads to its step, and the step says it; decisions have addresses of their own.
#[test]
fn steps_have_addresses() {
    let mut model = open(DEFINED);
    let find = |model: &Model, name: &str| {
        name.parse::<StepName>().and_then(|name| name.find(model.timeline.as_ref().expect("steps")))
    };
    for state in 0..view(&model).timeline.count {
        update(&mut model, Msg::Seek(state));
        let address = view(&model).timeline.address;
        assert_eq!(address.is_empty(), state == 0);
        if state > 0 {
            assert_eq!(find(&model, &address), Ok(state), "{address}");
        }
    }
    let inserts = [find(&model, "2.insert"), find(&model, "2.insert.2")];
    assert!(inserts[0].as_ref().is_ok_and(|one| inserts[1].as_ref().is_ok_and(|two| one < two)), "{inserts:?}");
    let hot = find(&model, "3.hot-update").expect("an update");
    update(&mut model, Msg::Seek(hot));
    assert!(view(&model).timeline.headline.contains("HOT"), "{}", view(&model).timeline.headline);
    for (name, why) in [
        ("9.1", "there are statements 1 to 3"),
        ("2.99", "that change something"),
        ("2.delete", "statement 2 has no such event; its steps are"),
        ("2.nope", "nope is no event"),
        ("x", "name a step by its number"),
    ] {
        assert!(find(&model, name).is_err_and(|said| said.contains(why)), "{name}");
    }
}

/// Types a text in the editor that a command opens, and asks to run it.
pub fn ask(model: &mut Model, open: Command, text: &str) -> RunRequest {
    command(model, open);
    assert!(matches!(view(model).overlay, Some(Overlay::Editor(_))), "no editor: {}", view(model).status);
    match update(model, Msg::Run(text.to_owned())).as_slice() {
        [Effect::Run(request)] => request.clone(),
        other => panic!("no run is asked for: {other:?}"),
    }
}

/// As a face does it; where two runs are shown, with the other too.
pub fn answer(model: &mut Model, request: RunRequest, other: Option<&RunOptions>) {
    let mistake = Play::mistake(&request.text).filter(|mistake| !(request.anyway && mistake.runs));
    let problem = mistake.map(|Mistake { line, column, sentence, runs, is_valid }| Problem {
        line,
        column,
        sentence,
        runs,
        is_valid,
    });
    let report = problem.map_or_else(
        || RunReport::Ran(Box::new(run(&request.text)), other.map(|options| Box::new(run_as(&request.text, options)))),
        RunReport::Wrong,
    );
    update(model, Msg::run(request.number, report));
}

fn change(model: &mut Model, open: Command, text: &str) {
    let request = ask(model, open, text);
    answer(model, request, None);
}

/// Goes to the end of a statement, counted from 1.
fn go(model: &mut Model, statement: usize) {
    let end = model.timeline.as_ref().expect("steps").groups()[statement].states.end;
    update(model, Msg::Seek(end - 1));
}

pub fn label(model: &Model) -> String {
    view(model).timeline.label
}

fn now(model: &Model) -> &State {
    model.timeline.as_ref().expect("steps").state()
}

fn line_pointers(model: &Model) -> usize {
    let page = now(model).pages.iter().find(|(id, _)| id.fork == ForkNumber::Main).expect("a page").1;
    page.line_pointers().count()
}

#[test]
fn an_edited_script_is_shown_at_the_same_statement() {
    let mut model = open(SCRIPT);
    go(&mut model, 3);
    assert_eq!((label(&model).as_str(), line_pointers(&model)), ("update t set b = 3 where a = 1", 3));
    // before this statement: one row more
    change(&mut model, Command::Edit, &SCRIPT.replace("(2, 2)", "(2, 2), (3, 3)"));
    assert_eq!((label(&model).as_str(), line_pointers(&model)), ("update t set b = 3 where a = 1", 4));
    assert!(view(&model).title.contains("branch 2/2: 1 edited"), "{}", view(&model).title);
    // a statement before it: the same one is the fourth now
    let longer = SCRIPT.replace("update", "delete from t where a = 9;\nupdate");
    change(&mut model, Command::Edit, &longer);
    assert_eq!(label(&model), "update t set b = 3 where a = 1");
    // the statement itself
    change(&mut model, Command::Edit, &longer.replace("b = 3", "b = 4"));
    assert_eq!(label(&model), "update t set b = 4 where a = 1");
    // nothing behind the first
    change(&mut model, Command::Edit, "create table t (a int)");
    assert_eq!(label(&model), "create table t (a int)");
}

#[test]
fn an_error_is_shown_at_its_place_and_nothing_is_lost() {
    let mut model = open(SCRIPT);
    go(&mut model, 2);
    let before = now(&model).clone();
    let wrong = SCRIPT.replace("  ", " ").replace("delete from", "/* no */ delete form");
    let request = ask(&mut model, Command::Edit, &wrong);
    answer(&mut model, request, None);
    let Some(Overlay::Editor(scene)) = view(&model).overlay else { panic!("the editor is closed") };
    let problem = scene.problem.expect("a problem");
    assert_eq!((problem.line, problem.column), (4, Some(17)), "{}", problem.sentence);
    assert_eq!(problem.sentence, "syntax error at or near \"form\"");
    assert_eq!(scene.text, wrong);
    assert_eq!(now(&model), &before);
    // closed and opened again, it is still there
    update(&mut model, Msg::CloseEditor(wrong.clone()));
    command(&mut model, Command::Edit);
    let Some(Overlay::Editor(scene)) = view(&model).overlay else { panic!("the editor is closed") };
    assert_eq!(scene.text, wrong);
    // a directive that there is not cannot be run at all
    let request = ask(&mut model, Command::Edit, &format!("{SCRIPT}--@ crush\n"));
    answer(&mut model, request, None);
    let Some(Overlay::Editor(scene)) = view(&model).overlay else { panic!("the editor is closed") };
    assert!(scene.problem.is_some_and(|problem| problem.line == 5 && !problem.runs));
}

#[test]
fn a_statement_that_is_not_understood_runs_when_asked_again() {
    let mut model = open(SCRIPT);
    let text = format!("{SCRIPT}create rule r as on insert to t do nothing;\n");
    let request = ask(&mut model, Command::Edit, &text);
    answer(&mut model, request, None);
    let again = match update(&mut model, Msg::Run(text)).as_slice() {
        [Effect::Run(request)] => request.clone(),
        other => panic!("{other:?}"),
    };
    assert!(again.anyway);
    answer(&mut model, again, None);
    command(&mut model, Command::Last);
    assert_eq!(label(&model), "create rule r as on insert to t do nothing");
}

#[test]
fn a_branch_runs_from_the_state_after_the_statement() {
    let mut model = open(
        "--@ session B\nbegin;\ncreate table t (a int); insert into t values (1);\ninsert into t values (2); commit;",
    );
    go(&mut model, 3);
    let kept = now(&model).clone();
    let request = ask(&mut model, Command::BranchOff, "rollback; select * from t;");
    assert_eq!(
        request.text,
        "--@ session B\nbegin;\ncreate table t (a int); insert into t values (1);\nrollback; select * from t;"
    );
    answer(&mut model, request, None);
    assert!(view(&model).title.contains("branch 2/2: 1 up to statement 3"), "{}", view(&model).title);
    // the same state, with the transaction open: what is rolled back is the table
    assert_eq!(now(&model).pages, kept.pages);
    assert_eq!(label(&model), "insert into t values (1)");
    command(&mut model, Command::StepForward);
    assert_eq!(label(&model), "rollback");
    command(&mut model, Command::Last);
    assert!(now(&model).relations.is_empty(), "the table is still there");
    // and back to what happened before
    command(&mut model, Command::Undo);
    assert!(view(&model).title.contains("branch 1/2"), "{}", view(&model).title);
    command(&mut model, Command::Last);
    assert_eq!(label(&model), "commit");
    command(&mut model, Command::NextBranch);
    assert!(view(&model).title.contains("branch 2/2"), "{}", view(&model).title);
}

#[test]
fn a_branch_after_a_script_without_its_last_semicolon() {
    let mut model = open("create table t (a int); insert into t values (1) -- and a comment");
    command(&mut model, Command::Last);
    change(&mut model, Command::BranchOff, "update t set a = 2 wherr a = 1");
    let Some(Overlay::Editor(scene)) = view(&model).overlay else { panic!("the editor is closed") };
    let problem = scene.problem.expect("a problem");
    assert_eq!((problem.line, problem.column), (1, Some(20)), "{}", problem.sentence);
    let request = match update(&mut model, Msg::Run("update t set a = 2 where a = 1".into())).as_slice() {
        [Effect::Run(request)] => request.clone(),
        other => panic!("{other:?}"),
    };
    answer(&mut model, request, None);
    command(&mut model, Command::Last);
    assert_eq!((label(&model).as_str(), line_pointers(&model)), ("update t set a = 2 where a = 1", 2));
}

#[test]
fn a_run_can_be_stopped() {
    let mut model = open(SCRIPT);
    let request = ask(&mut model, Command::Edit, "create table other (a int);");
    update(&mut model, Msg::run(request.number, RunReport::Running(3, 9)));
    let shown = view(&model);
    assert!(shown.overlay.is_none() && shown.busy.is_some_and(|busy| busy.contains("3 of 9")));
    // meanwhile one can step
    command(&mut model, Command::Last);
    assert_eq!(label(&model), "delete from t where a = 2");
    assert_eq!(update(&mut model, Msg::Command(Command::Back)), [Effect::StopRun]);
    assert!(view(&model).busy.is_none());
    // what comes too late is of no interest
    answer(&mut model, request, None);
    assert_eq!(label(&model), "delete from t where a = 2");
    command(&mut model, Command::Edit);
    let Some(Overlay::Editor(scene)) = view(&model).overlay else { panic!("the editor is closed") };
    assert_eq!(scene.text, "create table other (a int);");
}

#[test]
fn statements_are_steps_of_their_own() {
    let mut model = open(SCRIPT);
    command(&mut model, Command::First);
    let mut labels = Vec::new();
    for _ in 0..4 {
        command(&mut model, Command::NextGroup);
        labels.push(label(&model));
    }
    let expected: Vec<&str> = SCRIPT.lines().filter_map(|line| line.split(';').next()).collect();
    assert_eq!(labels, expected);
    command(&mut model, Command::PreviousGroup);
    assert_eq!(label(&model), expected[2]);
}

#[test]
fn a_recording_cannot_be_edited() {
    let mut model = crate::a_recording();
    let said = command(&mut model, Command::Edit).status;
    assert!(said.contains("ffviz sim"), "{said}");
    assert!(view(&model).overlay.is_none());
}

/// All that is told on the way through a script, and the facts beside the pages.
fn told(text: &str) -> String {
    let mut model = open(text);
    let end = model.timeline.as_ref().expect("steps").len() - 1;
    let mut told = String::new();
    for state in 0..=end {
        update(&mut model, Msg::Seek(state));
        let timeline = view(&model).timeline;
        timeline.events.iter().for_each(|event| told.extend([&event.what, " ", &event.why, "\n"]));
        if let Scene::Page(page) = view(&model).scene {
            page.facts.iter().for_each(|fact| told.extend([&fact.label, ": ", &fact.value, "\n"]));
        }
    }
    told
}

/// What is free, and what a row needs, is one number each, whoever tells it: the facts beside the page, the
/// explanation, the simulator.
#[test]
fn room_is_told_in_one_way() {
    let check = |update: &str, expected: &[&str]| {
        let fill = "create table t (a int primary key, b char(900)) with (autovacuum_enabled = off);
            insert into t select i, 'x' from generate_series(1, 8) i;";
        let told = told(&format!("{fill} {update}"));
        expected.iter().for_each(|words| assert!(told.contains(words), "{words}: {told}"));
        ["644 bytes", "needs 936"].iter().for_each(|words| assert!(!told.contains(words), "{words}: {told}"));
    };
    check(
        "",
        &["It takes 936 bytes for the tuple and 4 for line pointer 8", "needs 940, free 648 bytes", "free: 648 bytes"],
    );
    check(
        "update t set b = 'y' where a = 1;",
        &[
            "block 0: 648 bytes free, 940 needed",
            "no page has 940 bytes free",
            "needs 940 bytes (936 and 4 for a line pointer); only 648 were free on block 0",
        ],
    );
    check(
        "delete from t where a = 1; select * from t; delete from t where a = 2; select * from t;",
        &[
            "only 648 bytes were free, fewer than 819 (a tenth of the page) and a line pointer",
            "1,584 bytes are free and pruning starts below 819 and a line pointer",
        ],
    );
}

/// Who does not ask the free space map did not find out from it that there was no room.
#[test]
fn a_file_grows_without_a_search() {
    let check = |script: &str, expected: &str| {
        let told = told(script);
        assert!(told.contains(expected) && !told.contains("was known, so"), "{expected}: {told}");
    };
    let skips = "or none was looked for: CREATE TABLE AS, and COPY into a file that its own transaction made";
    check("create table t as select i, 'x'::char(900) as b from generate_series(1, 20) i;", skips);
    check("create table t (a int); insert into t values (1);", "The file had no block yet.");
}

/// What is said of a transaction that is rolled back is what the pages show of it.
#[test]
fn a_rollback_says_what_it_leaves() {
    let check = |script: &str, expected: &str| {
        let told = told(&format!("create table t (a int); {script}"));
        let said: Vec<&str> =
            ["its versions stay on the pages", "keep its id as xmax", "it left no version and no xmax"]
                .into_iter()
                .filter(|sentence| told.contains(sentence))
                .collect();
        assert_eq!(said, [expected], "{script}: {told}");
    };
    check("create table u (a int default nofn());", "it left no version and no xmax");
    check("begin; create table u (a int); insert into u values (1); rollback;", "it left no version and no xmax");
    check("begin; insert into t values (1); rollback;", "its versions stay on the pages");
    check("insert into t values (1); begin; delete from t; rollback;", "keep its id as xmax");
}

/// Tables of one name in two schemas are told apart.
#[test]
fn a_table_of_another_schema_has_it_before_its_name() {
    let told = told(
        "create schema s; create table t (a int); create table s.t (a int); insert into t values (1);
         insert into s.t values (1);",
    );
    ["table t appears", "table s.t appears", "t: INSERT (0,1)", "s.t: INSERT (0,1)", "table s.t: 0 blocks"]
        .iter()
        .for_each(|words| assert!(told.contains(words), "{words}: {told}"));
}

/// FETCH tells the plan of its cursor's query, as SELECT does.
#[test]
fn fetch_tells_the_plan() {
    let told = told(
        "create table t (a int); insert into t values (1); begin; declare c cursor for select * from t; fetch 1 from c;",
    );
    assert!(told.matches("plan: Seq Scan on t").count() >= 2, "{told}");
}

/// In a new cluster the limit for freezing lies before the first transaction.
#[test]
fn vacuum_says_what_it_freezes() {
    let check = |vacuum: &str, expected: &str| {
        let told = told(&format!("create table t (a int); insert into t values (1); {vacuum}"));
        assert!(told.contains(expected), "{expected}: {told}");
    };
    check("vacuum t;", "no xid is old enough that it has to be frozen");
    check("vacuum (freeze) t;", "are to be frozen");
    check("set vacuum_freeze_min_age = 0; vacuum t;", "are to be frozen");
}

/// What a crash leaves of a page: its last write, or that without hints, or a torn one.
#[test]
fn a_crash_says_what_is_lost() {
    let script = |between: &str, crash: &str| {
        format!(
            "create table t (id int primary key, n int); insert into t select i, i from generate_series(1, 100) i;
             select count(*) from t; begin; delete from t where id = 90; rollback; checkpoint;
             {between}\n--@ crash{crash}\nselect 1;"
        )
    };
    let check = |between: &str, crash: &str, expected: &str, never: &[&str]| {
        let told = told(&script(between, crash));
        assert!(told.contains(expected) && !never.iter().any(|word| told.contains(word)), "{expected}: {told}");
    };
    let (torn, back, hints) = ("is torn", "as last written", "without the hints in memory");
    // the scan notes that the DELETE was rolled back, and no record says so
    check("select count(*) from t;", "", hints, &[torn, back]);
    check("update t set n = 0 where id = 1;", "", back, &[torn]);
    check("update t set n = 0 where id = 1;", " torn t 0 4096", torn, &[]);
}

/// A table without an index has no index entries, and a posting list is one entry that leads to several rows.
#[test]
fn index_entries_are_told_of_where_there_are_some() {
    let check = |script: &str, expected: &str, never: &str| {
        let told = told(script);
        assert!(told.contains(expected) && !told.contains(never), "{expected}, not {never}: {told}");
    };
    let bare = "create table t (a int, b char(900)) with (autovacuum_enabled = off);
        insert into t select i, 'x' from generate_series(1, 8) i;
        delete from t where a = 1;
        select count(*) from t;";
    let treated = "The table has no index, but pruning treats it as if it had";
    check(bare, treated, "index entries still lead here");
    check(
        &format!("{bare} vacuum t;"),
        "The table has no index, so no entry can lead here",
        "has removed the index entries",
    );
    check(&bare.replace("a int,", "a int primary key,"), "index entries still lead here", treated);
    let merged =
        "create table t (a int) with (autovacuum_enabled = off); insert into t select 1 from generate_series(1, 10);
        create index t_a on t (a); delete from t; vacuum t;";
    check(merged, "t_a: 10 TIDs removed from leaf 1", "10 entries removed");
}
