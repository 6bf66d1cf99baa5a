//! Roles, who is a member of which, whose an object is and what is granted on it (`pg_authid`, `pg_auth_members`,
//! `aclitem[]`: src/backend/utils/adt/acl.c, src/backend/catalog/aclchk.c).
//!
//! ```text
//!  owners     object ──▶ role           those of postgres are not listed
//!  acls       object, column ──▶ items  without an entry: what the kind of object has by itself (`acldefault`)
//! ```

use super::Cluster;
use super::pg_class::Catalog;
use crate::version::SqlBehaviour;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{Oid, PgVersion};
use ffviz_format::state::RelKind;

pub use crate::storage::SUPERUSER;

/// `ACL_ID_PUBLIC`: everybody
pub const PUBLIC_ROLE: Oid = 0;
/// `pg_namespace.oid` of public
pub(super) const PUBLIC_OID: Oid = 2200;
/// `pg_database_owner`
const DATABASE_OWNER: Oid = 6171;
/// `pg_read_all_data`, `pg_write_all_data`, `pg_maintain`
const READ_ALL_DATA: Oid = 6181;
const WRITE_ALL_DATA: Oid = 6182;
const MAINTAIN_ALL: Oid = 6337;

/// Attributes of a role.
pub mod attribute {
    /// `rolsuper`
    pub const SUPERUSER: u8 = 1;
    /// `rolinherit`
    pub const INHERIT: u8 = 2;
    /// `rolcreaterole`
    pub const CREATEROLE: u8 = 4;
    /// `rolcreatedb`
    pub const CREATEDB: u8 = 8;
    /// `rolcanlogin`
    pub const LOGIN: u8 = 16;
    /// `rolreplication`
    pub const REPLICATION: u8 = 32;
    /// `rolbypassrls`
    pub const BYPASSRLS: u8 = 64;
}

/// `AclMode`: what may be done with an object.
pub type AclMode = u16;

/// The bits of an [`AclMode`].
pub mod rights {
    use super::AclMode;
    /// INSERT
    pub const INSERT: AclMode = 1;
    /// SELECT
    pub const SELECT: AclMode = 1 << 1;
    /// UPDATE
    pub const UPDATE: AclMode = 1 << 2;
    /// DELETE
    pub const DELETE: AclMode = 1 << 3;
    /// TRUNCATE
    pub const TRUNCATE: AclMode = 1 << 4;
    /// REFERENCES
    pub const REFERENCES: AclMode = 1 << 5;
    /// TRIGGER
    pub const TRIGGER: AclMode = 1 << 6;
    /// EXECUTE
    pub const EXECUTE: AclMode = 1 << 7;
    /// USAGE
    pub const USAGE: AclMode = 1 << 8;
    /// CREATE
    pub const CREATE: AclMode = 1 << 9;
    /// TEMPORARY
    pub const TEMPORARY: AclMode = 1 << 10;
    /// CONNECT
    pub const CONNECT: AclMode = 1 << 11;
    /// MAINTAIN
    pub const MAINTAIN: AclMode = 1 << 14;
    /// those that columns have
    pub const OF_COLUMNS: AclMode = INSERT | SELECT | UPDATE | REFERENCES;

    /// As they are called.
    pub const NAMES: [(&str, AclMode); 14] = [
        ("INSERT", INSERT),
        ("SELECT", SELECT),
        ("UPDATE", UPDATE),
        ("DELETE", DELETE),
        ("TRUNCATE", TRUNCATE),
        ("REFERENCES", REFERENCES),
        ("TRIGGER", TRIGGER),
        ("EXECUTE", EXECUTE),
        ("USAGE", USAGE),
        ("CREATE", CREATE),
        ("TEMPORARY", TEMPORARY),
        ("TEMP", TEMPORARY),
        ("CONNECT", CONNECT),
        ("MAINTAIN", MAINTAIN),
    ];
}

/// What privileges can be on (`ObjectType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// a table, a view
    Relation,
    /// a sequence
    Sequence,
    /// a function
    Function,
    /// a schema
    Schema,
    /// the database
    Database,
}

impl Kind {
    /// `ACL_ALL_RIGHTS_…`
    #[must_use]
    pub fn all_rights(self, version: PgVersion) -> AclMode {
        use rights::{CONNECT, CREATE, EXECUTE, MAINTAIN, SELECT, TEMPORARY, TRIGGER, UPDATE, USAGE};
        match self {
            Self::Relation if version.has_maintain() => (2 * TRIGGER - 1) | MAINTAIN,
            Self::Relation => 2 * TRIGGER - 1,
            Self::Sequence => SELECT | UPDATE | USAGE,
            Self::Function => EXECUTE,
            Self::Schema => USAGE | CREATE,
            Self::Database => CREATE | TEMPORARY | CONNECT,
        }
    }

    /// What everybody may do where nobody has said otherwise.
    const fn of_everybody(self) -> AclMode {
        match self {
            Self::Function => rights::EXECUTE,
            Self::Database => rights::TEMPORARY | rights::CONNECT,
            Self::Relation | Self::Sequence | Self::Schema => 0,
        }
    }
}

/// `aclitem`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AclItem {
    /// to whom
    pub grantee: Oid,
    /// by whom
    pub grantor: Oid,
    /// what
    pub rights: AclMode,
    /// of these: WITH GRANT OPTION
    pub options: AclMode,
}

/// A row of `pg_authid`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// `oid`
    pub oid: Oid,
    /// `rolname`
    pub name: String,
    /// its [`attribute`]s
    pub attributes: u8,
    /// `rolconnlimit`
    pub limit: i32,
    /// `rolvaliduntil`
    pub until: Option<i64>,
}

/// A row of `pg_auth_members`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// which
    pub role: Oid,
    /// who is one
    pub member: Oid,
    /// ADMIN, INHERIT, SET
    pub options: [bool; 3],
    /// by whom
    pub grantor: Oid,
}

/// What the cluster knows of roles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roles {
    /// without those that there are from the beginning
    pub made: Vec<Role>,
    /// without those of roles that there are from the beginning
    pub members: Vec<Member>,
    /// of objects that are not postgres' own
    pub owners: BTreeMap<Oid, Oid>,
    /// by object and column, 0 of the object itself
    pub acls: BTreeMap<(Oid, u16), Vec<AclItem>>,
}

/// Roles that initdb makes, and the version that each came with.
const PREDEFINED: [(Oid, &str, u32); 17] = [
    (SUPERUSER, "postgres", 13),
    (3373, "pg_monitor", 13),
    (3374, "pg_read_all_settings", 13),
    (3375, "pg_read_all_stats", 13),
    (3377, "pg_stat_scan_tables", 13),
    (4569, "pg_read_server_files", 13),
    (4570, "pg_write_server_files", 13),
    (4571, "pg_execute_server_program", 13),
    (4200, "pg_signal_backend", 13),
    (DATABASE_OWNER, "pg_database_owner", 14),
    (READ_ALL_DATA, "pg_read_all_data", 14),
    (WRITE_ALL_DATA, "pg_write_all_data", 14),
    (4544, "pg_checkpoint", 15),
    (4550, "pg_use_reserved_connections", 16),
    (6304, "pg_create_subscription", 16),
    (MAINTAIN_ALL, "pg_maintain", 17),
    (6392, "pg_signal_autovacuum_worker", 18),
];

impl Catalog {
    /// What is known of roles.
    #[must_use]
    pub fn roles(&self) -> &Roles {
        &self.roles
    }
}

impl Cluster {
    /// All roles that there are.
    pub fn all_roles(&self) -> impl Iterator<Item = Role> {
        let major = self.version().major();
        let first = PREDEFINED.into_iter().filter(move |(.., since)| *since <= major).map(|(oid, name, _)| Role {
            oid,
            name: name.into(),
            attributes: if oid == SUPERUSER { 0x7F } else { attribute::INHERIT },
            limit: -1,
            until: None,
        });
        first.chain(self.catalog.roles.made.iter().cloned())
    }

    /// `get_role_oid`
    #[must_use]
    pub fn find_role(&self, name: &str) -> Option<Oid> {
        self.all_roles().find(|role| role.name == name).map(|role| role.oid)
    }

    /// `GetUserNameFromId`
    #[must_use]
    pub fn role_name(&self, oid: Oid) -> Option<&str> {
        let made = self.catalog.roles.made.iter().find(|role| role.oid == oid).map(|role| role.name.as_str());
        made.or_else(|| PREDEFINED.iter().find(|(known, ..)| *known == oid).map(|(_, name, _)| *name))
    }

    /// The attributes of a role.
    #[must_use]
    pub fn role_attributes(&self, oid: Oid) -> u8 {
        let made = self.catalog.roles.made.iter().find(|role| role.oid == oid).map(|role| role.attributes);
        made.unwrap_or(if oid == SUPERUSER { 0x7F } else { attribute::INHERIT })
    }

    /// `superuser_arg`
    #[must_use]
    pub fn is_superuser(&self, oid: Oid) -> bool {
        self.role_attributes(oid) & attribute::SUPERUSER != 0
    }

    /// `GetUserId`: as whom the statement runs.
    #[must_use]
    pub fn user(&self) -> Oid {
        let settings = &self.pg.backend().settings;
        settings.definer.unwrap_or(if settings.role == 0 { settings.session_user } else { settings.role })
    }

    /// Is everybody the superuser, and everything his?
    #[must_use]
    pub fn has_one_user(&self) -> bool {
        self.catalog.roles.owners.is_empty() && self.is_superuser(self.user())
    }

    /// `roles_is_member_of`: does a way lead from the member to the role that `may` follows?
    fn leads_to(&self, member: Oid, role: Oid, may: &dyn Fn(&Member) -> bool) -> bool {
        let (mut found, mut at) = (Vec::from([member]), 0);
        while let Some(here) = found.get(at).copied() {
            if here == role {
                return true;
            }
            let next = self.catalog.roles.members.iter().filter(|it| it.member == here && may(it));
            let next: Vec<Oid> = next.map(|it| it.role).filter(|next| !found.contains(next)).collect();
            found.extend(next);
            // `pg_monitor` has three others
            if here == 3373 {
                found.extend([3374, 3375, 3377]);
            }
            at += 1;
        }
        false
    }

    /// `has_privs_of_role`
    #[must_use]
    pub fn has_privileges_of(&self, member: Oid, role: Oid) -> bool {
        let inherits = |it: &Member| match self.version().has_options_of_members() {
            true => it.options[1],
            false => self.role_attributes(it.member) & attribute::INHERIT != 0,
        };
        self.is_superuser(member) || self.leads_to(member, role, &inherits)
    }

    /// `is_member_of_role`
    #[must_use]
    pub fn is_member_of(&self, member: Oid, role: Oid) -> bool {
        self.is_superuser(member) || self.leads_to(member, role, &|_| true)
    }

    /// The same of one that is no superuser by that (`is_member_of_role_nosuper`).
    #[must_use]
    pub fn is_really_member_of(&self, member: Oid, role: Oid) -> bool {
        self.leads_to(member, role, &|_| true)
    }

    /// `member_can_set_role`
    #[must_use]
    pub fn may_become(&self, member: Oid, role: Oid) -> bool {
        let has_options = self.version().has_options_of_members();
        self.is_superuser(member) || self.leads_to(member, role, &|it| !has_options || it.options[2])
    }

    /// `is_admin_of_role`
    #[must_use]
    pub fn is_admin_of(&self, member: Oid, role: Oid) -> bool {
        let members = &self.catalog.roles.members;
        let mut admins = members.iter().filter(|it| it.role == role && it.options[0]).map(|it| it.member);
        self.is_superuser(member) || admins.any(|admin| self.is_member_of(member, admin))
    }

    /// Whose an object is: an index, a TOAST table and a sequence of a column are their table's.
    #[must_use]
    pub fn owner_of(&self, oid: Oid) -> Oid {
        let oid = self.catalog.class(oid).and_then(|class| class.table).unwrap_or(oid);
        let public = if self.version().closes_public() { DATABASE_OWNER } else { SUPERUSER };
        let first = if oid == PUBLIC_OID { public } else { SUPERUSER };
        self.catalog.roles.owners.get(&oid).copied().unwrap_or(first)
    }

    /// `object_ownercheck`
    #[must_use]
    pub fn is_owner(&self, oid: Oid, role: Oid) -> bool {
        self.has_privileges_of(role, self.owner_of(oid))
    }

    /// What is granted on an object.
    #[must_use]
    pub fn acl(&self, kind: Kind, oid: Oid) -> Vec<AclItem> {
        if let Some(items) = self.catalog.roles.acls.get(&(oid, 0)) {
            return items.clone();
        }
        let (owner, all) = (self.owner_of(oid), kind.all_rights(self.version()));
        let everybody = match oid {
            PUBLIC_OID if self.version().closes_public() => rights::USAGE,
            PUBLIC_OID => all,
            _ => kind.of_everybody(),
        };
        let item = |grantee, rights| AclItem { grantee, grantor: owner, rights, options: 0 };
        let of_everybody = (everybody != 0).then(|| item(PUBLIC_ROLE, everybody));
        of_everybody.into_iter().chain([item(owner, all)]).collect()
    }

    /// `aclmask`: which of its rights a role has, and which of them it may grant.
    fn mask(&self, items: &[AclItem], owner: Oid, role: Oid) -> (AclMode, AclMode) {
        let is_his = |grantee: Oid| grantee == PUBLIC_ROLE || self.has_privileges_of(role, grantee);
        let mine = items.iter().filter(|item| is_his(item.grantee));
        let (rights, options) = mine.fold((0, 0), |(all, options), it| (all | it.rights, options | it.options));
        (rights, if self.has_privileges_of(role, owner) { AclMode::MAX } else { options })
    }

    /// `pg_class_aclmask`, `object_aclmask`: what a role may do, and which of that it may grant.
    #[must_use]
    pub fn rights_and_options(&self, kind: Kind, oid: Oid, role: Oid) -> (AclMode, AclMode) {
        if self.is_superuser(role) {
            return (AclMode::MAX, AclMode::MAX);
        }
        let (mut found, options) = self.mask(&self.acl(kind, oid), self.owner_of(oid), role);
        let has = |of: Oid, rights: AclMode| if self.has_privileges_of(role, of) { rights } else { 0 };
        found |= match kind {
            Kind::Relation | Kind::Sequence => {
                has(READ_ALL_DATA, rights::SELECT)
                    | has(WRITE_ALL_DATA, rights::INSERT | rights::UPDATE | rights::DELETE)
                    | has(MAINTAIN_ALL, rights::MAINTAIN)
            }
            Kind::Schema => has(READ_ALL_DATA, rights::USAGE) | has(WRITE_ALL_DATA, rights::USAGE),
            Kind::Function | Kind::Database => 0,
        };
        (found, options)
    }

    /// The first of them.
    #[must_use]
    pub fn rights(&self, kind: Kind, oid: Oid, role: Oid) -> AclMode {
        self.rights_and_options(kind, oid, role).0
    }

    /// `pg_attribute_aclmask`, without what the table gives.
    #[must_use]
    pub fn column_rights(&self, table: Oid, column: u16, role: Oid) -> AclMode {
        let items = self.catalog.roles.acls.get(&(table, column));
        items.map_or(0, |items| self.mask(items, self.owner_of(table), role).0)
    }

    /// The same of all columns together.
    #[must_use]
    pub fn any_column_rights(&self, table: Oid, role: Oid) -> AclMode {
        let columns = self.catalog.roles.acls.range((table, 1)..=(table, u16::MAX));
        columns.fold(0, |all, (_, items)| all | self.mask(items, self.owner_of(table), role).0)
    }

    /// May whoever runs the statement do that with objects of the schema?
    pub(super) fn may_in_schema(&self, schema: &str, wanted: AclMode) -> bool {
        if self.is_superuser(self.user()) || self.is_temp_schema(schema) {
            return true;
        }
        let oid = self.catalog.schemas().find(|(name, _)| *name == schema).map(|(_, oid)| oid);
        oid.is_none_or(|oid| self.rights(Kind::Schema, oid, self.user()) & wanted == wanted)
    }

    /// `object_aclcheck` of a schema.
    ///
    /// # Errors
    /// PostgreSQL's, where whoever runs the statement may not.
    pub fn check_schema_right(&self, schema: &str, wanted: AclMode) -> Result<(), SqlError> {
        if self.may_in_schema(schema, wanted) {
            return Ok(());
        }
        Err(SqlError::new("42501", format!("permission denied for schema {schema}")))
    }

    /// What is made from now on is whoever's runs the statement.
    pub(super) fn own(&mut self, oid: Oid) {
        let user = self.user();
        if user != SUPERUSER {
            self.keep_names();
            Arc::make_mut(&mut self.catalog.roles).owners.insert(oid, user);
        }
    }

    /// Changes what is known of roles: a row of a catalog.
    pub fn edit_roles(&mut self, change: impl FnOnce(&mut Roles)) {
        self.pg.current_xid();
        self.keep_names();
        change(Arc::make_mut(&mut self.catalog.roles));
        self.use_commands(1);
    }

    /// The OID of a new role, or of a membership.
    pub fn new_role_oid(&mut self) -> Oid {
        self.pg.current_xid();
        self.pg.new_object_id()
    }

    /// `get_relkind_objtype`, as messages say it, and the name of the object; of what there is.
    #[must_use]
    pub fn object_word(&self, oid: Oid) -> Option<(&'static str, String)> {
        if let Some(class) = self.catalog.class(oid) {
            let word = match class.relkind() {
                RelKind::Sequence => "sequence",
                RelKind::Index | RelKind::PartitionedIndex => "index",
                RelKind::MaterializedView => "materialized view",
                _ => "table",
            };
            return Some((word, class.name.clone()));
        }
        let view = self.catalog.views().find(|(_, view)| view.oid == oid);
        if let Some(((_, name), _)) = view {
            return Some(("view", name.clone()));
        }
        let schema = self.catalog.schemas().find(|(_, known)| *known == oid).map(|(name, _)| ("schema", name.into()));
        let function = || self.catalog.functions.iter().find(|(_, (_, known))| *known == oid);
        let function = schema.or_else(|| function().map(|(name, _)| ("function", name.clone())));
        function.or_else(|| self.bare_type_name(oid).map(|name| ("type", name)))
    }
}
