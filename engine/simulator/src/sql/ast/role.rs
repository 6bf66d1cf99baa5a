//! Roles, and what is granted on objects and to whom (`CreateRoleStmt`, `GrantRoleStmt`, `GrantStmt` of
//! src/include/nodes/parsenodes.h).

use super::{RangeVar, SchemaOf};
use alloc::string::String;
use alloc::vec::Vec;

/// Statements of roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoleStatement {
    /// CREATE ROLE, CREATE USER, CREATE GROUP
    Create {
        /// its name
        name: String,
        /// USER: it may log in unless it is said otherwise
        login: bool,
        /// what is said of it
        options: Vec<RoleOption>,
    },
    /// ALTER ROLE
    Alter {
        /// which
        name: String,
        /// what is said of it
        options: Vec<RoleOption>,
    },
    /// ALTER ROLE … RENAME TO
    Rename {
        /// which
        name: String,
        /// its new name
        to: String,
    },
    /// DROP ROLE
    Drop {
        /// which
        names: Vec<String>,
        /// IF EXISTS
        if_exists: bool,
    },
    /// GRANT and REVOKE of roles
    Grant(GrantRole),
    /// DROP OWNED BY
    DropOwned {
        /// by whom
        roles: Vec<String>,
        /// CASCADE
        cascade: bool,
    },
    /// ALTER … OWNER TO, but for tables and functions
    Owner {
        /// of what; `None`: SCHEMA
        of: Option<SchemaOf>,
        /// which
        name: RangeVar,
        /// to whom
        to: String,
    },
    /// REASSIGN OWNED BY … TO …
    Reassign {
        /// by whom
        roles: Vec<String>,
        /// to whom
        to: String,
    },
}

impl RoleStatement {
    /// The command tag.
    #[must_use]
    pub const fn tag(&self) -> &'static str {
        match self {
            Self::Create { .. } => "CREATE ROLE",
            Self::Alter { .. } | Self::Rename { .. } => "ALTER ROLE",
            Self::Drop { .. } => "DROP ROLE",
            Self::Grant(GrantRole { revoke: false, .. }) => "GRANT ROLE",
            Self::Grant(_) => "REVOKE ROLE",
            Self::DropOwned { .. } => "DROP OWNED",
            Self::Reassign { .. } => "REASSIGN OWNED",
            Self::Owner { of, .. } => match of {
                None => "ALTER SCHEMA",
                Some(SchemaOf::Table) => "ALTER TABLE",
                Some(SchemaOf::View) => "ALTER VIEW",
                Some(SchemaOf::MaterializedView) => "ALTER MATERIALIZED VIEW",
                Some(SchemaOf::Sequence) => "ALTER SEQUENCE",
                Some(SchemaOf::Type) => "ALTER TYPE",
                Some(SchemaOf::Domain) => "ALTER DOMAIN",
            },
        }
    }
}

/// What is said of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoleOption {
    /// an attribute (`cluster::roles::attribute`), or that it has it not
    Attribute(u8, bool),
    /// CONNECTION LIMIT
    Limit(i32),
    /// VALID UNTIL
    Until(String),
    /// PASSWORD
    Password,
    /// IN ROLE
    In(Vec<String>),
    /// ROLE, of CREATE; ADD USER of ALTER GROUP
    Members(Vec<String>),
    /// ADMIN
    Admins(Vec<String>),
    /// DROP USER of ALTER GROUP
    Leaves(Vec<String>),
}

/// GRANT and REVOKE of roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantRole {
    /// REVOKE
    pub revoke: bool,
    /// which
    pub roles: Vec<String>,
    /// to whom
    pub members: Vec<String>,
    /// of ADMIN, INHERIT and SET what is said of them: WITH, or that only they are revoked
    pub options: [Option<bool>; 3],
    /// the first word that only 16 and later know there
    pub newer: Option<&'static str>,
}

/// GRANT and REVOKE of privileges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// REVOKE
    pub revoke: bool,
    /// GRANT OPTION FOR: of REVOKE
    pub option_for: bool,
    /// which, with the columns that they are of; none: all
    pub privileges: Vec<(String, Vec<String>)>,
    /// on these
    pub on: GrantOn,
    /// to these
    pub roles: Vec<String>,
    /// WITH GRANT OPTION
    pub with_option: bool,
    /// CASCADE
    pub cascade: bool,
}

impl Grant {
    /// The tables or sequences that it names.
    #[must_use]
    pub fn relations(&self) -> &[RangeVar] {
        match &self.on {
            GrantOn::Tables(names) | GrantOn::Sequences(names) => names,
            _ => &[],
        }
    }
}

/// What privileges are on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantOn {
    /// tables, views, sequences
    Tables(Vec<RangeVar>),
    /// SEQUENCE
    Sequences(Vec<RangeVar>),
    /// SCHEMA
    Schemas(Vec<String>),
    /// DATABASE
    Databases(Vec<String>),
    /// FUNCTION, PROCEDURE, ROUTINE, as it is called; has each parentheses, and types in them?
    Functions(Vec<(RangeVar, Option<bool>)>, &'static str),
    /// ALL TABLES IN SCHEMA
    AllTables(Vec<String>),
    /// ALL SEQUENCES IN SCHEMA
    AllSequences(Vec<String>),
    /// ALL FUNCTIONS IN SCHEMA, ALL ROUTINES IN SCHEMA
    AllFunctions(Vec<String>),
}
