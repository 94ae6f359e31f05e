//! What stands outside says of a log that may have gone back.

use std::collections::BTreeMap;

use super::{Halt, SignError, Signer, old_checkpoints, patiently};
use crate::Position;
use crate::log::chain::GENESIS;
use crate::log::lineage::Lineage;
use crate::log::places::{Place, PlaceError};
use crate::log::statement::{Content, Statement};
use crate::log::tail::chain_at;

impl Signer {
    /// How far the places outside say that the log reaches, as far as they answer: its last checkpoint, or the restore
    /// after it.
    pub async fn furthest(&self) -> Position {
        let mut furthest = (0, Position(0));
        for place in &self.outside {
            match patiently(&**place, last_state(&**place)).await {
                Ok(found) => furthest = furthest.max(found),
                Err(error) => tracing::warn!(%error, "a place for checkpoints cannot be asked"),
            }
        }
        furthest.1
    }

    /// How far the log was ever signed, and the last signed position that it still agrees with, up to `head`. Wants an
    /// answer of every place.
    pub(in crate::log) async fn agreement(&self, head: Position) -> Result<(Position, Position), SignError> {
        let mut lineage = Lineage::default();
        for statement in
            old_checkpoints(&self.runtime.pools.projector).await?.iter().chain(&self.everything().await?)
        {
            lineage.say(&statement.content, statement.signed_at);
        }
        let mut agreed = Position(0);
        for anchor in lineage.anchors.iter().rev().filter(|anchor| anchor.position <= head) {
            if chain_at(&self.runtime.pools.projector, anchor.position).await? == Some(anchor.chain) {
                agreed = anchor.position;
                break;
            }
        }
        Ok((lineage.signed, agreed))
    }

    /// Puts back into the table what only places outside still have; says whether there was anything.
    pub(in crate::log) async fn restore_table(&self) -> Result<bool, SignError> {
        let has = self.table.last().await?;
        let mut lacked = false;
        for statement in self.everything().await?.iter().filter(|statement| statement.number() > has) {
            self.table.put(statement).await?;
            lacked = true;
        }
        Ok(lacked)
    }

    /// Signs that the log was set back from `from` to `to`.
    pub(in crate::log) async fn state_restore(
        &self,
        from: Position,
        to: Position,
    ) -> Result<Statement, SignError> {
        let chain = chain_at(&self.runtime.pools.projector, to).await?.unwrap_or(GENESIS);
        let mut known = self.known.lock().await;
        let mut standing = self.look(&mut known).await?;
        self.catch_up(&mut standing, &mut known).await?;
        self.state(Content::Restore { from, to, chain }, &mut standing, &mut known).await
    }

    /// The statements of all places, each of which must answer, without a hole and without a difference.
    async fn everything(&self) -> Result<Vec<Statement>, SignError> {
        let mut together = BTreeMap::new();
        let table: &dyn Place = &*self.table;
        for place in std::iter::once(table).chain(self.outside.iter().map(|place| &**place)) {
            for statement in place.all().await? {
                let number = statement.number();
                if *together.entry(number).or_insert_with(|| statement.clone()) != statement {
                    return Err(Halt::Differs { place: place.name().to_owned(), number }.into());
                }
            }
        }
        Ok(together.into_values().collect())
    }
}

/// The number and position of a place's last statement about the log.
pub async fn last_state(place: &dyn Place) -> Result<(u64, Position), PlaceError> {
    for number in (1..=place.last().await?).rev() {
        match place.get(number).await?.map(|statement| statement.content) {
            Some(Content::Checkpoint(mark)) => return Ok((number, mark.position)),
            Some(Content::Restore { to, .. }) => return Ok((number, to)),
            Some(Content::Rotation { .. }) | None => {}
        }
    }
    Ok((0, Position(0)))
}
