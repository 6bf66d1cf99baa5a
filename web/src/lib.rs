//! The browser face: it draws views and sends messages.
