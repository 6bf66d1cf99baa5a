//! Patterns of numbers (`NUM_keywords`, `NUMDesc_prepare`, src/backend/utils/adt/formatting.c).

use super::Part;
use super::literal;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};

/// A word of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Comma,
    Point,
    Zero,
    Nine,
    Blank,
    Exponent,
    Fill,
    Group,
    Currency,
    Minus,
    Plus,
    Bracket,
    Roman(bool),
    BothSigns,
    Sign,
    Ordinal(bool),
    Shift,
}

const KEYS: &[(&str, Key)] = &[
    (",", Key::Comma),
    (".", Key::Point),
    ("0", Key::Zero),
    ("9", Key::Nine),
    ("B", Key::Blank),
    ("C", Key::Blank),
    ("D", Key::Point),
    ("EEEE", Key::Exponent),
    ("FM", Key::Fill),
    ("G", Key::Group),
    ("L", Key::Currency),
    ("MI", Key::Minus),
    ("PL", Key::Plus),
    ("PR", Key::Bracket),
    ("RN", Key::Roman(true)),
    ("SG", Key::BothSigns),
    ("S", Key::Sign),
    ("TH", Key::Ordinal(true)),
    ("V", Key::Shift),
];

/// A part of a pattern.
#[derive(Debug, Clone, Copy)]
pub(super) enum Node {
    Key(Key),
    Char(char),
}

/// Where the sign of S stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum SignPlace {
    #[default]
    Nowhere,
    Before,
    Behind,
}

/// What a pattern says (`NUMDesc`).
#[derive(Debug, Clone, Default)]
pub(super) struct Desc {
    /// digits before and behind the point, and behind V
    pub pre: usize,
    pub post: usize,
    pub multi: usize,
    pub sign: SignPlace,
    /// digits before S
    pub before_sign: usize,
    pub zero_start: usize,
    pub zero_end: usize,
    pub has_zero: bool,
    pub is_blank: bool,
    pub fills_not: bool,
    pub has_point: bool,
    pub has_sign: bool,
    pub has_bracket: bool,
    pub has_minus: bool,
    pub has_plus: bool,
    pub is_roman: bool,
    pub is_multi: bool,
    pub is_exponent: bool,
}

fn wrong(message: &'static str) -> SqlError {
    SqlError::new("42601", message)
}

/// The parts of a pattern, and what they come to.
pub(super) fn parsed(pattern: &str) -> Result<(Vec<Node>, Desc)> {
    let (mut nodes, mut desc, mut rest) = (Vec::new(), Desc::default(), pattern);
    while let Some(first) = rest.chars().next() {
        let found = KEYS.iter().find(|(name, _)| {
            rest.get(..name.len()).is_some_and(|start| start == *name || start == name.to_ascii_lowercase())
        });
        if let Some((name, key)) = found {
            let is_upper = rest.starts_with(name);
            let key = match key {
                Key::Roman(_) => Key::Roman(is_upper),
                Key::Ordinal(_) => Key::Ordinal(is_upper),
                other => *other,
            };
            desc.take(key)?;
            nodes.push(Node::Key(key));
            rest = &rest[name.len()..];
            continue;
        }
        let mut parts = Vec::new();
        rest = literal(rest, first, &mut parts);
        nodes.extend(parts.into_iter().filter_map(|part| match part {
            Part::Char(c) | Part::Separator(c) | Part::Space(c) => Some(Node::Char(c)),
            Part::Field(_) => None,
        }));
    }
    Ok((nodes, desc))
}

impl Desc {
    /// `NUMDesc_prepare`
    fn take(&mut self, key: Key) -> Result<()> {
        if self.is_exponent && key != Key::Exponent {
            return Err(wrong("\"EEEE\" must be the last pattern used"));
        }
        match key {
            Key::Nine if self.has_bracket => return Err(wrong("\"9\" must be ahead of \"PR\"")),
            Key::Nine if self.is_multi => self.multi += 1,
            Key::Nine if self.has_point => self.post += 1,
            Key::Nine => self.pre += 1,
            Key::Zero if self.has_bracket => return Err(wrong("\"0\" must be ahead of \"PR\"")),
            Key::Zero => {
                if !self.has_zero && !self.has_point {
                    self.has_zero = true;
                    self.zero_start = self.pre + 1;
                }
                *(if self.has_point { &mut self.post } else { &mut self.pre }) += 1;
                self.zero_end = self.pre + self.post;
            }
            Key::Blank => self.is_blank |= self.pre == 0 && self.post == 0 && !self.has_zero,
            Key::Point if self.has_point => return Err(wrong("multiple decimal points")),
            Key::Point | Key::Shift if self.is_multi && key == Key::Point || self.has_point => {
                return Err(wrong("cannot use \"V\" and decimal point together"));
            }
            Key::Point => self.has_point = true,
            Key::Shift => self.is_multi = true,
            Key::Fill => self.fills_not = true,
            Key::Sign => self.take_sign()?,
            Key::Minus | Key::Plus | Key::BothSigns if self.has_sign => {
                return Err(wrong(match key {
                    Key::Minus => "cannot use \"S\" and \"MI\" together",
                    Key::Plus => "cannot use \"S\" and \"PL\" together",
                    _ => "cannot use \"S\" and \"SG\" together",
                }));
            }
            Key::Minus | Key::Plus | Key::BothSigns => {
                self.has_minus |= key != Key::Plus;
                self.has_plus |= key != Key::Minus;
            }
            Key::Bracket if self.has_sign || self.has_plus || self.has_minus => {
                return Err(wrong("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together"));
            }
            Key::Bracket => self.has_bracket = true,
            Key::Roman(_) => self.is_roman = true,
            Key::Exponent => {
                if self.is_exponent {
                    return Err(wrong("cannot use \"EEEE\" twice"));
                }
                let signs = self.has_sign || self.has_bracket || self.has_minus || self.has_plus;
                if self.is_blank || self.fills_not || signs || self.is_roman || self.is_multi {
                    let error = wrong("\"EEEE\" is incompatible with other formats");
                    let detail = "\"EEEE\" may only be used together with digit and decimal point patterns.";
                    return Err(error.with_detail(detail));
                }
                self.is_exponent = true;
            }
            Key::Comma | Key::Group | Key::Currency | Key::Ordinal(_) => {}
        }
        Ok(())
    }

    fn take_sign(&mut self) -> Result<()> {
        if self.has_sign {
            return Err(wrong("cannot use \"S\" twice"));
        }
        if self.has_plus || self.has_minus || self.has_bracket {
            return Err(wrong("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together"));
        }
        self.has_sign = true;
        if self.has_point {
            self.sign = SignPlace::Behind;
        } else {
            (self.sign, self.before_sign) = (SignPlace::Before, self.pre);
        }
        Ok(())
    }
}
