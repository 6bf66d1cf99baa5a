//! Two runs of one script side by side: in lockstep, looking at the same, with what both cost.

use crate::command;
use crate::script::{answer, ask, label, run_as};
use ffviz_format::page::PgVersion;
use ffviz_simulator::sql::run::RunOptions;
use ffviz_story::app::{Beside, Command, Model, Msg, update, view};
use ffviz_story::scene::{Scene, TimelineScene};
use std::collections::BTreeSet;

const NEWEST: PgVersion = PgVersion(180_004);

/// Of a full page: with fillfactor 80 both updates are HOT, without only the second, of a row on a new page with room.
const SCRIPT: &str = "create table t (id int primary key, note text);
insert into t select i, repeat('x', 1000) from generate_series(1, 8) i;
checkpoint;
update t set note = repeat('y', 1000) where id = 1;
update t set note = repeat('y', 1000) where id = 8;
vacuum t;
";

fn other(versus: &[(&str, &str)], version: PgVersion) -> RunOptions {
    let storage = versus.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    RunOptions { storage, ..RunOptions::new(version) }
}

fn open(options: &RunOptions) -> Model {
    let mut model = Model::new(Vec::new());
    update(&mut model, Msg::Scripted { name: "a.sql".into(), run: run_as(SCRIPT, &RunOptions::new(NEWEST)) });
    let names = ["as written".to_string(), "otherwise".to_string()];
    update(&mut model, Msg::Versus { names, run: run_as(SCRIPT, options) });
    model
}

fn beside(model: &Model) -> Beside {
    *view(model).versus.expect("two runs")
}

/// Where both runs are, and in which statement.
fn places(model: &Model) -> ((usize, usize), (String, String)) {
    let (one, two) = (view(model).timeline, beside(model).view.timeline.clone());
    ((one.current, two.current), (one.statement, two.statement))
}

#[test]
fn steps_are_of_the_same_statement_and_can_be_taken_back() {
    for options in [other(&[("fillfactor", "50")], NEWEST), other(&[], PgVersion(130_023))] {
        let mut model = open(&options);
        command(&mut model, Command::First);
        let mut there = vec![places(&model)];
        while !command(&mut model, Command::StepForward).status.contains("last state") {
            let before = &there[there.len() - 1];
            let now = places(&model);
            assert_eq!(now.1.0, now.1.1, "both are in the same statement");
            let ((a, b), (x, y)) = (before.0, now.0);
            assert!(x - a <= 1 && y - b <= 1 && x + y > a + b, "a step of {:?} leads to {:?}", before.0, now.0);
            there.push(now);
        }
        let (one, two) = (view(&model).timeline, beside(&model).view.timeline.clone());
        assert_eq!((one.current + 1, two.current + 1), (one.count, two.count));
        let mut back = vec![places(&model)];
        while !command(&mut model, Command::StepBack).status.contains("first state") {
            back.push(places(&model));
        }
        back.reverse();
        assert_eq!(there, back);
        assert!(there.len() > one.count.min(two.count), "one waited for the other");
    }
}

#[test]
fn all_ways_to_move_keep_both_together() {
    let mut model = open(&other(&[("fillfactor", "80")], NEWEST));
    command(&mut model, Command::First);
    for _ in 0..6 {
        command(&mut model, Command::NextGroup);
        let (_, (one, two)) = places(&model);
        assert_eq!(one, two);
        for TimelineScene { marks, current, .. } in [view(&model).timeline, beside(&model).view.timeline.clone()] {
            let label = |state: usize| marks.iter().find(|mark| mark.state == state).map(|mark| &mark.label);
            assert_ne!(label(current), label(current + 1), "the end of the statement");
        }
    }
    for state in (0..view(&model).timeline.count).step_by(7) {
        update(&mut model, Msg::Seek(state));
        let (_, (one, two)) = places(&model);
        assert_eq!(one, two, "at state {state}");
    }
}

#[test]
fn both_show_the_page_of_that_name() {
    let mut model = open(&other(&[("fillfactor", "50")], PgVersion(130_023)));
    command(&mut model, Command::Last);
    let mut names = BTreeSet::new();
    for _ in 0..view(&model).relations.len() {
        command(&mut model, Command::NextRelation);
        let (Scene::Page(one), Scene::Page(two)) = (view(&model).scene, beside(&model).view.scene.clone()) else {
            continue;
        };
        let name = |title: &str| title.split([' ', '.']).next().unwrap_or_default().to_string();
        assert_eq!(name(&one.title), name(&two.title));
        names.insert(name(&one.title));
    }
    assert!(names.contains("t") && names.contains("t_pkey"), "{names:?}");
    command(&mut model, Command::NextView);
    assert_eq!(view(&model).tabs, beside(&model).view.tabs);
}

#[test]
fn totals_are_those_of_the_statements() {
    let mut model = open(&other(&[("fillfactor", "80")], NEWEST));
    let table = |model: &Model| beside(model).totals;
    let hot = |model: &Model| {
        let totals = table(model);
        let column = totals.columns.iter().position(|column| column.title == "HOT").expect("a column");
        totals.rows.iter().map(|row| row[column].clone()).collect::<Vec<_>>()
    };
    command(&mut model, Command::First);
    assert_eq!(hot(&model), ["-", "-", "50%", "100%"]);
    for _ in 0..4 {
        command(&mut model, Command::NextGroup);
    }
    assert_eq!(label(&model), "update t set note = repeat('y', 1000) where id = 1");
    assert_eq!(hot(&model), ["0%", "100%", "50%", "100%"]);
    command(&mut model, Command::Last);
    let totals = table(&model);
    assert_eq!(totals.rows[0][2..], totals.rows[2][2..]);
    assert_eq!(totals.rows[1][2..], totals.rows[3][2..]);
    // the records of the totals are those that the steps show
    let records =
        model.timeline.as_ref().map(|timeline| (0..timeline.len()).filter_map(|n| timeline.record(n)).count());
    assert_eq!(totals.rows[0][2], records.expect("steps").to_string());
}

#[test]
fn editing_and_branching_off_is_of_both() {
    let options = other(&[("fillfactor", "80")], NEWEST);
    let mut model = open(&options);
    for _ in 0..3 {
        command(&mut model, Command::NextGroup);
    }
    let request = ask(&mut model, Command::BranchOff, "delete from t where id = 1;");
    answer(&mut model, request, Some(&options));
    assert!(view(&model).title.contains("branch 2/2"));
    assert!(beside(&model).view.title.contains("branch 2/2"));
    command(&mut model, Command::NextGroup);
    assert_eq!((label(&model), beside(&model).view.timeline.label.clone()), {
        let deleted = "delete from t where id = 1".to_string();
        (deleted.clone(), deleted)
    });
    command(&mut model, Command::Undo);
    let (_, (one, two)) = places(&model);
    assert_eq!(one, two);
    assert!(!beside(&model).view.title.contains("2/2"));
    // something else that is opened stands alone
    update(&mut model, Msg::Scripted { name: "b.sql".into(), run: run_as(SCRIPT, &options) });
    assert!(view(&model).versus.is_none());
}
