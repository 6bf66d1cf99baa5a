//! The scripts of the suite on servers whose settings make other records: a part of them in each run, all of them by
//! the longer command (`FFVIZ_SETTINGS` chooses settings by a part of their name).

use super::known::Known;
use super::oracle::Oracle;
use super::scripts;
use super::suite::Found;
use ffviz_verify::compare::report_counts;

ffviz_tests::each_version!(a_part_of_the_suite: super::part);
ffviz_tests::each_version!(#[ignore = "five minutes a version"] the_suite: super::all);

/// What a server is started with.
struct Variant {
    name: &'static str,
    checksums: bool,
    settings: &'static str,
}

/// Each differs from the suite's server in one thing.
const EACH: [Variant; 5] = [
    Variant { name: "data checksums", checksums: true, settings: "" },
    Variant { name: "wal_log_hints", checksums: false, settings: "wal_log_hints = on" },
    Variant { name: "wal_level logical", checksums: false, settings: "wal_level = logical" },
    Variant { name: "wal_compression", checksums: false, settings: "wal_compression = on" },
    Variant { name: "full_page_writes off", checksums: false, settings: "full_page_writes = off" },
];
/// All that makes records longer.
const TOGETHER: Variant = Variant {
    name: "data checksums, wal_level logical and wal_compression",
    checksums: true,
    settings: "wal_level = logical\nwal_compression = on",
};

/// Runs the scripts of these numbers; gives what differs.
fn run(major: u32, variant: &Variant, is_wanted: impl Fn(usize) -> bool) -> Vec<String> {
    let oracle = Oracle::start_with(major, variant.checksums, variant.settings);
    let (mut known, mut found) = (Known::of(major), Found::default());
    let cases = scripts::all();
    let wanted = cases.iter().enumerate().filter(|(n, _)| is_wanted(*n));
    wanted.clone().for_each(|(_, case)| found.add(&oracle, case, &mut known, false));
    let (scripts, counts) = (wanted.count(), report_counts(&found.counts));
    let told = format!("{major} with {}: {scripts} scripts, {} equal; {counts}", variant.name, found.equal);
    println!("{told}");
    assert!(found.counts.is_something() || scripts::are_chosen(), "{told}: nothing was compared");
    found.wrong.into_iter().map(|wrong| format!("{told}\n{wrong}")).collect()
}

fn all(major: u32) {
    let wanted = std::env::var("FFVIZ_SETTINGS").unwrap_or_default();
    let variants: Vec<&Variant> =
        EACH.iter().chain([&TOGETHER]).filter(|variant| variant.name.contains(&wanted)).collect();
    assert!(!variants.is_empty(), "no variant is named {wanted}");
    let wrong: Vec<String> = variants.into_iter().flat_map(|variant| run(major, variant, |_| true)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each version runs every twelfth script, each another twelfth.
fn part(major: u32) {
    let wrong = run(major, &TOGETHER, |n| n as u32 % 12 == major - 13);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
