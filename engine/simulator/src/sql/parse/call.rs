//! Calls of functions, and what looks like one but has words between its arguments, or none (`func_expr` of
//! src/backend/parser/gram.y).

use super::cursor::Parser;
use super::expr::function;
use super::lex::Token;
use super::words;
use crate::sql::StatementError;
use crate::sql::ast::{Exclude, Expr, ExprNode, Frame, FrameBound, FrameUnit, Literal, ORDERED_SETS, SortBy, Window};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Functions that are called without parentheses (`SQLValueFunction`).
const WITHOUT_PARENTHESES: &[&str] = &[
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "session_user",
    "user",
];

impl Parser {
    /// A call: its name comes next, then a parenthesis.
    pub(super) fn call(&mut self, name: &str) -> Result<ExprNode, StatementError> {
        self.step();
        self.expect_op("(")?;
        let star = self.eat_op("*");
        let distinct = !star && self.eat("distinct");
        let has_none = !distinct && !self.eat("all") && self.is_op(")");
        if self.is_word("variadic") {
            return Err(self.refuse());
        }
        let mut args = if star || has_none { Vec::new() } else { self.list(Self::argument)? };
        if self.is_op(":") && matches!(name, "json_object" | "json_objectagg") {
            return Err(self.unsupported("a key and a value with : between them"));
        }
        check_names(&args)?;
        let order_by = self.order_by()?;
        let mut within = false;
        self.expect_op(")")?;
        let order_by = if self.eat("within group") {
            if !order_by.is_empty() {
                return Err(StatementError::server("42601", "cannot use multiple ORDER BY clauses with WITHIN GROUP"));
            }
            self.expect_op("(")?;
            let order_by = self.order_by()?;
            self.expect_op(")")?;
            let [by] = <[SortBy; 1]>::try_from(order_by)
                .map_err(|_| self.unsupported("WITHIN GROUP of another number of keys than one"))?;
            args.push(by.expr.clone());
            within = true;
            Vec::from([by])
        } else {
            order_by
        };
        let mut filter = None;
        if self.is_word("filter") && *self.peek_second() == Token::Op("(".to_string()) {
            self.step();
            self.expect_op("(")?;
            self.expect("where")?;
            filter = Some(Box::new(self.expr()?));
            self.expect_op(")")?;
        }
        let over = if self.eat("over") { Some(Box::new(self.window()?)) } else { None };
        if within && !ORDERED_SETS.contains(&name) {
            return Err(self.unsupported("WITHIN GROUP of this function"));
        }
        Ok(ExprNode::Function { name: name.to_string(), args, star, distinct, order_by, filter, over, form: false })
    }

    /// `func_arg_expr`
    pub(super) fn argument(&mut self) -> Result<Expr, StatementError> {
        let is_named = matches!(self.peek_second(), Token::Op(op) if op == "=>" || op == ":=");
        let position = self.position();
        if !is_named || !matches!(self.peek(), Token::Word(_) | Token::Quoted(_)) {
            return self.expr();
        }
        let name = self.name()?;
        self.step();
        let value = Box::new(self.expr()?);
        Ok(Expr { node: ExprNode::Named(name, value), position })
    }

    /// After OVER.
    fn window(&mut self) -> Result<Window, StatementError> {
        if !self.is_op("(") {
            return Ok(Window { name: Some(self.name()?), ..Window::default() });
        }
        self.window_definition()
    }

    /// WINDOW: names, and what they mean.
    pub(super) fn window_clause(&mut self) -> Result<Vec<(String, Window)>, StatementError> {
        let mut all: Vec<(String, Window)> = Vec::new();
        loop {
            let at = self.position();
            let name = self.name()?;
            if all.iter().any(|(known, _)| *known == name) {
                let message = alloc::format!("window \"{name}\" is already defined");
                return Err(StatementError::server("42P20", message).at(at));
            }
            self.expect("as")?;
            let mut window = self.window_definition()?;
            copy_window(&mut window, &all)?;
            all.push((name, window));
            if !self.eat_op(",") {
                return Ok(all);
            }
        }
    }

    fn window_definition(&mut self) -> Result<Window, StatementError> {
        self.expect_op("(")?;
        let begins = ["partition", "order", "rows", "range", "groups"].into_iter().any(|word| self.is_word(word));
        let copies = if begins || self.is_op(")") { None } else { Some(self.name()?) };
        let partition = if self.eat("partition by") { self.list(Self::expr)? } else { Vec::new() };
        let order_by = self.order_by()?;
        let (frame, offsets) = self.frame()?;
        self.expect_op(")")?;
        Ok(Window { copies, partition, order_by, frame, offsets, ..Window::default() })
    }

    /// `opt_frame_clause`
    fn frame(&mut self) -> Result<(Option<Frame>, [Option<Expr>; 2]), StatementError> {
        let at = self.position();
        let unit = if self.eat("rows") {
            FrameUnit::Rows
        } else if self.eat("range") {
            FrameUnit::Range
        } else if self.eat("groups") {
            FrameUnit::Groups
        } else {
            return Ok((None, [None, None]));
        };
        let mut offsets = [None, None];
        let between = self.eat("between");
        let (start, end) = if between {
            let start = self.frame_bound(unit, &mut offsets[0])?;
            self.expect("and")?;
            (start, self.frame_bound(unit, &mut offsets[1])?)
        } else {
            (self.frame_bound(unit, &mut offsets[0])?, (FrameBound::By(0), "current"))
        };
        let wrong = |message: &'static str| Err(StatementError::server("42P20", message).at(at));
        match (start, end) {
            ((FrameBound::Last, _), _) => return wrong("frame start cannot be UNBOUNDED FOLLOWING"),
            (_, (FrameBound::First, _)) => return wrong("frame end cannot be UNBOUNDED PRECEDING"),
            ((_, "current"), (_, "preceding")) => {
                return wrong("frame starting from current row cannot have preceding rows");
            }
            ((_, "following"), (_, "preceding" | "current")) => {
                return wrong("frame starting from following row cannot have preceding rows");
            }
            _ => {}
        }
        let exclude = match self.eat("exclude") {
            true if self.eat("current row") => Exclude::Current,
            true if self.eat("group") => Exclude::Group,
            true if self.eat("ties") => Exclude::Ties,
            true => {
                self.expect("no others")?;
                Exclude::Nothing
            }
            false => Exclude::Nothing,
        };
        Ok((Some(Frame { unit, between, start: start.0, end: end.0, exclude }), offsets))
    }

    /// A bound, and the word for where it is.
    fn frame_bound(
        &mut self,
        unit: FrameUnit,
        offset: &mut Option<Expr>,
    ) -> Result<(FrameBound, &'static str), StatementError> {
        if self.eat("unbounded preceding") {
            return Ok((FrameBound::First, "unbounded"));
        }
        if self.eat("unbounded following") {
            return Ok((FrameBound::Last, "unbounded"));
        }
        if self.eat("current row") {
            return Ok((FrameBound::By(0), "current"));
        }
        let mark = self.mark();
        if unit != FrameUnit::Range
            && let Token::Number(_) = self.peek()
            && let Ok(by) = self.integer()
        {
            if self.eat("preceding") {
                return Ok((FrameBound::By(-by), "preceding"));
            }
            if self.eat("following") {
                return Ok((FrameBound::By(by), "following"));
            }
        }
        self.back_to(mark);
        *offset = Some(self.expr()?);
        if self.eat("preceding") {
            return Ok((FrameBound::Offset(true), "preceding"));
        }
        self.expect("following")?;
        Ok((FrameBound::Offset(false), "following"))
    }

    /// Windows that are named become what WINDOW says of them.
    ///
    /// # Errors
    /// A window that takes from one of them what it cannot take.
    pub(super) fn resolve_windows(&self, expr: &mut Expr) -> Result<(), StatementError> {
        if let ExprNode::Function { over: Some(over), .. } = &mut expr.node {
            let meant = self.windows.iter().enumerate().find(|(_, (name, _))| over.name.as_ref() == Some(name));
            if let Some((place, (name, window))) = meant {
                (**over).clone_from(window);
                over.called = Some((place, name.clone()));
            }
            copy_window(over, &self.windows)?;
        }
        expr.children_mut().into_iter().try_for_each(|child| self.resolve_windows(child))
    }

    /// What begins with a word that has a grammar of its own.
    pub(super) fn special_call(&mut self, word: &str) -> Result<Option<ExprNode>, StatementError> {
        let is_call = *self.peek_second() == Token::Op("(".to_string());
        if !is_call {
            if !WITHOUT_PARENTHESES.contains(&word) {
                return Ok(None);
            }
            self.step();
            return Ok(Some(function(word, Vec::new())));
        }
        match word {
            "extract" => self.extract().map(Some),
            "json_value" | "json_query" | "json_exists" => self.json_item(word).map(Some),
            "position" => self.position_in().map(Some),
            "substring" => self.substring(),
            "trim" => self.trim().map(Some),
            "current_schema" | "coalesce" | "greatest" | "least" | "nullif" => self.call(word).map(Some),
            "current_timestamp" | "current_time" | "localtime" | "localtimestamp" => {
                Err(self.unsupported("a precision of a time"))
            }
            "overlay" => self.overlay().map(Some),
            "collation" | "xmlelement" => Err(self.unsupported(&word.to_ascii_uppercase())),
            _ => Ok(None),
        }
    }

    /// `extract(field from value)`
    fn extract(&mut self) -> Result<ExprNode, StatementError> {
        self.step();
        self.expect_op("(")?;
        let position = self.position();
        let field = match self.peek() {
            Token::Word(word) | Token::Quoted(word) | Token::String(word) => word.clone(),
            _ => return Err(self.refuse()),
        };
        self.step();
        self.expect("from")?;
        let value = self.expr()?;
        self.expect_op(")")?;
        let field = Expr { node: ExprNode::Literal(Literal::String(field)), position };
        Ok(function("extract", Vec::from([field, value])))
    }

    /// `position(part in whole)`
    fn position_in(&mut self) -> Result<ExprNode, StatementError> {
        self.step();
        self.expect_op("(")?;
        let part = self.operand_before_in()?;
        self.expect("in")?;
        let whole = self.expr()?;
        self.expect_op(")")?;
        Ok(function("position", Vec::from([whole, part])))
    }

    /// `substring(text from n for n)`; with commas it is an ordinary call.
    fn substring(&mut self) -> Result<Option<ExprNode>, StatementError> {
        let mark = self.mark();
        self.step();
        self.expect_op("(")?;
        let mut args = Vec::from([self.expr()?]);
        if !self.is_word("from") && !self.is_word("for") {
            self.back_to(mark);
            return Ok(None);
        }
        if self.eat("from") {
            args.push(self.expr()?);
        } else {
            args.push(Expr { node: ExprNode::Literal(Literal::Number("1".to_string())), position: self.position() });
        }
        if self.eat("for") {
            args.push(self.expr()?);
        }
        self.expect_op(")")?;
        Ok(Some(function("substring", args)))
    }

    /// `overlay(text placing text from n for n)`
    fn overlay(&mut self) -> Result<ExprNode, StatementError> {
        self.step();
        self.expect_op("(")?;
        let mut args = Vec::from([self.expr()?]);
        self.expect("placing")?;
        args.push(self.expr()?);
        self.expect("from")?;
        args.push(self.expr()?);
        if self.eat("for") {
            args.push(self.expr()?);
        }
        self.expect_op(")")?;
        Ok(function("overlay", args))
    }

    /// `trim(both characters from text)`
    fn trim(&mut self) -> Result<ExprNode, StatementError> {
        self.step();
        self.expect_op("(")?;
        let name = if self.eat("leading") {
            "ltrim"
        } else if self.eat("trailing") {
            "rtrim"
        } else {
            self.eat("both");
            "btrim"
        };
        let mut args = if self.is_word("from") { Vec::new() } else { self.list(Self::expr)? };
        if self.eat("from") {
            let text = self.expr()?;
            args.insert(0, text);
        }
        self.expect_op(")")?;
        Ok(function(name, args))
    }

    /// Is the word the name of a function, though it is reserved for something else?
    pub(super) fn names_function(word: &str) -> bool {
        !words::RESERVED.contains(&word) || ["left", "right", "isnull", "notnull"].contains(&word)
    }
}

/// Each name stands once, and what has none before those that have (`ParseFuncOrColumn`).
fn check_names(args: &[Expr]) -> Result<(), StatementError> {
    let mut names: Vec<&str> = Vec::new();
    for arg in args {
        let message = match &arg.node {
            ExprNode::Named(name, _) if names.contains(&name.as_str()) => {
                alloc::format!("argument name \"{name}\" used more than once")
            }
            ExprNode::Named(name, _) => {
                names.push(name);
                continue;
            }
            _ if names.is_empty() => continue,
            _ => "positional argument cannot follow named argument".to_string(),
        };
        return Err(StatementError::server("42601", message).at(arg.position));
    }
    Ok(())
}

/// `transformWindowDefinitions`: what a window takes from the one that it begins with.
fn copy_window(window: &mut Window, known: &[(String, Window)]) -> Result<(), StatementError> {
    let Some(name) = window.copies.take() else { return Ok(()) };
    let wrong = |what: &str| Err(StatementError::server("42P20", alloc::format!("cannot {what}")));
    let Some((_, base)) = known.iter().find(|(known, _)| *known == name) else {
        window.name = Some(name);
        return Ok(());
    };
    if !window.partition.is_empty() {
        return wrong(&alloc::format!("override PARTITION BY clause of window \"{name}\""));
    }
    if !window.order_by.is_empty() && !base.order_by.is_empty() {
        return wrong(&alloc::format!("override ORDER BY clause of window \"{name}\""));
    }
    if base.frame.is_some() {
        return wrong(&alloc::format!("copy window \"{name}\" because it has a frame clause"));
    }
    window.copied = Some((name, !window.order_by.is_empty()));
    window.partition.clone_from(&base.partition);
    if window.order_by.is_empty() {
        window.order_by.clone_from(&base.order_by);
    }
    Ok(())
}
