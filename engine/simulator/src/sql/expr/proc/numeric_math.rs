//! Roots, powers of e and logarithms of numeric (`numeric_sqrt`, `numeric_exp`, `numeric_ln`, `numeric_log`,
//! src/backend/utils/adt/numeric.c): computed with more digits than are shown, then rounded.

use crate::sql::ast::BinaryOp;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::Call;
use crate::sql::expr::pg_catalog::NUMERIC;
use crate::sql::expr::pg_proc::{Proc, f};
use crate::sql::expr::{operate, root};
use crate::version::SqlBehaviour;
use alloc::string::String;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::{Context as Input, input};
use ffviz_format::datum::{SqlType, Value, ops};

/// Digits that are shown at least (`NUMERIC_MIN_SIG_DIGITS`).
const SIGNIFICANT: i32 = 16;
/// Digits beyond those that are shown.
const GUARD: i32 = 15;

pub(super) const PROCS: &[Proc] = &[
    f("exp", &[NUMERIC], NUMERIC, exp),
    f("ln", &[NUMERIC], NUMERIC, |call| {
        let scale = SIGNIFICANT - ln_weight(&of(call, 0)?);
        logarithm(call, scale)
    }),
    f("log", &[NUMERIC], NUMERIC, common_logarithm),
    f("log", &[NUMERIC, NUMERIC], NUMERIC, logarithm_of_base),
    f("log10", &[NUMERIC], NUMERIC, common_logarithm),
    f("sqrt", &[NUMERIC], NUMERIC, sqrt),
];

/// A number in digits.
struct Digits {
    text: String,
    is_negative: bool,
    is_zero: bool,
}

/// An argument; NaN and infinity are not computed with.
fn of(call: &Call<'_, '_>, n: usize) -> Result<Digits> {
    let text = call.args[n].output(NUMERIC).unwrap_or_default();
    if text.ends_with(|c: char| c.is_ascii_alphabetic()) {
        let message = alloc::format!("{} of NaN and Infinity is not supported", call.proc.name);
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let is_negative = text.starts_with('-');
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'-'));
    Ok(Digits { text: text.trim_start_matches('-').into(), is_negative, is_zero })
}

impl Digits {
    fn scale(&self) -> i32 {
        self.text.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32)
    }

    /// The weight of the first digit in base 10000, and the number of the first digits with the weight of the last.
    fn first(&self) -> (i32, i64, i32) {
        let (whole, fraction) = self.text.split_once('.').unwrap_or((&self.text, ""));
        let whole = whole.trim_start_matches('0');
        let weight = match (whole.len() as i32, fraction.len() - fraction.trim_start_matches('0').len()) {
            (0, zeros) => -(zeros as i32 / 4) - 1,
            (digits, _) => (digits - 1) / 4,
        };
        // digits of base 10000 from the first one on
        let padded = whole.len().next_multiple_of(4) - whole.len();
        let all: String = core::iter::repeat_n('0', padded).chain(whole.chars()).chain(fraction.chars()).collect();
        let skip = if whole.is_empty() { (-weight - 1) as usize * 4 } else { 0 };
        let digit = |n: usize| {
            let group: String = all.chars().skip(skip + 4 * n).take(4).collect();
            if group.is_empty() { None } else { alloc::format!("{group:0<4}").parse::<i64>().ok() }
        };
        let rest_is_zero = all.chars().skip(skip + 4).all(|c| c == '0');
        match (digit(0).unwrap_or(0), digit(1)) {
            (first, Some(second)) if !rest_is_zero => (weight, first * 10_000 + second, (weight - 1) * 4),
            (first, _) => (weight, first, weight * 4),
        }
    }
}

fn number(text: &str, context: &Input) -> Result<Value> {
    input(text, SqlType::NUMERIC, context)
}

/// Numbers with so many digits behind the point.
struct Arithmetic {
    scale: i32,
    context: Input,
}

impl Arithmetic {
    fn of(&self, op: BinaryOp, a: &Value, b: &Value) -> Result<Value> {
        ops::round(&operate::binary(op, a, b, [NUMERIC; 2], &self.context)?, self.scale, false)
    }

    fn whole(&self, whole: i64) -> Result<Value> {
        ops::round(&operate::numeric(whole.into(), &self.context)?, self.scale, false)
    }

    fn is_less(&self, a: &Value, b: &Value) -> Result<bool> {
        Ok(operate::compare(a, b, [NUMERIC; 2], &self.context)?.is_lt())
    }

    /// So small that it changes no digit.
    fn is_nothing(&self, a: &Value) -> Result<bool> {
        Ok(!self.is_less(&self.whole(0)?, &ops::abs(a, &self.context)?)?)
    }

    /// e to the power of x, by its series for a small part of x.
    fn exp(&self, x: &Value) -> Result<Value> {
        const HALVINGS: u32 = 12;
        let part = self.of(BinaryOp::Div, x, &self.whole(1 << HALVINGS)?)?;
        let (mut sum, mut term, mut n) = (self.whole(1)?, self.whole(1)?, 0);
        loop {
            n += 1;
            term = self.of(BinaryOp::Div, &self.of(BinaryOp::Mul, &term, &part)?, &self.whole(n)?)?;
            if self.is_nothing(&term)? {
                break;
            }
            sum = self.of(BinaryOp::Add, &sum, &term)?;
        }
        for _ in 0..HALVINGS {
            sum = self.of(BinaryOp::Mul, &sum, &sum)?;
        }
        Ok(sum)
    }

    /// The natural logarithm, by roots until x is near 1, then twice the area tangent of (x - 1) / (x + 1).
    fn ln(&self, x: &Value) -> Result<Value> {
        let one = self.whole(1)?;
        let near = number("0.05", &self.context)?;
        let (mut x, mut factor) = (ops::round(x, self.scale, false)?, 2_i64);
        while self.is_less(&near, &ops::abs(&self.of(BinaryOp::Sub, &x, &one)?, &self.context)?)? {
            x = root::of_numeric(&x, &self.context)?;
            factor *= 2;
        }
        let share = self.of(BinaryOp::Div, &self.of(BinaryOp::Sub, &x, &one)?, &self.of(BinaryOp::Add, &x, &one)?)?;
        let square = self.of(BinaryOp::Mul, &share, &share)?;
        let (mut sum, mut power, mut n) = (share.clone(), share, 1);
        loop {
            n += 2;
            power = self.of(BinaryOp::Mul, &power, &square)?;
            let term = self.of(BinaryOp::Div, &power, &self.whole(n)?)?;
            if self.is_nothing(&term)? {
                break;
            }
            sum = self.of(BinaryOp::Add, &sum, &term)?;
        }
        self.of(BinaryOp::Mul, &sum, &self.whole(factor)?)
    }
}

/// `NUMERIC_MIN_DISPLAY_SCALE` to `NUMERIC_MAX_DISPLAY_SCALE`, and at least as many digits as the arguments have.
fn display_scale(scale: i32, least: i32) -> i32 {
    scale.max(least).clamp(0, 1000)
}

fn sqrt(call: &mut Call<'_, '_>) -> Result<Value> {
    let digits = of(call, 0)?;
    if digits.is_negative {
        return Err(SqlError::new("2201F", "cannot take square root of a negative number"));
    }
    let weight = if digits.is_zero { 0 } else { digits.first().0 };
    let scale = display_scale(SIGNIFICANT - ((weight + 1) * 2 - 1), digits.scale());
    root::of_numeric(&ops::round(&call.args[0], scale, false)?, &call.input())
}

fn exp(call: &mut Call<'_, '_>) -> Result<Value> {
    const MOST: f64 = 500.0;
    let digits = of(call, 0)?;
    let sign = if digits.is_negative { -1.0 } else { 1.0 };
    let value = sign * digits.text.parse::<f64>().unwrap_or(0.0);
    if value.abs() > MOST {
        return Err(SqlError::new(NOT_SIMULATED, "exp of such a numeric is not supported; cast it to float8"));
    }
    let weight = (value * core::f64::consts::LOG10_E) as i32;
    let scale = display_scale(SIGNIFICANT - weight, digits.scale());
    let arithmetic = Arithmetic { scale: scale + GUARD + weight.abs(), context: call.input() };
    ops::round(&arithmetic.exp(&call.args[0])?, scale, false)
}

/// `estimate_ln_dweight`: the weight of the first decimal digit of the logarithm.
fn ln_weight(digits: &Digits) -> i32 {
    if digits.is_negative || digits.is_zero {
        return 0;
    }
    let value: f64 = digits.text.parse().unwrap_or(1.0);
    if (0.9..=1.1).contains(&value) {
        let distance = (value - 1.0).abs();
        return if distance == 0.0 { 0 } else { libm::floor(libm::log10(distance)) as i32 };
    }
    let (_, first, weight) = digits.first();
    let logarithm = libm::log(first as f64) + f64::from(weight) * core::f64::consts::LN_10;
    libm::log10(logarithm.abs()) as i32
}

fn check_positive(digits: &Digits) -> Result<()> {
    let wrong = |message| Err(SqlError::new("2201E", message));
    if digits.is_zero {
        return wrong("cannot take logarithm of zero");
    }
    if digits.is_negative { wrong("cannot take logarithm of a negative number") } else { Ok(()) }
}

/// `numeric_ln`
fn logarithm(call: &mut Call<'_, '_>, scale: i32) -> Result<Value> {
    let digits = of(call, 0)?;
    check_positive(&digits)?;
    let scale = display_scale(scale, digits.scale());
    let arithmetic = Arithmetic { scale: scale + GUARD + digits.text.len() as i32, context: call.input() };
    ops::round(&arithmetic.ln(&call.args[0])?, scale, false)
}

/// `log_var`: of a base and a number.
fn ratio(call: &mut Call<'_, '_>, base: &Value, base_digits: &Digits, n: usize) -> Result<Value> {
    let digits = of(call, n)?;
    check_positive(base_digits)?;
    check_positive(&digits)?;
    let scale = SIGNIFICANT - (ln_weight(&digits) - ln_weight(base_digits));
    let scale = display_scale(scale, digits.scale().max(base_digits.scale()));
    let working = scale + GUARD + digits.text.len() as i32 + base_digits.text.len() as i32;
    let arithmetic = Arithmetic { scale: working, context: call.input() };
    let below = arithmetic.ln(base)?;
    if arithmetic.is_nothing(&below)? {
        return Err(SqlError::new("22012", "division by zero"));
    }
    let above = arithmetic.ln(&call.args[n])?;
    ops::round(&arithmetic.of(BinaryOp::Div, &above, &below)?, scale, false)
}

fn common_logarithm(call: &mut Call<'_, '_>) -> Result<Value> {
    let base = operate::numeric(10, &call.input())?;
    let digits = Digits { text: "10".into(), is_negative: false, is_zero: false };
    ratio(call, &base, &digits, 0)
}

fn logarithm_of_base(call: &mut Call<'_, '_>) -> Result<Value> {
    let (base, digits) = (call.args[0].clone(), of(call, 0)?);
    ratio(call, &base, &digits, 1)
}

/// `numeric_power`
pub(super) fn power(call: &mut Call<'_, '_>) -> Result<Value> {
    let (base, exponent) = (of(call, 0)?, of(call, 1)?);
    let too_much = || SqlError::new(NOT_SIMULATED, "such a power of numeric is not supported; cast it to float8");
    if base.is_zero && exponent.is_negative && !exponent.is_zero {
        return Err(SqlError::new("2201F", "zero raised to a negative power is undefined"));
    }
    let (whole, fraction) = exponent.text.split_once('.').unwrap_or((&exponent.text, ""));
    let is_whole = fraction.bytes().all(|byte| byte == b'0');
    if base.is_negative && !is_whole {
        let message = "a negative number raised to a non-integer power yields a complex result";
        return Err(SqlError::new("2201F", message));
    }
    let (sign, size): (f64, f64) = (if exponent.is_negative { -1.0 } else { 1.0 }, base.text.parse().unwrap_or(1.0));
    let weight = sign * exponent.text.parse::<f64>().unwrap_or(0.0) * libm::log10(size);
    let least = base.scale().max(exponent.scale());
    let fits = |weight: f64| (-400.0..400.0).contains(&weight);
    if !base.is_zero && !fits(weight) {
        return Err(too_much());
    }
    let by_weight = display_scale(SIGNIFICANT - if base.is_zero { 0 } else { weight as i32 }, least);
    let context = call.input();
    if !is_whole {
        if base.is_zero {
            return ops::round(&operate::numeric(0, &context)?, display_scale(SIGNIFICANT, 0), false);
        }
        let scale = by_weight + GUARD + weight.abs() as i32 + base.text.len() as i32;
        let arithmetic = Arithmetic { scale, context };
        let logarithm = arithmetic.of(BinaryOp::Mul, &arithmetic.ln(&call.args[0])?, &call.args[1])?;
        return ops::round(&arithmetic.exp(&logarithm)?, by_weight, false);
    }
    let scale =
        if context.version().scales_powers_by_weight() { by_weight } else { display_scale(SIGNIFICANT, base.scale()) };
    let count: usize = whole.parse().map_err(|_| too_much())?;
    if base.text.len().saturating_mul(count) > 4000 {
        return Err(too_much());
    }
    let mut product = operate::numeric(1, &context)?;
    for _ in 0..count {
        product = operate::binary(BinaryOp::Mul, &product, &call.args[0], [NUMERIC; 2], &context)?;
    }
    if exponent.is_negative && count > 0 {
        let arithmetic = Arithmetic { scale: scale + GUARD, context };
        product = operate::binary(BinaryOp::Div, &arithmetic.whole(1)?, &product, [NUMERIC; 2], &arithmetic.context)?;
    }
    ops::round(&product, scale, false)
}
