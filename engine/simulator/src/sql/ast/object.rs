//! What has a name and no pages: schemas, views, functions, prepared statements, cursors.

use super::{
    CreateSchema, CreateTrigger, CreateView, DropSchema, DropTrigger, DropView, Expr, RangeVar, RenameTrigger,
    RoleStatement, Routine, Select, Set, Statement, StatisticsStatement,
};
use crate::sql::StatementError;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlType};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// Statements of what has a name and no pages.
#[derive(Debug, Clone, PartialEq)]
pub enum Object {
    /// CREATE SCHEMA
    CreateSchema(CreateSchema),
    /// DROP SCHEMA
    DropSchema(DropSchema),
    /// ALTER … SET SCHEMA
    SetSchema(SetSchema),
    /// CREATE VIEW
    CreateView(CreateView),
    /// DROP VIEW
    DropView(DropView),
    /// CREATE FUNCTION
    CreateFunction(CreateFunction),
    /// DROP FUNCTION, DROP PROCEDURE
    DropFunction(DropFunction),
    /// ALTER FUNCTION, ALTER PROCEDURE
    AlterFunction(AlterFunction),
    /// CALL
    Call(Call),
    /// CREATE TRIGGER
    CreateTrigger(Box<CreateTrigger>),
    /// DROP TRIGGER
    DropTrigger(DropTrigger),
    /// ALTER TRIGGER … RENAME
    RenameTrigger(RenameTrigger),
    /// CREATE TYPE, ALTER TYPE, DROP TYPE
    Enum(EnumStatement),
    /// CREATE DOMAIN, ALTER DOMAIN, DROP DOMAIN
    Domain(Box<DomainStatement>),
    /// CREATE STATISTICS, ALTER STATISTICS, DROP STATISTICS
    Statistics(StatisticsStatement),
    /// CREATE ROLE, ALTER ROLE, DROP ROLE, GRANT of roles, DROP OWNED
    Role(RoleStatement),
    /// PREPARE
    Prepare(Prepare),
    /// EXECUTE
    Execute(Execute),
    /// DEALLOCATE; of all when there is no name
    Deallocate(Option<String>),
    /// DECLARE … CURSOR
    Declare(Declare),
    /// FETCH, MOVE
    Fetch(Fetch),
    /// CLOSE; of all when there is no name
    Close(Option<String>),
}

/// ALTER … SET SCHEMA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetSchema {
    /// of what the statement says that it is
    pub of: SchemaOf,
    /// IF EXISTS
    pub if_exists: bool,
    /// which
    pub name: RangeVar,
    /// where it goes
    pub schema: String,
}

/// What goes to another schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaOf {
    /// TABLE
    Table,
    /// VIEW
    View,
    /// MATERIALIZED VIEW
    MaterializedView,
    /// SEQUENCE
    Sequence,
    /// TYPE
    Type,
    /// DOMAIN
    Domain,
}

impl SchemaOf {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Table, Self::View, Self::MaterializedView, Self::Sequence, Self::Type, Self::Domain];

    /// As messages call it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::View => "view",
            Self::MaterializedView => "materialized view",
            Self::Sequence => "sequence",
            Self::Type => "type",
            Self::Domain => "domain",
        }
    }

    /// Is a relation of that kind meant (`RangeVarCallbackForAlterRelation`)? TABLE may be any but an index.
    #[must_use]
    pub const fn fits(self, kind: RelKind) -> bool {
        match self {
            Self::Table => !matches!(kind, RelKind::Index | RelKind::PartitionedIndex),
            Self::Sequence => matches!(kind, RelKind::Sequence),
            Self::MaterializedView => matches!(kind, RelKind::MaterializedView),
            Self::View | Self::Type | Self::Domain => false,
        }
    }
}

/// PREPARE.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepare {
    /// its name
    pub name: String,
    /// types of the first parameters; the statement decides about others
    pub types: Vec<SqlType>,
    /// how many parameters it names: the greatest number
    pub parameters: u16,
    /// INSERT, UPDATE, DELETE or SELECT
    pub statement: Box<Statement>,
    /// PREPARE as it is written
    pub text: String,
}

/// EXECUTE.
#[derive(Debug, Clone, PartialEq)]
pub struct Execute {
    /// which
    pub name: String,
    /// the parameters' values
    pub arguments: Vec<Expr>,
}

/// DECLARE … CURSOR.
#[derive(Debug, Clone, PartialEq)]
pub struct Declare {
    /// its name
    pub name: String,
    /// its query
    pub query: Box<Select>,
    /// SCROLL, or NO SCROLL
    pub scroll: Option<bool>,
    /// WITH HOLD
    pub hold: bool,
}

/// FETCH and MOVE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// MOVE: rows are passed over
    pub is_move: bool,
    /// of which cursor
    pub name: String,
    /// where to
    pub direction: FetchDirection,
}

/// `FetchDirection`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchDirection {
    /// so many rows that come next; `None`: all that are left
    Forward(Option<u64>),
    /// so many that come before, the nearest first
    Backward(Option<u64>),
    /// the row of that number, from 1; from -1 by the end
    Absolute(i64),
    /// the row that is so many further on
    Relative(i64),
}

/// What a function is called by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RoutineKind {
    /// an expression
    #[default]
    Function,
    /// CALL
    Procedure,
    /// triggers
    Trigger,
}

impl RoutineKind {
    /// The command tag of what makes one.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Function | Self::Trigger => "CREATE FUNCTION",
            Self::Procedure => "CREATE PROCEDURE",
        }
    }
}

/// CREATE FUNCTION, CREATE PROCEDURE.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateFunction {
    /// its name
    pub name: RangeVar,
    /// OR REPLACE
    pub replace: bool,
    /// its arguments, perhaps with names
    pub arguments: Vec<(Option<String>, SqlType)>,
    /// defaults of the last of them
    pub defaults: Vec<Expr>,
    /// the columns of what it gives
    pub columns: Vec<(String, SqlType)>,
    /// are they OUT arguments, or those of RETURNS TABLE?
    pub has_outs: bool,
    /// of each OUT argument the argument that it is too, from 0: INOUT
    pub inouts: Vec<Option<usize>>,
    /// the table of whose rows it gives one, or some
    pub row_type: Option<RangeVar>,
    /// does it give rows?
    pub is_set: bool,
    /// ROWS: how many are expected
    pub rows: Option<f64>,
    /// what it does, in SQL
    pub body: FunctionBody,
    /// the word that a body begins with which is no string, from 14 on
    pub standard: Option<&'static str>,
    /// what calls it
    pub kind: RoutineKind,
    /// STRICT: it is not called where an argument is NULL
    pub is_strict: bool,
    /// IMMUTABLE, STABLE
    pub volatility: Volatility,
    /// SET: settings that hold while it runs
    pub settings: Vec<FunctionSetting>,
    /// SECURITY DEFINER
    pub is_definer: bool,
    /// what is wrong with the text in PL/pgSQL, which is found once the function is in the catalog
    pub wrong: Option<StatementError>,
    /// what else it says
    pub source: Box<FunctionSource>,
}

/// What a function says that changes nothing but what is told of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FunctionSource {
    /// `prosrc`; none: its body is no string, or is not kept as it was written
    pub text: Option<String>,
    /// COST
    pub cost: Option<f64>,
    /// PARALLEL: its letter
    pub parallel: Option<char>,
    /// LEAKPROOF
    pub leakproof: bool,
    /// its schema
    pub schema: String,
    /// RETURNS TABLE
    pub is_table: bool,
    /// is a type named that is kept as another one?
    pub has_other_types: bool,
}

/// SET of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionSetting {
    /// to a value, or, without one, RESET
    Set(Set),
    /// FROM CURRENT
    Current(String),
}

/// `provolatile`
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Volatility {
    /// the same for the same arguments, for ever
    Immutable,
    /// the same within a statement
    Stable,
    /// another each time
    #[default]
    Volatile,
}

/// What a function does.
#[derive(Debug, Clone, PartialEq)]
pub enum FunctionBody {
    /// a query in SQL, which may stand where the function is called; and the same as steps
    Query(Box<Select>, Arc<Routine>),
    /// statements of SQL, as steps
    Sql(Arc<Routine>),
    /// a block of PL/pgSQL
    Block(Arc<Routine>),
}

impl FunctionBody {
    /// It as steps.
    #[must_use]
    pub const fn routine(&self) -> &Arc<Routine> {
        let (Self::Query(_, routine) | Self::Sql(routine) | Self::Block(routine)) = self;
        routine
    }

    /// The query that stands for a call.
    #[must_use]
    pub fn query(&self) -> Option<&Select> {
        if let Self::Query(query, _) = self { Some(query) } else { None }
    }

    /// Is it in PL/pgSQL?
    #[must_use]
    pub const fn is_block(&self) -> bool {
        matches!(self, Self::Block(_))
    }
}

impl Default for CreateFunction {
    fn default() -> Self {
        let name = RangeVar::new(None, String::new());
        Self {
            source: Box::default(),
            name,
            replace: false,
            arguments: Vec::new(),
            defaults: Vec::new(),
            columns: Vec::new(),
            has_outs: false,
            inouts: Vec::new(),
            row_type: None,
            is_set: false,
            rows: None,
            body: FunctionBody::Sql(Arc::default()),
            standard: None,
            kind: RoutineKind::default(),
            is_strict: false,
            volatility: Volatility::Volatile,
            settings: Vec::new(),
            is_definer: false,
            wrong: None,
        }
    }
}

/// CALL.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// which procedure
    pub name: String,
    /// its arguments
    pub arguments: Vec<Expr>,
}

/// ALTER FUNCTION, ALTER PROCEDURE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterFunction {
    /// PROCEDURE
    pub is_procedure: bool,
    /// which
    pub name: RangeVar,
    /// the types of its arguments, where they are given
    pub arguments: Option<Vec<Oid>>,
    /// what is changed
    pub action: AlterFunctionAction,
}

/// What ALTER FUNCTION does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlterFunctionAction {
    /// RENAME TO
    Rename(String),
    /// OWNER TO
    Owner(String),
    /// what CREATE FUNCTION has, too
    Options {
        /// SET, RESET
        settings: Vec<FunctionSetting>,
        /// IMMUTABLE, STABLE, VOLATILE
        volatility: Option<Volatility>,
        /// STRICT
        is_strict: Option<bool>,
        /// SECURITY DEFINER
        is_definer: Option<bool>,
    },
}

/// DROP FUNCTION.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropFunction {
    /// PROCEDURE
    pub is_procedure: bool,
    /// which
    pub names: Vec<RangeVar>,
    /// the types of the arguments of each, where they are given
    pub arguments: Vec<Option<Vec<Oid>>>,
    /// IF EXISTS
    pub if_exists: bool,
    /// CASCADE
    pub cascade: bool,
}

/// What is done to domains.
#[derive(Debug, Clone, PartialEq)]
pub enum DomainStatement {
    /// CREATE DOMAIN
    Create {
        /// its name
        name: RangeVar,
        /// the type that it is over
        base: SqlType,
        /// what else is said, as it is written
        clauses: Vec<DomainClause>,
    },
    /// ALTER DOMAIN
    Alter {
        /// which
        name: RangeVar,
        /// what is changed
        action: DomainAction,
    },
    /// DROP DOMAIN
    Drop {
        /// which
        names: Vec<RangeVar>,
        /// IF EXISTS
        if_exists: bool,
        /// CASCADE
        cascade: bool,
    },
}

/// A clause of CREATE DOMAIN.
#[derive(Debug, Clone, PartialEq)]
pub enum DomainClause {
    /// DEFAULT
    Default(Expr),
    /// NULL
    Null,
    /// NOT NULL, perhaps with a name
    NotNull(Option<String>),
    /// CHECK
    Check(Option<String>, Expr),
    /// a constraint that only tables have, by its name
    OfTable(&'static str),
}

/// What ALTER DOMAIN changes.
#[derive(Debug, Clone, PartialEq)]
pub enum DomainAction {
    /// SET DEFAULT, DROP DEFAULT
    Default(Option<Expr>),
    /// SET NOT NULL, DROP NOT NULL
    NotNull(bool),
    /// ADD CHECK
    AddCheck {
        /// CONSTRAINT
        name: Option<String>,
        /// what must not be false
        expr: Expr,
        /// NOT VALID
        not_valid: bool,
    },
    /// VALIDATE CONSTRAINT
    Validate(String),
    /// DROP CONSTRAINT
    DropConstraint {
        /// which
        name: String,
        /// IF EXISTS
        if_exists: bool,
    },
    /// RENAME CONSTRAINT
    RenameConstraint(String, String),
    /// RENAME TO
    Rename(String),
}

impl DomainStatement {
    /// Does it ask of the rows that there are whether they satisfy a constraint?
    #[must_use]
    pub const fn looks_at_rows(&self) -> bool {
        let Self::Alter { action, .. } = self else { return false };
        matches!(
            action,
            DomainAction::AddCheck { not_valid: false, .. } | DomainAction::Validate(_) | DomainAction::NotNull(true)
        )
    }

    /// Its command tag.
    #[must_use]
    pub const fn tag(&self) -> &'static str {
        match self {
            Self::Create { .. } => "CREATE DOMAIN",
            Self::Alter { .. } => "ALTER DOMAIN",
            Self::Drop { .. } => "DROP DOMAIN",
        }
    }
}

/// What is done to enum types and composite ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnumStatement {
    /// CREATE TYPE … AS ENUM, with these labels
    Create(RangeVar, Vec<String>),
    /// CREATE TYPE … AS, with these columns
    CreateComposite(RangeVar, Vec<Attribute>),
    /// ALTER TYPE of a composite type
    AlterComposite(RangeVar, Vec<AttributeAction>),
    /// ALTER TYPE … RENAME TO
    Rename(RangeVar, String),
    /// DROP TYPE
    Drop {
        /// which
        names: Vec<RangeVar>,
        /// IF EXISTS
        if_exists: bool,
        /// CASCADE
        cascade: bool,
    },
    /// ALTER TYPE … ADD VALUE
    AddValue {
        /// which type
        name: RangeVar,
        /// the new label
        label: String,
        /// IF NOT EXISTS
        if_not_exists: bool,
        /// the label that it stands beside, and whether it comes after it
        neighbor: Option<(bool, String)>,
    },
    /// ALTER TYPE … DROP VALUE, which no server does
    DropValue(String),
    /// ALTER TYPE … RENAME VALUE
    RenameValue {
        /// which type
        name: RangeVar,
        /// the label
        from: String,
        /// what it is called then
        to: String,
    },
}

/// What ALTER TYPE does to a column of a composite type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeAction {
    /// ADD ATTRIBUTE
    Add(Attribute),
    /// DROP ATTRIBUTE, and IF EXISTS
    Drop(String, bool),
    /// ALTER ATTRIBUTE … TYPE
    SetType(Attribute),
    /// RENAME ATTRIBUTE
    Rename(String, String),
}

impl EnumStatement {
    /// Its command tag.
    #[must_use]
    pub const fn tag(&self) -> &'static str {
        match self {
            Self::Create(..) | Self::CreateComposite(..) => "CREATE TYPE",
            Self::Drop { .. } => "DROP TYPE",
            Self::AddValue { .. } | Self::RenameValue { .. } | Self::DropValue(_) => "ALTER TYPE",
            Self::AlterComposite(..) | Self::Rename(..) => "ALTER TYPE",
        }
    }
}
