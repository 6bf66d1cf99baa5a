//! The terminal face: it draws views and sends messages.

pub mod attach;
