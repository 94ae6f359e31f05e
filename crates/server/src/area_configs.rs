//! What is configured of an area goes with it when another agent runs it.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::reactor::request_id;
use kernel::runtime::Runtime;
use kernel::{Aggregate, CommandContext, ReactError, Reactor, Recorded};
use riding::model::alarm_rules::AlarmRules;
use riding::model::billing::Billing;
use riding::model::config::{Config, ConfigAct, ConfigCommand, Place, Setting};
use riding::model::pay_rules::PayRules;
use riding::model::return_rules::ReturnRules;
use riding::model::riding_permission::RidingPermission;
use riding::model::use_rules::UseRules;
use territory::model::area::{Area, AreaEvent};

const RULE: &str = "area-configs";

/// Hands configurations over with their area.
pub struct ConfigsOfAreas {
    runtime: Runtime,
}

impl ConfigsOfAreas {
    /// On the system's desk.
    pub const fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }

    async fn hand_over<T: Setting>(&self, event: &Recorded, of: Place) -> Result<(), ReactError> {
        let ctx = CommandContext {
            request_id: Some(request_id(RULE, event, T::STORED.category)),
            causation: Some(event.position),
            ..CommandContext::of_system(RULE, event.recorded_at)
        };
        let command = ConfigCommand { of, act: ConfigAct::<T>::HandOver };
        let done = self.runtime.desk.execute::<Config<T>>(&of.area_id, command, &ctx).await;
        done.map(|_| ()).map_err(|error| ReactError::Later(Arc::new(error).to_string().into()))
    }
}

#[async_trait]
impl Reactor for ConfigsOfAreas {
    fn name(&self) -> &'static str {
        RULE
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Area::CATEGORY]
    }

    async fn react(&self, event: &Recorded) -> Result<(), ReactError> {
        let said = event.decode::<AreaEvent>().map_err(|error| ReactError::Never(error.into()))?;
        let AreaEvent::HandedOver { to, .. } = said else { return Ok(()) };
        let area_id =
            event.stream_id.parse().map_err(|_| ReactError::Never("an area has a number".into()))?;
        let of = Place { area_id, agent_id: to };
        self.hand_over::<Billing>(event, of).await?;
        self.hand_over::<ReturnRules>(event, of).await?;
        self.hand_over::<UseRules>(event, of).await?;
        self.hand_over::<PayRules>(event, of).await?;
        self.hand_over::<RidingPermission>(event, of).await?;
        self.hand_over::<AlarmRules>(event, of).await
    }
}
