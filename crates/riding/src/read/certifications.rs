//! Table `certification`.

use attachments::{Attached, HoldsPhotos, in_order};
use kernel::{After, Fold, List, Personal, Recorded, Sort, row};
use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{
    AgentId, AreaId, AttachmentId, CertificationId, DataOwner, Phone, RiderId, Scope, Timestamp,
};

use super::riders::masked_name;
use crate::model::certification::{CareerKind, Certification, CertificationEvent};
use crate::model::review::{CaseState, PHOTOS_KEPT_MS};

/// The ways to sort the list.
pub const SORTS: [Sort; 1] = [Sort { name: "createdAt", column: "c.created_at_ms" }];

row! {
    /// A certification as the queue shows it; name, phone and number are masked.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct CertificationRow {
        /// Its id, as text.
        pub id: CertificationId = "certification_id",
        /// The rider's id, as text.
        pub user_id: RiderId = "rider_id",
        /// Whose rider he is.
        pub agent_id: AgentId,
        /// The service area where he registered.
        pub op_area_id: AreaId = "area_id",
        /// That area's name.
        pub area_name: Option<String> as default,
        /// 认证类型.
        pub kind: CareerKind,
        /// 审核状态.
        pub state: CaseState,
        #[serde(skip)]
        pub phone: String,
        /// 手机号, masked; empty once he was forgotten.
        pub phone_masked: String,
        #[serde(skip)]
        pub name: String,
        /// 姓名, masked.
        pub name_masked: String,
        /// 学校/单位.
        pub organisation: String,
        /// 证件编号, masked.
        pub cert_no_masked: String,
        #[serde(skip)]
        pub photo_ids: Vec<AttachmentId>,
        /// 证件照, its front first; none once they were deleted, 30 days after the decision.
        pub photos: Vec<Attached> as skip,
        /// Whether they were deleted.
        pub photos_gone: bool,
        /// 审核人.
        pub reviewer: String,
        /// 驳回原因.
        pub reason: String,
        /// 有效期至, epoch milliseconds.
        pub valid_until: Option<i64> = "valid_until_ms",
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

/// A number as lists show it: its last four letters.
pub(crate) fn masked_number(number: &str) -> String {
    let letters: Vec<char> = number.chars().collect();
    let shown = if letters.len() > 6 { 4 } else { letters.len() / 3 };
    format!("****{}", letters[letters.len() - shown..].iter().collect::<String>())
}

impl CertificationRow {
    fn closed(&mut self, state: CaseState, by: Option<&Personal<String>>, at: Timestamp) {
        self.state = state;
        self.reviewer = by.and_then(Personal::known).cloned().unwrap_or_default();
        self.deal_at = Some(at.millis());
    }
}

impl HoldsPhotos for CertificationRow {
    fn photo_ids(&self) -> &[AttachmentId] {
        &self.photo_ids
    }

    fn show_photos(&mut self, found: &[Attached]) {
        self.photos = in_order(&self.photo_ids, found);
    }
}

impl Fold for CertificationRow {
    type Of = Certification;
    const TABLE: &'static str = "certification";
    const KEY: &'static str = "certification_id";

    fn fold(row: Option<Self>, event: CertificationEvent, recorded: &Recorded) -> After<Self> {
        let mut row = recorded.begin(row)?;
        match event {
            CertificationEvent::Submitted { application, bearer, at } => {
                row.id = application.certification_id;
                row.user_id = application.rider_id;
                row.agent_id = application.agent_id;
                row.op_area_id = application.area_id;
                row.kind = application.kind;
                row.photo_ids = application.photos.iter().map(|photo| photo.id).collect();
                if let Some(bearer) = bearer.known() {
                    row.phone = bearer.phone.to_string();
                    row.phone_masked = Phone::masked(&bearer.phone);
                    row.name.clone_from(&bearer.name);
                    row.name_masked = masked_name(&bearer.name);
                    row.organisation.clone_from(&bearer.organisation);
                    row.cert_no_masked = masked_number(&bearer.cert_no);
                }
                row.created_at = at.millis();
            }
            CertificationEvent::Passed { until, by, at } => {
                row.closed(CaseState::Passed, Some(&by), at);
                row.valid_until = Some(until.millis());
            }
            CertificationEvent::Failed { reason, by, at } => {
                row.closed(CaseState::Failed, Some(&by), at);
                row.reason = reason;
            }
            CertificationEvent::Cancelled { at } => row.closed(CaseState::Cancelled, None, at),
            CertificationEvent::PhotosDropped { .. } => {
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

/// Certifications in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "c.certification_id, c.rider_id, c.agent_id, c.area_id, a.name as area_name, c.kind, c.state, c.phone, c.phone_masked,
         c.name, c.name_masked, c.organisation, c.cert_no_masked, c.photo_ids, c.photos_gone, c.reviewer, c.reason,
         c.valid_until_ms, c.deal_at_ms, c.created_at_ms, c.updated_at_ms, c.version",
        "read.certification c left join read.area a on a.area_id = c.area_id",
        "c.created_at_ms desc, c.certification_id desc",
    )
    .found_in("read.certification c", "c.certification_id")
    .of_agents("c.agent_id", scope)
    .of_areas("c.area_id", scope)
}

/// Whether a certification in scope has the photo.
pub async fn has_photo(
    db: impl PgExecutor<'_>,
    of: CertificationId,
    photo: AttachmentId,
) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from read.certification where certification_id = $1 and $2 = any(photo_ids))",
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
) -> sqlx::Result<Vec<CertificationId>> {
    sqlx::query_scalar(
        "select certification_id from read.certification where not photos_gone and deal_at_ms <= $1
         order by deal_at_ms limit $2",
    )
    .bind(now.millis() - PHOTOS_KEPT_MS)
    .bind(most)
    .fetch_all(db)
    .await
}

#[cfg(test)]
mod tests {
    use super::masked_number;

    #[test]
    fn of_a_number_its_end_alone_is_shown() {
        for (number, shown) in
            [("20260001234", "****1234"), ("123456", "****56"), ("7", "****"), ("", "****")]
        {
            assert_eq!(masked_number(number), shown, "{number}");
        }
    }
}
