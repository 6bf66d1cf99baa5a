//! Asks for a password on the terminal, without showing it.

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};

/// The password typed on the controlling terminal; `None` where there is no terminal, or the user gave up (Ctrl-C,
/// Ctrl-D).
#[must_use]
pub fn password(user: &str) -> Option<String> {
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
    write!(terminal, "Password for user {user}: ").ok()?;
    terminal.flush().ok()?;
    enable_raw_mode().ok()?;
    let typed = read_line(&mut terminal);
    let _ = disable_raw_mode();
    let _ = terminal.write_all(b"\n");
    typed.and_then(|bytes| String::from_utf8(bytes).ok())
}

/// In raw mode the terminal sends bytes as they are typed.
fn read_line(terminal: &mut File) -> Option<Vec<u8>> {
    const INTERRUPT: u8 = 3;
    const END_OF_INPUT: u8 = 4;
    const BACKSPACE: u8 = 8;
    const KILL_LINE: u8 = 21;
    const DELETE: u8 = 127;
    let mut typed = Vec::new();
    loop {
        let mut byte = [0];
        terminal.read_exact(&mut byte).ok()?;
        match byte[0] {
            b'\r' | b'\n' => return Some(typed),
            INTERRUPT | END_OF_INPUT => return None,
            KILL_LINE => typed.clear(),
            BACKSPACE | DELETE => {
                while typed.pop().is_some_and(|byte: u8| byte & 0xC0 == 0x80) {} // a character of several bytes
            }
            byte => typed.push(byte),
        }
    }
}
