//! A bike in use: by riders, and by who works on it.

use super::{Known, RideAction, VehicleEvent, VehicleRefusal};
use crate::model::region::{AlarmState, Lifecycle, OperationState, RidingState};

impl Known {
    pub(super) fn ride(
        &self,
        action: RideAction,
        rider: String,
    ) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
        use RideAction::{Cancel, Pause, Reserve, Resume, Return, Unlock};
        use RidingState::{FieldWork, Idle, Paused, Reserved, Riding};
        if rider.trim().is_empty() {
            return Err(VehicleRefusal::Nobody);
        }
        let to = match (self.riding, action) {
            (Idle, Reserve | Unlock) => {
                self.may_be_handed_out()?;
                if action == Reserve { Reserved } else { Riding }
            }
            (Reserved, Unlock) | (Paused, Resume) => Riding,
            (Reserved, Cancel) | (Riding | Paused, Return) => Idle,
            (Riding, Pause) => Paused,
            (Idle, Cancel | Pause | Resume | Return)
            | (Riding, Reserve | Cancel | Unlock | Resume)
            | (Paused, Reserve | Cancel | Unlock | Pause)
            | (Reserved, Reserve | Pause | Resume | Return)
            | (FieldWork, _) => return Err(VehicleRefusal::Busy(self.riding)),
        };
        Ok(vec![VehicleEvent::RideStateChanged { from: self.riding, to, by: rider }])
    }

    fn may_be_handed_out(&self) -> Result<(), VehicleRefusal> {
        use AlarmState::{BatteryRemoved, OutOfArea, ReportedLost};
        if self.lifecycle != Lifecycle::Shelved {
            return Err(VehicleRefusal::NotShelved(self.lifecycle));
        }
        let alarm = [ReportedLost, BatteryRemoved, OutOfArea]
            .into_iter()
            .find(|alarm| self.alarms.contains_key(alarm));
        let work = self.operations.iter().next(); // low battery included: below the threshold nobody rides off
        match (alarm, work) {
            (Some(alarm), _) => Err(VehicleRefusal::Blocked(alarm.label().to_owned())),
            (None, Some(work)) => Err(VehicleRefusal::Blocked(work.label().to_owned())),
            (None, None) => Ok(()),
        }
    }

    pub(super) fn start_work(
        &self,
        kind: OperationState,
        worker: String,
    ) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
        use OperationState::{LowBattery, Moving, OffStreet, Repair, Swapping, TowedBack};
        if worker.trim().is_empty() {
            return Err(VehicleRefusal::Nobody);
        }
        match kind {
            Moving | Swapping | Repair => {}
            LowBattery | OffStreet | TowedBack => return Err(VehicleRefusal::NotWork(kind)),
        }
        match self.riding {
            RidingState::Idle => Ok(vec![
                VehicleEvent::RideStateChanged {
                    from: self.riding,
                    to: RidingState::FieldWork,
                    by: worker.clone(),
                },
                VehicleEvent::OpsStateAdded { state: kind, note: worker },
            ]),
            RidingState::FieldWork if self.operations.contains(&kind) => Ok(vec![]),
            busy => Err(VehicleRefusal::Busy(busy)),
        }
    }

    pub(super) fn finish_work(
        &self,
        kind: OperationState,
        worker: String,
    ) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
        if worker.trim().is_empty() {
            return Err(VehicleRefusal::Nobody);
        }
        if self.riding != RidingState::FieldWork || !self.operations.contains(&kind) {
            return Err(VehicleRefusal::WorkNotStarted(kind));
        }
        Ok(vec![
            VehicleEvent::OpsStateRemoved { state: kind, note: worker.clone() },
            VehicleEvent::RideStateChanged { from: self.riding, to: RidingState::Idle, by: worker },
        ])
    }
}
