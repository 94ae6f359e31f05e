//! Edges of service areas: drawn, drawn anew and rolled back, with a look at what lies about them.

use geofence::Ring;
use kernel::{CommandContext, Receipt, Transaction};
use vocabulary::{AreaId, DataOwner, Reach};
use wire::{Caller, Refused};

use super::NEWEST;
use crate::Context;
use crate::model::agent::Agent;
use crate::model::area::{Area, AreaCommand, Plan};
use crate::model::area_edge::About;
use crate::read::area_edges;

/// Where an edge comes from.
pub(crate) enum NewEdge {
    /// It was drawn.
    Drawn(Ring),
    /// It is the one of an earlier version.
    OfVersion(i64),
}

fn no_agent() -> Refused {
    Refused::business("agent-unknown", "代理不存在或已停用")
}

impl Context {
    /// What lies about an edge: the fences of its area, and other areas that the caller may see.
    async fn about(
        &self,
        caller: &Caller,
        edge: Ring,
        area: Option<AreaId>,
        accepted: bool,
    ) -> Result<About, Refused> {
        let now_ms = self.runtime.clock.now().millis();
        let mut db = self.runtime.reads.scoped(&caller.full_scope, NEWEST, &["area", "fence"]).await?;
        let fences = match area {
            Some(area) => area_edges::enclosed(&mut *db, area, now_ms).await?,
            None => Vec::new(),
        };
        let others = area_edges::neighbours(&mut *db, area).await?;
        drop(db);
        // Thousands of fences against thousands of corners.
        tokio::task::spawn_blocking(move || About::new(&edge, &fences, &others, accepted))
            .await
            .map_err(Refused::internal)
    }

    /// Draws a new area for an enabled agent.
    pub(crate) async fn draw_area(
        &self,
        caller: &Caller,
        plan: Plan,
        may_overlap: bool,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let scope = &caller.full_scope;
        if !scope.agents.contains(&plan.agent_id) {
            return Err(no_agent());
        }
        if scope.areas != Reach::All {
            let text = "您的数据范围只有部分服务区，不能新增服务区";
            return Err(Refused::business("area-not-as-a-whole", text));
        }
        let about = self.about(caller, plan.ring.clone(), None, may_overlap).await?;
        let drawing = async |mut tx: Transaction| -> Result<_, Refused> {
            let agent = tx.load::<Agent>(&plan.agent_id).await?.state;
            if !agent.is_enabled() {
                return Err(no_agent());
            }
            let command = AreaCommand::Draw { plan: plan.clone(), about: about.clone() };
            tx.execute::<Area>(&plan.area_id, command).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(ctx, drawing).await
    }

    /// Gives an area another edge, or one that it had.
    pub(crate) async fn redraw_area(
        &self,
        caller: &Caller,
        area: AreaId,
        edge: NewEdge,
        may_overlap: bool,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let known = self.runtime.desk.load::<Area>(&area).await?.state;
        let owner = known.agent().map(|agent| DataOwner::of_area(agent, area));
        if !owner.is_some_and(|owner| caller.full_scope.contains(owner)) {
            return Err(Refused::not_found());
        }
        let command = match edge {
            NewEdge::Drawn(ring) => {
                let about = self.about(caller, ring.clone(), Some(area), may_overlap).await?;
                AreaCommand::Redraw { ring, about }
            }
            NewEdge::OfVersion(data_version) => {
                let about = match known.edge(data_version) {
                    Some(ring) => self.about(caller, ring.clone(), Some(area), may_overlap).await?,
                    None => About::default(),
                };
                AreaCommand::RollBack { data_version, about }
            }
        };
        Ok(self.runtime.desk.execute::<Area>(&area, command, ctx).await?)
    }
}
