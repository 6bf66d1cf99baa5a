//! Which actions of ALTER TABLE go to the tables that inherit from the one that is named (`ATPrepCmd`,
//! src/backend/commands/tablecmds.c).

use super::{AlterAction, ConstraintKind};

impl AlterAction {
    /// Is it done to the tables that inherit from the one that is named, too?
    #[must_use]
    pub const fn recurses(&self) -> bool {
        match self {
            Self::AddColumn { .. }
            | Self::DropColumn { .. }
            | Self::DropConstraint { .. }
            | Self::ValidateConstraint(_)
            | Self::SetNotNull { .. }
            | Self::SetDefault { .. }
            | Self::SetType { .. }
            | Self::SetExpression { .. }
            | Self::DropExpression { .. }
            | Self::SetStatistics { .. }
            | Self::SetStorage { .. } => true,
            Self::AddConstraint(added) => {
                matches!(added.kind, ConstraintKind::Check(_) | ConstraintKind::NotNull) && !added.no_inherit
            }
            _ => false,
        }
    }
}
