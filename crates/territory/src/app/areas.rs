//! Service areas that change hands.

use std::collections::BTreeSet;

use kernel::{CommandContext, CommandError, Position, Receipt};
use vocabulary::{AgentId, AreaId};
use wire::{Caller, Refused};

use super::NEWEST;
use crate::Context;
use crate::model::agent::{Agent, LEVELS_MAX};
use crate::model::area::{Area, AreaCommand, AreaState, Belongings};
use crate::read::areas;

/// Areas that one account names; more is done in several steps.
const MOST_AREAS: usize = 1000;

impl Context {
    /// Whether `agent` stands under `above`, or is it.
    async fn stands_under(&self, agent: AgentId, above: AgentId) -> Result<bool, Refused> {
        let mut next = Some(agent);
        for _ in 0..LEVELS_MAX {
            match next {
                Some(one) if one == above => return Ok(true),
                Some(one) => {
                    let loaded = self.runtime.desk.load::<Agent>(&one).await?;
                    next = loaded.state.known().and_then(|known| known.parent);
                }
                None => return Ok(false),
            }
        }
        Ok(false)
    }

    /// An agent under another runs only what lies within that one's: its areas come from there. `parent` is that of
    /// the one who gets the area, `from` who runs it now.
    pub(crate) async fn may_get(&self, parent: Option<AgentId>, from: AgentId) -> Result<(), Refused> {
        match parent {
            Some(parent) if !self.stands_under(from, parent).await? => Err(Refused::business(
                "area-beyond-parent",
                "下级代理的服务区须在上级代理的服务区之内，请先移交给上级代理",
            )),
            _ => Ok(()),
        }
    }

    /// What leads from the areas that `agent` runs to those wanted: each with who runs it from then on, checked.
    pub(crate) async fn moves(
        &self,
        caller: &Caller,
        agent: AgentId,
        parent: Option<AgentId>,
        wanted: &BTreeSet<AreaId>,
    ) -> Result<Vec<(AreaId, AreaCommand)>, Refused> {
        if wanted.len() > MOST_AREAS {
            return Err(Refused::malformed(format!("一次最多 {MOST_AREAS} 个服务区")));
        }
        let mut db =
            self.runtime.reads.scoped(&caller.full_scope, NEWEST, &["area", "fence", "franchisee"]).await?;
        let run: Vec<AreaId> =
            sqlx::query_scalar("select area_id from read.area where agent_id = $1 and state <> 3")
                .bind(agent)
                .fetch_all(&mut *db)
                .await?;
        let run: BTreeSet<AreaId> = run.into_iter().collect();
        let mut targets = Vec::new();
        for area in wanted.difference(&run) {
            let state = self.runtime.desk.load::<Area>(area).await?.state;
            let known = state.agent().filter(|_| state.state() != Some(AreaState::Closed));
            let Some(from) = known.filter(|from| caller.full_scope.agents.contains(from)) else {
                return Err(Refused::business("area-unknown", "服务区不存在或已关停"));
            };
            self.may_get(parent, from).await?;
            targets.push((*area, agent));
        }
        for area in run.difference(wanted) {
            let Some(parent) = parent else {
                let text = "一级代理的服务区不能直接移出，请到服务区管理移交给其他代理";
                return Err(Refused::business("area-without-agent", text));
            };
            targets.push((*area, parent));
        }
        let ids: Vec<AreaId> = targets.iter().map(|(area, _)| *area).collect();
        let vehicles = self.ports.bikes.count_by_area(&ids).await.map_err(Refused::unavailable)?;
        let mut moves = Vec::with_capacity(targets.len());
        for (area, to) in targets {
            let (fences, franchisees) = areas::belongings(&mut *db, area).await?;
            let left =
                Belongings { vehicles: vehicles.get(&area).copied().unwrap_or(0), fences, franchisees };
            moves.push((area, AreaCommand::HandOver { to, left }));
        }
        drop(db);
        Ok(moves)
    }

    /// What the moves would be answered now, without making them.
    pub(crate) async fn rehearse(
        &self,
        moves: &[(AreaId, AreaCommand)],
        ctx: &CommandContext,
    ) -> Result<(), Refused> {
        use kernel::Aggregate;
        for (area, command) in moves {
            let loaded = self.runtime.desk.load::<Area>(area).await?;
            if !ctx.scope.contains(loaded.state.owner()) {
                return Err(Refused::not_found());
            }
            loaded.state.decide(command.clone(), ctx.now).map_err(CommandError::Refused)?;
        }
        Ok(())
    }

    pub(crate) async fn make(
        &self,
        moves: Vec<(AreaId, AreaCommand)>,
        ctx: &CommandContext,
        after: Position,
    ) -> Result<Position, Refused> {
        let mut last = after;
        for (area, command) in moves {
            let ctx = ctx.step(&format!("a{area}"));
            let receipt = self.runtime.desk.execute::<Area>(&area, command, &ctx).await?;
            last = last.max(receipt.position);
        }
        self.settle(last).await?;
        Ok(last)
    }

    /// Gives an area without bikes, fences and franchisees to another enabled agent.
    pub(crate) async fn hand_over_area(
        &self,
        caller: &Caller,
        seen: Option<Position>,
        area: AreaId,
        to: AgentId,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let agent = self.runtime.desk.load::<Agent>(&to).await?;
        if !agent.state.is_enabled() || !caller.full_scope.agents.contains(&to) {
            return Err(Refused::business("agent-unknown", "代理不存在或已停用"));
        }
        let state = self.runtime.desk.load::<Area>(&area).await?.state;
        let from = state.agent().filter(|from| caller.full_scope.agents.contains(from));
        let parent = agent.state.known().and_then(|known| known.parent);
        self.may_get(parent, from.ok_or_else(Refused::not_found)?).await?;
        let mut db = self
            .runtime
            .reads
            .scoped(&caller.full_scope, seen, &["area", "agent", "fence", "franchisee"])
            .await?;
        let (fences, franchisees) = areas::belongings(&mut *db, area).await?;
        drop(db);
        let vehicles = self.ports.bikes.count_by_area(&[area]).await.map_err(Refused::unavailable)?;
        let left = Belongings { vehicles: vehicles.get(&area).copied().unwrap_or(0), fences, franchisees };
        let command = AreaCommand::HandOver { to, left };
        Ok(self.runtime.desk.execute::<Area>(&area, command, ctx).await?)
    }
}
