//! From a script that fails to a short one that still does: pieces are left out, halves first, then ever smaller ones.

use ffviz_simulator::sql::script::{Item, Script};

/// The shortest script found for which `fails` holds, trying at most so often.
pub fn shrink(script: &Script, tries: usize, mut fails: impl FnMut(&Script) -> bool) -> Script {
    let mut best = script.clone();
    let mut left = tries;
    let mut piece = best.items.len().div_ceil(2).max(1);
    while left > 0 {
        let before = best.items.len();
        let mut at = 0;
        while at < best.items.len() && left > 0 {
            let mut items = best.items.clone();
            items.drain(at..(at + piece).min(items.len()));
            let shorter = renumbered(items);
            left -= 1;
            if !shorter.items.is_empty() && fails(&shorter) {
                best = shorter;
            } else {
                at += piece;
            }
        }
        if piece == 1 && best.items.len() == before {
            break;
        }
        piece = piece.div_ceil(2);
    }
    best
}

/// Statements are numbered from 1 without gaps.
fn renumbered(items: Vec<Item>) -> Script {
    let mut n = 0;
    let number = |item: Item| match item {
        Item::Statement(mut statement) => {
            n += 1;
            statement.n = n;
            Item::Statement(statement)
        }
        directive => directive,
    };
    Script { items: items.into_iter().map(number).collect() }
}

#[cfg(test)]
mod tests {
    use super::shrink;
    use ffviz_simulator::sql::script::Script;

    #[test]
    fn what_is_needed_stays() {
        let text: String = (1..=40).map(|n| format!("select {n};\n")).collect();
        let script = Script::parse(&text).expect("a script");
        let has = |script: &Script, n: u32| script.statements().any(|s| s.sql == format!("select {n}"));
        let found = shrink(&script, 1000, |script| has(script, 7) && has(script, 31));
        let left: Vec<_> = found.statements().map(|s| (s.n, s.sql.as_str())).collect();
        assert_eq!(left, [(1, "select 7"), (2, "select 31")]);
    }
}
