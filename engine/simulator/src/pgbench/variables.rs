//! The variables of a client (`Variables` of src/bin/pgbench/pgbench.c).

use super::expr::{ExprError, Value};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};

/// Their values by name; of those that were given as a text, `-D` and `\gset`, the text, which is put into statements
/// as it is.
#[derive(Debug, Clone, Default)]
pub struct Variables(BTreeMap<String, Variable>);

#[derive(Debug, Clone, PartialEq)]
enum Variable {
    Text(String),
    Value(Value),
}

impl Variables {
    /// `valid_variable_name`
    #[must_use]
    pub fn is_name(name: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
        name.chars().all(is_part) && name.starts_with(|c: char| !c.is_ascii_digit())
    }

    /// Sets one to a value.
    pub fn set(&mut self, name: &str, value: Value) {
        match self.0.get_mut(name) {
            Some(variable) => *variable = Variable::Value(value),
            None => drop(self.0.insert(name.to_string(), Variable::Value(value))),
        }
    }

    /// Sets one to a text.
    pub fn set_text(&mut self, name: &str, text: &str) {
        self.0.insert(name.to_string(), Variable::Text(text.to_string()));
    }

    /// Sets one that is not known yet.
    pub fn set_default(&mut self, name: &str, value: i64) {
        self.0.entry(name.to_string()).or_insert(Variable::Value(Value::Int(value)));
    }

    /// Is there one of that name?
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// `lookupVariable`, `makeVariableValue`
    ///
    /// # Errors
    /// One that there is not, or that is no value.
    pub fn value(&self, name: &str) -> Result<Value, ExprError> {
        match self.0.get(name) {
            Some(Variable::Value(value)) => Ok(*value),
            Some(Variable::Text(text)) => Value::read(name, text),
            None => Err(ExprError::new(format!("undefined variable \"{name}\""))),
        }
    }

    /// `getVariable`: as it is put into a statement
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|variable| match variable {
            Variable::Text(text) => text.clone(),
            Variable::Value(value) => value.text(),
        })
    }
}
