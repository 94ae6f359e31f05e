//! Who stands where, as published tick by tick: cells of bikes, what changed when, and who left which cell. From it
//! any viewer's difference since any recent tick can be told, so that nobody needs a queue.

use std::collections::{HashMap, VecDeque};

use vocabulary::DataOwner;

use super::tile::{Cell, Rect};

/// Who left cells within this many ticks (ten minutes) can be told.
const DEPARTURE_TICKS: u32 = 2400;
/// And no more departures than this.
const DEPARTURES: usize = 1 << 18;

/// A territory by number: `Board::territories` names it.
pub type Lot = u32;

/// Where a bike is published: whose it is, and its cell at level 14.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// Whose.
    pub lot: Lot,
    /// Where.
    pub cell: Cell,
}

#[derive(Clone, Copy)]
struct Departure {
    tick: u32,
    slot: u32,
    from: Spot,
}

/// What a viewer sees: a rectangle of cells, and lots by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The cells that touch the viewport.
    pub rect: Rect,
    /// By lot: within the viewer's scope. A lot beyond the end is not.
    pub lots: Vec<bool>,
}

impl View {
    /// Whether it sees `spot`.
    pub fn sees(&self, spot: Spot) -> bool {
        self.rect.contains(spot.cell) && self.allows(spot.lot)
    }

    /// Whether `lot` is within the scope.
    pub fn allows(&self, lot: Lot) -> bool {
        self.lots.get(lot as usize).copied().unwrap_or(false)
    }
}

/// What one tick changed.
#[derive(Default)]
pub struct Turn {
    /// Left a spot (for another one, or for nowhere).
    pub left: HashMap<Spot, Vec<u32>>,
    /// Arrived at a spot or changed there.
    pub changed: HashMap<Spot, Vec<u32>>,
}

/// See the module.
#[derive(Default)]
pub struct Board {
    tick: u32,
    owners: Vec<DataOwner>,
    spots: Vec<Option<Spot>>,
    /// Index of the slot in its cell's list.
    seats: Vec<u32>,
    changed_at: Vec<u32>,
    dirty: Vec<bool>,
    pending: Vec<u32>,
    cells: HashMap<Cell, Vec<(Lot, Vec<u32>)>>,
    departures: VecDeque<Departure>,
    /// Differences since a tick before this cannot be told.
    floor: u32,
}

impl Board {
    /// Makes room for one more slot.
    pub fn grow(&mut self) {
        self.spots.push(None);
        self.seats.push(0);
        self.changed_at.push(0);
        self.dirty.push(false);
    }

    /// The last tick.
    pub const fn tick(&self) -> u32 {
        self.tick
    }

    /// Every territory met so far, by lot.
    pub fn owners(&self) -> &[DataOwner] {
        &self.owners
    }

    /// The number of `territory`.
    pub fn lot(&mut self, owner: DataOwner) -> Lot {
        let known = self.owners.iter().position(|known| *known == owner);
        known.unwrap_or_else(|| {
            self.owners.push(owner);
            self.owners.len() - 1
        }) as Lot
    }

    /// `slot` has something new to show at the next tick.
    pub fn touch(&mut self, slot: u32) {
        let dirty = &mut self.dirty[slot as usize];
        if !*dirty {
            *dirty = true;
            self.pending.push(slot);
        }
    }

    /// The next tick: publishes what was touched, at the spot that `spot_of` tells.
    pub fn turn(&mut self, mut spot_of: impl FnMut(&mut Self, u32) -> Option<Spot>) -> Turn {
        self.tick += 1;
        let mut turn = Turn::default();
        for slot in std::mem::take(&mut self.pending) {
            let index = slot as usize;
            self.dirty[index] = false;
            let (before, after) = (self.spots[index], spot_of(self, slot));
            if before != after {
                if let Some(from) = before {
                    self.unseat(slot, from);
                    turn.left.entry(from).or_default().push(slot);
                    self.departures.push_back(Departure { tick: self.tick, slot, from });
                }
                if let Some(to) = after {
                    self.seat(slot, to);
                }
                self.spots[index] = after;
            }
            self.changed_at[index] = self.tick;
            if let Some(at) = after {
                turn.changed.entry(at).or_default().push(slot);
            }
        }
        self.forget_old_departures();
        turn
    }

    fn seat(&mut self, slot: u32, at: Spot) {
        let lots = self.cells.entry(at.cell).or_default();
        let index = lots.iter().position(|(lot, _)| *lot == at.lot).unwrap_or_else(|| {
            lots.push((at.lot, Vec::new()));
            lots.len() - 1
        });
        let seats = &mut lots[index].1;
        self.seats[slot as usize] = seats.len() as u32;
        seats.push(slot);
    }

    fn unseat(&mut self, slot: u32, from: Spot) {
        let Some(lots) = self.cells.get_mut(&from.cell) else { return };
        if let Some(index) = lots.iter().position(|(lot, _)| *lot == from.lot) {
            let seats = &mut lots[index].1;
            let seat = self.seats[slot as usize] as usize;
            seats.swap_remove(seat);
            if let Some(moved) = seats.get(seat) {
                self.seats[*moved as usize] = seat as u32;
            }
            if seats.is_empty() {
                lots.swap_remove(index);
            }
        }
        if lots.is_empty() {
            self.cells.remove(&from.cell);
        }
    }

    fn forget_old_departures(&mut self) {
        let oldest = self.tick.saturating_sub(DEPARTURE_TICKS);
        while let Some(first) = self.departures.front().copied() {
            if first.tick >= oldest && self.departures.len() <= DEPARTURES {
                break;
            }
            self.floor = self.floor.max(first.tick);
            self.departures.pop_front();
        }
    }

    /// Whether the difference since tick `since` can be told.
    pub const fn reaches(&self, since: u32) -> bool {
        since >= self.floor && since <= self.tick
    }

    /// Whether a slot was published after tick `since`.
    pub fn changed_after(&self, slot: u32, since: u32) -> bool {
        self.changed_at[slot as usize] > since
    }

    /// Every slot that `view` sees.
    pub fn seen(&self, view: &View) -> Vec<u32> {
        let mut slots = Vec::new();
        self.each_seen(view, |seats| slots.extend_from_slice(seats));
        slots
    }

    /// Slots that `view` sees and that changed after tick `since`, and slots that it saw after that tick and sees no
    /// more. Nothing when that cannot be told any more.
    pub fn difference(&self, view: &View, since: u32) -> Option<(Vec<u32>, Vec<u32>)> {
        if !self.reaches(since) {
            return None;
        }
        let mut changed = Vec::new();
        self.each_seen(view, |seats| {
            changed.extend(seats.iter().copied().filter(|slot| self.changed_after(*slot, since)));
        });
        let mut gone: Vec<u32> = self
            .departures
            .iter()
            .rev()
            .take_while(|departure| departure.tick > since)
            .filter(|departure| view.sees(departure.from))
            .map(|departure| departure.slot)
            .filter(|slot| !self.spots[*slot as usize].is_some_and(|spot| view.sees(spot)))
            .collect();
        gone.sort_unstable();
        gone.dedup();
        Some((changed, gone))
    }

    /// What a viewer has to hear who had `old` as of tick `since` and now looks at `new`: bikes to draw, bikes to forget.
    /// Nothing when that cannot be told any more.
    pub fn moved(&self, old: &View, new: &View, since: u32) -> Option<(Vec<u32>, Vec<u32>)> {
        let (_, mut gone) = self.difference(old, since)?;
        gone.extend(self.seen(old));
        gone.retain(|slot| !self.spots[*slot as usize].is_some_and(|spot| new.sees(spot)));
        gone.sort_unstable();
        gone.dedup();
        let mut shown = self.seen(new);
        shown.retain(|slot| {
            let known = self.spots[*slot as usize].is_some_and(|spot| old.sees(spot));
            !known || self.changed_after(*slot, since)
        });
        Some((shown, gone))
    }

    /// Every published bike: its cell, its lot, the slots there.
    pub fn all(&self) -> impl Iterator<Item = (Cell, Lot, &[u32])> {
        self.cells
            .iter()
            .flat_map(|(cell, lots)| lots.iter().map(|(lot, seats)| (*cell, *lot, seats.as_slice())))
    }

    fn each_seen(&self, view: &View, mut each: impl FnMut(&[u32])) {
        let mut visit = |lots: &Vec<(Lot, Vec<u32>)>| {
            for (lot, seats) in lots {
                if view.allows(*lot) {
                    each(seats);
                }
            }
        };
        if view.rect.count() <= self.cells.len() {
            view.rect.cells().filter_map(|cell| self.cells.get(&cell)).for_each(&mut visit);
        } else {
            self.cells
                .iter()
                .filter(|(cell, _)| view.rect.contains(**cell))
                .for_each(|(_, lots)| visit(lots));
        }
    }
}
