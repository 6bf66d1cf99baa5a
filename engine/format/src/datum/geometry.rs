//! Points and what is made of them, each coordinate a float8 (src/backend/utils/adt/geo_ops.c).

use super::float::float8_out;
use crate::page::layout::Wire;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// `point_out`
pub fn point_out(bytes: &[u8]) -> Option<String> {
    only(1, bytes)
}

/// `lseg_out`
pub fn lseg_out(bytes: &[u8]) -> Option<String> {
    Some(format!("[{}]", only(2, bytes)?))
}

/// `box_out`: upper right corner, lower left corner
pub fn box_out(bytes: &[u8]) -> Option<String> {
    only(2, bytes)
}

/// `line_out`: A, B and C of Ax + By + C = 0
pub fn line_out(bytes: &[u8]) -> Option<String> {
    let numbers: Vec<String> = bytes.chunks(f64::SIZE).map(float8_out).collect::<Option<_>>()?;
    (numbers.len() == 3).then(|| format!("{{{}}}", numbers.join(",")))
}

/// `circle_out`: centre and radius
pub fn circle_out(bytes: &[u8]) -> Option<String> {
    let (centre, radius) = bytes.split_at_checked(2 * f64::SIZE)?;
    Some(format!("<{},{}>", only(1, centre)?, float8_out(radius)?))
}

/// `path_out`: number of points, whether it is closed, four bytes of alignment, points
pub fn path_out(bytes: &[u8]) -> Option<String> {
    let (head, points) = bytes.split_at_checked(12)?;
    let points = only(usize::try_from(i32::get(head)).ok()?, points)?;
    let is_closed = i32::get(&head[4..]) != 0;
    Some(if is_closed { format!("({points})") } else { format!("[{points}]") })
}

/// `poly_out`: number of points, a box around them, points
pub fn polygon_out(bytes: &[u8]) -> Option<String> {
    let (head, points) = bytes.split_at_checked(i32::SIZE + 4 * f64::SIZE)?;
    Some(format!("({})", only(usize::try_from(i32::get(head)).ok()?, points)?))
}

/// So many points and nothing else, as `(x,y),(x,y)`.
fn only(count: usize, bytes: &[u8]) -> Option<String> {
    let point = |bytes: &[u8]| {
        let (x, y) = bytes.split_at_checked(f64::SIZE)?;
        Some(format!("({},{})", float8_out(x)?, float8_out(y)?))
    };
    let points: Vec<String> = bytes.chunks(2 * f64::SIZE).map(point).collect::<Option<_>>()?;
    (points.len() == count).then(|| points.join(","))
}
