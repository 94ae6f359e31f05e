//! What is decided here: roles, operators, their devices, machine clients. Pure: no I/O, no clock, no randomness.
//!
//! **Rules that span several of them** hold by construction, not by luck of timing:
//!
//! - *A role in use cannot be deleted; a role that is held exists.* Who holds a role is a fact of the role's own
//!   stream ([`role::RoleEvent::Granted`]), so both rules are decided in one place against one version.
//! - *An enabled administrator always stays.* An administrator is an operator who holds the system role
//!   ([`role::SUPER_ADMINISTRATOR`]), is enabled and reaches everything. The system role refuses to lose its last
//!   holder: one stream, one version. That a holder stays enabled and unlimited is kept by the claim
//!   `administrator:<operator>`: the system role's stream takes it for each holder, the operator's stream takes it
//!   while he is disabled, limited or deleted. A key has one owner, so no operator is ever both, whatever runs at
//!   the same time. To disable an administrator, the system role is withdrawn first, which the last one's refuses.

pub mod authority;
pub mod device;
pub mod level;
pub mod machine;
pub mod operator;
pub mod profession;
pub mod role;

#[cfg(test)]
mod tests;

/// The key that tells administrators from operators who cannot be one; see the module's words.
fn administrator_key(operator: vocabulary::OperatorId) -> String {
    format!("administrator:{operator}")
}
