//! The WAL view, on a recording with a server's own WAL: its rows and totals are the records', and it leads to the bytes they changed.

mod make;
