//! What the signer looks at before it signs.

use super::{CATCH_UP, Halt, Known, LATELY_MS, SignError, Signer, Standing, old_checkpoints, patiently};
use crate::Position;
use crate::log::lineage::Lineage;
use crate::log::places::{Place, PlaceError};
use crate::log::statement::{Content, Statement, key_id};
use crate::log::tail::chain_at;

impl Signer {
    /// Everything that must hold before anything is signed; and the log's head.
    pub(super) async fn begin(&self, known: &mut Known) -> Result<(Standing, Position), SignError> {
        let mut standing = self.look(known).await?;
        let head = self.runtime.reader.head().await?;
        let anchors = standing.lineage.anchors.iter().map(|anchor| (anchor.position, anchor.chain));
        for (at, chain) in anchors.chain([standing.base()]).filter(|(at, _)| at.0 > 0) {
            if at > head {
                return Err(Halt::Truncated { head, signed: at }.into());
            }
            if chain_at(&self.runtime.pools.projector, at).await? != Some(chain) {
                return Err(Halt::Rewritten { at }.into());
            }
        }
        self.catch_up(&mut standing, known).await?;
        Ok((standing, head))
    }

    /// Compares the places with each other and with what this process knows of them.
    pub(super) async fn look(&self, known: &mut Known) -> Result<Standing, SignError> {
        let mut held = Vec::new();
        let mut away = None;
        for place in &self.outside {
            match patiently(&**place, place.last()).await {
                Ok(last) => held.push(Some(last)),
                Err(error @ PlaceError::Away { .. }) => {
                    tracing::warn!(%error, "a place for checkpoints is away");
                    held.push(None);
                    away = Some(error);
                }
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(error) = away.filter(|_| held.iter().all(Option::is_none)) {
            return Err(SignError::Away(error));
        }
        // Read after the others: whatever another signer wrote to them meanwhile, the table had it before.
        let in_table = patiently(&*self.table, self.table.last()).await?;
        known.held.resize(1 + self.outside.len(), 0);
        let most = held.iter().flatten().copied().chain([in_table]).max().unwrap_or(0);
        let most = most.max(known.last.as_ref().map_or(0, Statement::number));
        let names = std::iter::once(self.table.name()).chain(self.outside.iter().map(|place| place.name()));
        let now = std::iter::once(Some(in_table)).chain(held.iter().copied());
        for ((name, now), was) in names.zip(now).zip(&known.held) {
            if let Some(now) = now.filter(|now| now < was) {
                let lost = if now < in_table { self.table.get(now + 1).await? } else { None };
                let lately = self.runtime.clock.now().plus_millis(-LATELY_MS);
                if lost.is_some_and(|lost| lost.signed_at > lately) {
                    tracing::warn!(
                        place = name,
                        was,
                        now,
                        "a place lost what it was given lately; it is given again"
                    );
                    continue;
                }
                return Err(Halt::Gone { place: name.to_owned(), known: *was, held: now }.into());
            }
        }
        // The table has each statement before any place outside has it.
        if in_table < most {
            let place = self.table.name().to_owned();
            return Err(Halt::Gone { place, known: most, held: in_table }.into());
        }
        if let Some(last) = &known.last {
            self.same(&*self.table, last).await?;
        }
        for (place, held) in self.outside.iter().zip(&held) {
            if let Some(number) = held.filter(|held| *held > 0) {
                let stands = self.in_table(number).await?;
                self.same(&**place, &stands).await?;
            }
        }
        let last = if most > 0 { Some(self.in_table(most).await?) } else { None };
        if let Some(last) = &last {
            let (expected, signed) = match &last.content {
                Content::Rotation { to, .. } => (to[..8].to_vec(), true),
                _ => (last.key_id.to_vec(), last.is_signed_by(&self.key.public())),
            };
            if expected != key_id(&self.key.public()) || !signed {
                return Err(Halt::Key { expected: hex::encode(expected) }.into());
            }
        }
        let lineage = self.lineage(most).await?;
        known.held[0] = in_table;
        for (was, now) in known.held[1..].iter_mut().zip(&held) {
            *was = now.unwrap_or(*was);
        }
        known.last.clone_from(&last);
        Ok(Standing { last, lineage, held })
    }

    pub(super) async fn in_table(&self, number: u64) -> Result<Statement, SignError> {
        let place = || self.table.name().to_owned();
        self.table.get(number).await?.ok_or_else(|| Halt::Differs { place: place(), number }.into())
    }

    async fn same(&self, place: &dyn Place, statement: &Statement) -> Result<(), SignError> {
        let number = statement.number();
        match patiently(place, place.get(number)).await {
            Ok(Some(there)) if there == *statement => Ok(()),
            // What it answered a moment ago it may not answer now; the next round looks again.
            Err(PlaceError::Away { .. }) => Ok(()),
            Err(error) => Err(error.into()),
            Ok(_) => Err(Halt::Differs { place: place.name().to_owned(), number }.into()),
        }
    }

    /// What the statements up to `last` say of the log, read back to the last checkpoint that no restore took away.
    async fn lineage(&self, last: u64) -> Result<Lineage, SignError> {
        let mut read = Vec::new();
        let mut limit = Position(i64::MAX);
        let mut found = false;
        for number in (1..=last).rev() {
            let statement = self.in_table(number).await?;
            match &statement.content {
                Content::Restore { to, .. } => limit = limit.min(*to),
                Content::Checkpoint(mark) => found = mark.position <= limit,
                Content::Rotation { .. } => {}
            }
            read.push(statement);
            if found {
                break;
            }
        }
        let mut lineage = Lineage::default();
        if !found {
            for old in old_checkpoints(&self.runtime.pools.projector).await? {
                lineage.say(&old.content, old.signed_at);
            }
            // One of version 1 is enough: each of them covers those before it by its chain.
            let surplus = lineage.anchors.len().saturating_sub(1);
            if limit.0 == i64::MAX {
                lineage.anchors.drain(..surplus);
            }
        }
        for statement in read.iter().rev() {
            lineage.say(&statement.content, statement.signed_at);
        }
        Ok(lineage)
    }

    /// Gives the places what they lack, in order. One that breaks off is away.
    pub(super) async fn catch_up(&self, standing: &mut Standing, known: &mut Known) -> Result<(), SignError> {
        let last = standing.last.as_ref().map_or(0, Statement::number);
        for (index, place) in self.outside.iter().enumerate() {
            let Some(mut held) = standing.held[index].filter(|held| *held < last) else { continue };
            tracing::warn!(place = place.name(), held, last, "a place for checkpoints is brought up to date");
            let until = last.min(held + CATCH_UP);
            while held < until {
                let statement = self.in_table(held + 1).await?;
                match patiently(&**place, place.put(&statement)).await {
                    Ok(()) => held += 1,
                    Err(PlaceError::Away { .. }) => break,
                    Err(error) => return Err(error.into()),
                }
            }
            // It takes new ones when it has all before them.
            standing.held[index] = (held == last).then_some(held);
            known.held[1 + index] = held;
        }
        Ok(())
    }
}
