//! The values that every context speaks: money, phones, ids, coordinates, pages, permission codes, time, territory.
//! Parsed once at the edge; whoever holds one of these need not check it again. Knows no context of the system.
#![deny(missing_docs)]

mod cars;
pub mod choice;
mod clock;
mod data_owner;
mod day;
mod geo;
mod id;
mod money;
mod page;
mod permission;
mod phone;
pub mod text;
pub mod versions;

pub use cars::{CarRange, CarView, Cars};
pub use choice::{Choice, NotAChoice};
pub use clock::{Clock, FixedClock, SystemClock, Timestamp};
pub use data_owner::{DataOwner, Reach, Scope};
pub use day::{Day, HOURS};
pub use geo::{Bd09, Datum, Gcj02, NotACoordinate, Wgs84, distance_m};
pub use id::{
    AgentId, AgentRoleId, AlarmTicketId, ApprovalId, AreaId, AttachmentId, BankCardId, BlacklistEntryId,
    CardHoldingId, CardProductId, CertificationId, CommandId, FenceBatchId, FenceId, FirmwareId,
    FranchiseeId, IdSource, MachineId, MapViewId, MispricingId, MissId, OperatorDeviceId, OperatorId,
    ParkApplicationId, PaymentAccountId, PaymentId, RebindingId, ReturnReviewId, RideOrderId, RiderId,
    RoleId, ShiftNoteId, Snowflake, VoltageSchemeId,
};
pub use money::{Cents, NotAnAmount};
pub use page::{COUNT_CAP, Page, Rows};
pub use permission::{NotAPermissionCode, PermissionCode};
pub use phone::{NotAPhone, Phone};
