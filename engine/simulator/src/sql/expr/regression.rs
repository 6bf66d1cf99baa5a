//! Aggregates of pairs of numbers: `corr`, `regr_slope` and their like (`float8_regr_accum`, `float8_corr`,
//! src/backend/utils/adt/float.c).

use ffviz_format::datum::Value;
use ffviz_format::datum::error::{Result, SqlError};

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Regression {
    /// `corr`
    Corr,
    /// `covar_pop`
    CovarPop,
    /// `covar_samp`
    CovarSamp,
    /// `regr_avgx`
    AvgX,
    /// `regr_avgy`
    AvgY,
    /// `regr_count`
    Count,
    /// `regr_intercept`
    Intercept,
    /// `regr_r2`
    R2,
    /// `regr_slope`
    Slope,
    /// `regr_sxx`
    Sxx,
    /// `regr_sxy`
    Sxy,
    /// `regr_syy`
    Syy,
}

impl Regression {
    /// The one of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "corr" => Self::Corr,
            "covar_pop" => Self::CovarPop,
            "covar_samp" => Self::CovarSamp,
            "regr_avgx" => Self::AvgX,
            "regr_avgy" => Self::AvgY,
            "regr_count" => Self::Count,
            "regr_intercept" => Self::Intercept,
            "regr_r2" => Self::R2,
            "regr_slope" => Self::Slope,
            "regr_sxx" => Self::Sxx,
            "regr_sxy" => Self::Sxy,
            "regr_syy" => Self::Syy,
            _ => return None,
        })
    }
}

/// Sums, and sums of squares and products of differences, by the method of Youngs and Cramer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pairs {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Pairs {
    /// Takes a pair; the first argument is what depends on the second.
    pub(super) fn add(&mut self, y: &Value, x: &Value) -> Result<()> {
        let (Value::Float8(y), Value::Float8(x)) = (y, x) else { return Ok(()) };
        let before = *self;
        self.count += 1.0;
        self.x += x;
        self.y += y;
        if before.count == 0.0 {
            if !x.is_finite() {
                (self.xx, self.xy) = (f64::NAN, f64::NAN);
            }
            if !y.is_finite() {
                (self.yy, self.xy) = (f64::NAN, f64::NAN);
            }
            return Ok(());
        }
        let (dx, dy) = (x * self.count - self.x, y * self.count - self.y);
        let scale = 1.0 / (self.count * before.count);
        self.xx += dx * dx * scale;
        self.yy += dy * dy * scale;
        self.xy += dx * dy * scale;
        let all = [self.x, self.xx, self.y, self.yy, self.xy];
        if all.into_iter().any(f64::is_infinite) {
            let (of_x, of_y) =
                (!before.x.is_infinite() && !x.is_infinite(), !before.y.is_infinite() && !y.is_infinite());
            let overflows = (self.x.is_infinite() || self.xx.is_infinite()) && of_x
                || (self.y.is_infinite() || self.yy.is_infinite()) && of_y
                || self.xy.is_infinite() && of_x && of_y;
            if overflows {
                return Err(SqlError::new("22003", "value out of range: overflow"));
            }
            for sum in [&mut self.xx, &mut self.yy, &mut self.xy] {
                *sum = if sum.is_infinite() { f64::NAN } else { *sum };
            }
        }
        Ok(())
    }

    /// After the last pair.
    pub(super) fn result(self, of: Regression) -> Value {
        let Self { count, x, y, xx, yy, xy } = self;
        if of == Regression::Count {
            return Value::Int8(count as i64);
        }
        if count < 1.0 {
            return Value::Null;
        }
        Value::Float8(match of {
            Regression::AvgX => x / count,
            Regression::AvgY => y / count,
            Regression::Sxx => xx,
            Regression::Sxy => xy,
            Regression::Syy => yy,
            Regression::CovarPop => xy / count,
            Regression::CovarSamp if count < 2.0 => return Value::Null,
            Regression::CovarSamp => xy / (count - 1.0),
            _ if xx == 0.0 => return Value::Null,
            Regression::Slope => xy / xx,
            Regression::Intercept => (y - x * xy / xx) / count,
            Regression::R2 if yy == 0.0 => 1.0,
            Regression::R2 => (xy * xy) / (xx * yy),
            _ if yy == 0.0 => return Value::Null,
            _ => xy / libm::sqrt(xx * yy),
        })
    }
}
