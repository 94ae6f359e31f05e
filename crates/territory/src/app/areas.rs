//! Service areas that change hands: in one append with all that changes with them.

use std::collections::BTreeSet;

use kernel::{CommandContext, Receipt, Transaction};
use vocabulary::{AgentId, AreaId};
use wire::{Caller, Refused};

use super::NEWEST;
use crate::Context;
use crate::model::agent::{Agent, LEVELS_MAX};
use crate::model::area::{Area, AreaCommand, AreaState, Belongings};
use crate::read::areas;

/// Areas that one account names.
const MOST_AREAS: usize = 1000;
/// Areas that change hands at once; whoever works on one of them meanwhile waits for all.
const MOST_MOVES: usize = 200;

/// Whether `agent` stands under `above`, or is it.
async fn stands_under(tx: &mut Transaction, agent: AgentId, above: AgentId) -> Result<bool, Refused> {
    let mut next = Some(agent);
    for _ in 0..LEVELS_MAX {
        match next {
            Some(one) if one == above => return Ok(true),
            Some(one) => {
                let loaded = tx.load::<Agent>(&one).await?;
                next = loaded.state.known().and_then(|known| known.parent);
            }
            None => return Ok(false),
        }
    }
    Ok(false)
}

/// An agent under another runs only what lies within that one's: its areas come from there. `parent` is that of the one
/// who gets the area, `from` who runs it now.
async fn may_get(tx: &mut Transaction, parent: Option<AgentId>, from: AgentId) -> Result<(), Refused> {
    match parent {
        Some(parent) if !stands_under(tx, from, parent).await? => Err(Refused::business(
            "area-beyond-parent",
            "下级代理的服务区须在上级代理的服务区之内，请先移交给上级代理",
        )),
        _ => Ok(()),
    }
}

impl Context {
    /// Gives an area without bikes, fences and franchisees to another enabled agent.
    pub(crate) async fn hand_over_area(
        &self,
        caller: &Caller,
        area: AreaId,
        to: AgentId,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let handing_over = async |mut tx: Transaction| -> Result<_, Refused> {
            let agent = tx.load::<Agent>(&to).await?.state;
            if !agent.is_enabled() || !caller.full_scope.agents.contains(&to) {
                return Err(Refused::business("agent-unknown", "代理不存在或已停用"));
            }
            let from = tx.load::<Area>(&area).await?.state.agent();
            let from = from.filter(|from| caller.full_scope.agents.contains(from));
            let parent = agent.known().and_then(|known| known.parent);
            may_get(&mut tx, parent, from.ok_or_else(Refused::not_found)?).await?;
            self.hand_over(&mut tx, caller, &[(area, to)]).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(ctx, handing_over).await
    }

    /// Leads from the areas that `agent` runs to those wanted: what it runs no more goes back to its parent.
    pub(super) async fn let_run(
        &self,
        tx: &mut Transaction,
        caller: &Caller,
        agent: AgentId,
        wanted: &BTreeSet<AreaId>,
    ) -> Result<(), Refused> {
        if wanted.len() > MOST_AREAS {
            return Err(Refused::malformed(format!("一次最多 {MOST_AREAS} 个服务区")));
        }
        let parent = tx.load::<Agent>(&agent).await?.state.known().and_then(|known| known.parent);
        let mut db = self.runtime.reads.scoped(&caller.full_scope, NEWEST, &["area"]).await?;
        let run = areas::run_by(&mut *db, agent).await?;
        drop(db);
        let changes = wanted.symmetric_difference(&run).count();
        if changes > MOST_MOVES {
            let text = format!("一次最多移交 {MOST_MOVES} 个服务区，本次共 {changes} 个，请分几次保存");
            return Err(Refused::business("areas-too-many", text));
        }
        let mut moves = Vec::with_capacity(changes);
        for area in wanted.difference(&run) {
            let state = tx.load::<Area>(area).await?.state;
            let known = state.agent().filter(|_| state.state() != Some(AreaState::Closed));
            let Some(from) = known.filter(|from| caller.full_scope.agents.contains(from)) else {
                return Err(Refused::business("area-unknown", "服务区不存在或已关停"));
            };
            may_get(tx, parent, from).await?;
            moves.push((*area, agent));
        }
        for area in run.difference(wanted) {
            let Some(parent) = parent else {
                let text = "一级代理的服务区不能直接移出，请到服务区管理移交给其他代理";
                return Err(Refused::business("area-without-agent", text));
            };
            // Another may have got it since the table was read.
            if tx.load::<Area>(area).await?.state.agent() == Some(agent) {
                moves.push((*area, parent));
            }
        }
        self.hand_over(tx, caller, &moves).await
    }

    /// Gives each area to its agent, when nothing of who ran it is left in it.
    async fn hand_over(
        &self,
        tx: &mut Transaction,
        caller: &Caller,
        moves: &[(AreaId, AgentId)],
    ) -> Result<(), Refused> {
        let ids: Vec<AreaId> = moves.iter().map(|(area, _)| *area).collect();
        let vehicles = self.ports.bikes.count_by_area(&ids).await.map_err(Refused::unavailable)?;
        let mut db =
            self.runtime.reads.scoped(&caller.full_scope, NEWEST, &["area", "fence", "franchisee"]).await?;
        for (area, to) in moves {
            let (fences, franchisees) = areas::belongings(&mut *db, *area).await?;
            let vehicles = vehicles.get(area).copied().unwrap_or(0);
            let left = Belongings { vehicles, fences, franchisees };
            tx.execute::<Area>(area, AreaCommand::HandOver { to: *to, left }).await?;
        }
        Ok(())
    }
}
