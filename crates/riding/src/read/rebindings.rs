//! Table `rebinding`.

use attachments::{Attached, HoldsPhotos, in_order};
use kernel::{After, Fold, List, Personal, Recorded, Sort, row};
use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, AttachmentId, DataOwner, Phone, RebindingId, RiderId, Scope, Timestamp};

use super::riders::{masked_id_no, masked_name};
use crate::model::rebinding::{Rebinding, RebindingEvent, RebindingKind, Wish};
use crate::model::review::{CaseState, PHOTOS_KEPT_MS};

/// The ways to sort the list.
pub const SORTS: [Sort; 1] = [Sort { name: "createdAt", column: "b.created_at_ms" }];

row! {
    /// A rebinding as the queue shows it; names, phones and numbers are masked.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct RebindingRow {
        /// Its id, as text.
        pub id: RebindingId = "rebinding_id",
        /// The rider's id, as text.
        pub user_id: RiderId = "rider_id",
        /// Whose rider he is.
        pub agent_id: AgentId,
        /// The service area where he registered.
        pub op_area_id: AreaId = "area_id",
        /// That area's name.
        pub area_name: Option<String> as default,
        /// 换绑类型.
        pub kind: RebindingKind,
        /// 审核状态.
        pub state: CaseState,
        #[serde(skip)]
        pub phone: String,
        /// 原手机号, masked; empty once he was forgotten.
        pub phone_masked: String,
        #[serde(skip)]
        pub name: String,
        /// 原姓名, masked.
        pub name_masked: String,
        /// 原身份证号, masked.
        pub id_no_masked: String,
        #[serde(skip)]
        pub wanted_phone: String,
        /// 申请手机号, masked; empty where it is not about the phone.
        pub wanted_phone_masked: String,
        /// 申请姓名, masked; empty where it is not about who he is.
        pub wanted_name_masked: String,
        /// 申请身份证号, masked.
        pub wanted_id_no_masked: String,
        #[serde(skip)]
        pub photo_ids: Vec<AttachmentId>,
        /// 证件照; none once they were deleted, 30 days after the decision.
        pub photos: Vec<Attached> as skip,
        /// Whether they were deleted.
        pub photos_gone: bool,
        /// 审核人.
        pub reviewer: String,
        /// 驳回原因.
        pub reason: String,
        /// 审核时间, epoch milliseconds.
        pub deal_at: Option<i64> = "deal_at_ms",
        /// 提交时间, epoch milliseconds.
        pub created_at: i64 = "created_at_ms",
        /// Epoch milliseconds.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a decision.
        pub version: i64,
    }
}

impl RebindingRow {
    fn closed(&mut self, state: CaseState, by: Option<&Personal<String>>, at: Timestamp) {
        self.state = state;
        self.reviewer = by.and_then(Personal::known).cloned().unwrap_or_default();
        self.deal_at = Some(at.millis());
    }
}

impl HoldsPhotos for RebindingRow {
    fn photo_ids(&self) -> &[AttachmentId] {
        &self.photo_ids
    }

    fn show_photos(&mut self, found: &[Attached]) {
        self.photos = in_order(&self.photo_ids, found);
    }
}

impl Fold for RebindingRow {
    type Of = Rebinding;
    const TABLE: &'static str = "rebinding";
    const KEY: &'static str = "rebinding_id";

    fn fold(row: Option<Self>, event: RebindingEvent, recorded: &Recorded) -> After<Self> {
        let mut row = recorded.begin(row)?;
        match event {
            RebindingEvent::Submitted { request, claimant, at } => {
                row.id = request.rebinding_id;
                row.user_id = request.rider_id;
                row.agent_id = request.agent_id;
                row.op_area_id = request.area_id;
                row.kind = request.kind;
                row.photo_ids = request.photos.iter().map(|photo| photo.id).collect();
                if let Some(claimant) = claimant.known() {
                    row.phone = claimant.phone.to_string();
                    row.phone_masked = Phone::masked(&claimant.phone);
                    row.name.clone_from(&claimant.identity.name);
                    row.name_masked = masked_name(&claimant.identity.name);
                    row.id_no_masked = masked_id_no(&claimant.identity.id_no);
                    match &claimant.wish {
                        Wish::Phone(phone) => {
                            row.wanted_phone = phone.to_string();
                            row.wanted_phone_masked = Phone::masked(phone);
                        }
                        Wish::Identity(identity) => {
                            row.wanted_name_masked = masked_name(&identity.name);
                            row.wanted_id_no_masked = masked_id_no(&identity.id_no);
                        }
                    }
                }
                row.created_at = at.millis();
            }
            RebindingEvent::Passed { by, at } => row.closed(CaseState::Passed, Some(&by), at),
            RebindingEvent::Failed { reason, by, at } => {
                row.closed(CaseState::Failed, Some(&by), at);
                row.reason = reason;
            }
            RebindingEvent::Cancelled { at } => row.closed(CaseState::Cancelled, None, at),
            RebindingEvent::PhotosDropped { .. } => {
                row.photos_gone = true;
                row.photo_ids.clear();
            }
        }
        row.updated_at = recorded.recorded_at.millis();
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.op_area_id)
    }
}

/// Rebindings in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "b.rebinding_id, b.rider_id, b.agent_id, b.area_id, a.name as area_name, b.kind, b.state, b.phone, b.phone_masked,
         b.name, b.name_masked, b.id_no_masked, b.wanted_phone, b.wanted_phone_masked, b.wanted_name_masked,
         b.wanted_id_no_masked, b.photo_ids, b.photos_gone, b.reviewer, b.reason, b.deal_at_ms, b.created_at_ms,
         b.updated_at_ms, b.version",
        "read.rebinding b left join read.area a on a.area_id = b.area_id",
        "b.created_at_ms desc, b.rebinding_id desc",
    )
    .of_agents("b.agent_id", scope)
    .of_areas("b.area_id", scope)
}

/// Whether a rebinding in scope has the photo.
pub async fn has_photo(db: impl PgExecutor<'_>, of: RebindingId, photo: AttachmentId) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from read.rebinding where rebinding_id = $1 and $2 = any(photo_ids))",
    )
    .bind(of)
    .bind(photo)
    .fetch_one(db)
    .await
}

/// Those whose photos are to be deleted at `now`, at most `most`.
pub async fn photos_due(
    db: impl PgExecutor<'_>,
    now: Timestamp,
    most: i64,
) -> sqlx::Result<Vec<RebindingId>> {
    sqlx::query_scalar(
        "select rebinding_id from read.rebinding where not photos_gone and deal_at_ms <= $1
         order by deal_at_ms limit $2",
    )
    .bind(now.millis() - PHOTOS_KEPT_MS)
    .bind(most)
    .fetch_all(db)
    .await
}
