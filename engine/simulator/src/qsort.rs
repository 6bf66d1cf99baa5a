//! PostgreSQL's own quicksort (`pg_qsort`, src/port/qsort.c; from 14 on src/include/lib/sort_template.h): Bentley and
//! McIlroy's. It is not stable: where equal elements end up decides which split point of a B-tree page is taken, and
//! which rows come first after ORDER BY.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Sorts in place: for ORDER BY.
pub fn pg_qsort<T>(mut a: &mut [T], compare: &mut impl FnMut(&T, &T) -> Ordering) {
    while let Some((left, right)) = divide(a, compare) {
        let n = a.len();
        let (low, high) = a.split_at_mut(n - right);
        let low = &mut low[..left];
        let (small, large) = if left <= right { (low, high) } else { (high, low) };
        if small.len() > 1 {
            pg_qsort(small, compare);
        }
        if large.len() <= 1 {
            return;
        }
        a = large;
    }
}

/// The same sort from the front on, as far as somebody looks: what it does to one part does not depend on the others.
#[derive(Debug, Clone, Default)]
pub struct PartialSort {
    /// so many elements are in their places
    sorted: usize,
    /// how many there are in the parts behind them, the next one last, and whether those of a part are in their places
    parts: Vec<(usize, bool)>,
}

impl PartialSort {
    /// Of so many elements, of which none is in its place yet.
    #[must_use]
    pub fn of(n: usize) -> Self {
        Self { sorted: 0, parts: Vec::from([(n, false)]) }
    }

    /// Sorts on until the first so many are in their places, or all are; between these calls nobody moves an element.
    #[inline]
    pub fn sort_to<T>(&mut self, wanted: usize, a: &mut [T], compare: &mut impl FnMut(&T, &T) -> Ordering) {
        while self.sorted < wanted
            && let Some((n, is_sorted)) = self.parts.pop()
        {
            let divided = if is_sorted { None } else { divide(&mut a[self.sorted..self.sorted + n], compare) };
            match divided {
                None => self.sorted += n,
                Some((left, right)) => self.parts.extend([(right, false), (n - left - right, true), (left, false)]),
            }
        }
    }
}

/// One step: what is less than some element comes before those that are equal to it, and what is greater behind them.
/// Gives how many these are; `None`: all are in order already.
fn divide<T>(a: &mut [T], compare: &mut impl FnMut(&T, &T) -> Ordering) -> Option<(usize, usize)> {
    if a.len() < 7 {
        insertion_sort(a, compare);
        return None;
    }
    if a.windows(2).all(|pair| compare(&pair[0], &pair[1]) != Ordering::Greater) {
        return None;
    }
    let pivot = pivot(a, compare);
    a.swap(0, pivot);
    Some(partition(a, compare))
}

fn insertion_sort<T>(a: &mut [T], compare: &mut impl FnMut(&T, &T) -> Ordering) {
    for m in 1..a.len() {
        let mut l = m;
        while l > 0 && compare(&a[l - 1], &a[l]) == Ordering::Greater {
            a.swap(l, l - 1);
            l -= 1;
        }
    }
}

/// The middle element, or the median of three, or of three medians.
fn pivot<T>(a: &[T], compare: &mut impl FnMut(&T, &T) -> Ordering) -> usize {
    let n = a.len();
    let (mut l, mut m, mut r) = (0, n / 2, n - 1);
    if n > 7 {
        if n > 40 {
            let d = n / 8;
            l = med3(a, l, l + d, l + 2 * d, compare);
            m = med3(a, m - d, m, m + d, compare);
            r = med3(a, r - 2 * d, r - d, r, compare);
        }
        m = med3(a, l, m, r, compare);
    }
    m
}

fn med3<T>(a: &[T], x: usize, y: usize, z: usize, compare: &mut impl FnMut(&T, &T) -> Ordering) -> usize {
    let mut is = |x: usize, y: usize, order| compare(&a[x], &a[y]) == order;
    if is(x, y, Ordering::Less) {
        if is(y, z, Ordering::Less) {
            y
        } else if is(x, z, Ordering::Less) {
            z
        } else {
            x
        }
    } else if is(y, z, Ordering::Greater) {
        y
    } else if is(x, z, Ordering::Less) {
        x
    } else {
        z
    }
}

/// Puts what is less than the first element to the front and what is greater to the end; gives how many each.
fn partition<T>(a: &mut [T], compare: &mut impl FnMut(&T, &T) -> Ordering) -> (usize, usize) {
    let n = a.len();
    // `c` and `d` are one more than PostgreSQL's pc and pd
    let (mut pa, mut pb, mut c, mut d) = (1, 1, n, n);
    loop {
        while pb < c {
            match compare(&a[pb], &a[0]) {
                Ordering::Greater => break,
                Ordering::Equal => {
                    a.swap(pa, pb);
                    pa += 1;
                }
                Ordering::Less => {}
            }
            pb += 1;
        }
        while pb < c {
            match compare(&a[c - 1], &a[0]) {
                Ordering::Less => break,
                Ordering::Equal => {
                    a.swap(c - 1, d - 1);
                    d -= 1;
                }
                Ordering::Greater => {}
            }
            c -= 1;
        }
        if pb >= c {
            break;
        }
        a.swap(pb, c - 1);
        pb += 1;
        c -= 1;
    }
    let equal = pa.min(pb - pa);
    (0..equal).for_each(|i| a.swap(i, pb - equal + i));
    let equal = (d - c).min(n - d);
    (0..equal).for_each(|i| a.swap(pb + i, n - equal + i));
    (pb - pa, d - c)
}

#[cfg(test)]
mod tests {
    use super::{PartialSort, pg_qsort};
    use alloc::vec::Vec;

    /// The original places of the keys after PostgreSQL's sort, as servers have them.
    #[test]
    fn equal_keys_end_where_postgresql_puts_them() {
        let check = |keys: &[i32], expect: &[usize]| {
            let mut sorted: Vec<(i32, usize)> = keys.iter().copied().zip(0..).collect();
            let mut partly = sorted.clone();
            pg_qsort(&mut sorted, &mut |a, b| a.0.cmp(&b.0));
            assert_eq!(sorted.iter().map(|(_, place)| *place).collect::<Vec<_>>(), expect, "{keys:?}");
            let mut sort = PartialSort::of(keys.len());
            for n in 1..=keys.len() {
                sort.sort_to(n, &mut partly, &mut |a, b| a.0.cmp(&b.0));
                assert_eq!(partly[..n], sorted[..n], "{keys:?}");
            }
        };
        check(&[3, 1, 2, 1, 3, 2], &[1, 3, 2, 5, 0, 4]);
        check(&[5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0], &[11, 10, 8, 9, 6, 7, 4, 5, 3, 2, 0, 1]);
        let keys: Vec<i32> = (0..14).map(|i: i32| (2 * i - 13).abs()).collect();
        check(&keys, &[6, 7, 8, 5, 4, 9, 10, 3, 11, 2, 1, 12, 13, 0]);
        let keys: Vec<i32> = (0..50).map(|i: i32| (i - 25).abs()).collect();
        let expect = [
            25, 24, 26, 23, 27, 28, 22, 21, 29, 20, 30, 31, 19, 32, 18, 33, 17, 34, 16, 15, 35, 36, 14, 37, 13, 38, 12,
            11, 39, 10, 40, 9, 41, 8, 42, 43, 7, 6, 44, 5, 45, 46, 4, 3, 47, 2, 48, 49, 1, 0,
        ];
        check(&keys, &expect);
    }
}
