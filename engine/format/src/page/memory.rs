//! Asking memory for what is read soon: the processor goes on meanwhile, where it has an instruction for that. It
//! changes nothing but the time that reading takes.

/// Asks for the line with the first byte of an element.
#[inline]
#[cfg(feature = "native")]
pub fn ask_for<T>(of: &[T], at: usize) {
    prefetch_index::prefetch_index(of, at);
}

/// Without the instruction nobody is asked.
#[inline]
#[cfg(not(feature = "native"))]
pub const fn ask_for<T>(_of: &[T], _at: usize) {}

/// Lie both bytes in one line?
#[inline]
#[cfg(feature = "native")]
pub fn are_together(of: &[u8], a: usize, b: usize) -> bool {
    const LINE: usize = 64;
    let start = of.as_ptr().addr();
    (start + a) / LINE == (start + b) / LINE
}

/// Where nobody is asked, there is nothing to wait for.
#[inline]
#[cfg(not(feature = "native"))]
pub const fn are_together(_of: &[u8], _a: usize, _b: usize) -> bool {
    true
}
