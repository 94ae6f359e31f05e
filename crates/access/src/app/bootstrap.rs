//! The first administrator.

use kernel::{CommandContext, CommandError, LogError, Refusal, Runtime};
use vocabulary::{OperatorId, Phone, Scope};

use crate::model::authority::{Authority, Granted, Person};
use crate::model::level::Level;
use crate::model::operator::{Operator, OperatorCommand, OperatorForm, OperatorRefusal};
use crate::model::role::{Role, RoleCommand, RoleRefusal, SUPER_ADMINISTRATOR};

/// The first administrator has a fixed id, so that two nodes that start at once make one and not two.
const FIRST: OperatorId = OperatorId(1);

/// Why there is no first administrator.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapError {
    /// The system role says no.
    #[error("the role of administrators cannot be made: {0}")]
    Role(String),
    /// The account says no.
    #[error("the first administrator cannot be registered: {0}")]
    Operator(String),
    /// The log failed.
    #[error(transparent)]
    Log(#[from] LogError),
}

fn of_role(error: CommandError<RoleRefusal>) -> BootstrapError {
    match error {
        CommandError::Refused(refusal) => BootstrapError::Role(refusal.message()),
        CommandError::Log(error) => BootstrapError::Log(error),
        other => BootstrapError::Role(other.to_string()),
    }
}

fn of_operator(error: CommandError<OperatorRefusal>) -> BootstrapError {
    match error {
        CommandError::Refused(refusal) => BootstrapError::Operator(refusal.message()),
        CommandError::Log(error) => BootstrapError::Log(error),
        other => BootstrapError::Operator(other.to_string()),
    }
}

/// Makes the role 超级管理员 and an operator with `phone` who holds it, unless the system already has an administrator.
/// Safe to call at every start and on several nodes at once. Says whether anybody was registered.
pub async fn bootstrap(runtime: &Runtime, phone: &Phone) -> Result<bool, BootstrapError> {
    let ctx = CommandContext::of_system("bootstrap", runtime.clock.now());
    let by = Authority::of_runtime();
    let found = RoleCommand::Found { name: "超级管理员".to_owned() };
    runtime.desk.execute::<Role>(&SUPER_ADMINISTRATOR, found, &ctx).await.map_err(of_role)?;
    let role = runtime.desk.load::<Role>(&SUPER_ADMINISTRATOR).await?;
    if !role.state.holders().is_empty() {
        return Ok(false);
    }
    let register = OperatorCommand::Register {
        operator: FIRST,
        phone: phone.clone(),
        form: OperatorForm {
            name: "超级管理员".to_owned(),
            level: Level::ALL,
            profession: None,
            reach: Scope::ALL,
        },
        enabled: true,
        by: by.clone(),
    };
    let registered = match runtime.desk.execute::<Operator>(&FIRST, register, &ctx).await {
        Ok(_) => true,
        // Another node was faster, or a start was cut short before the role was given: go on.
        Err(CommandError::Refused(OperatorRefusal::Exists)) => false,
        Err(error) => return Err(of_operator(error)),
    };
    let to = Person { operator: FIRST, granted: Granted::NOTHING, reach: Scope::ALL, level: Level::ALL };
    let grant = RoleCommand::Grant { to, by };
    runtime.desk.execute::<Role>(&SUPER_ADMINISTRATOR, grant, &ctx).await.map_err(of_role)?;
    Ok(registered)
}
