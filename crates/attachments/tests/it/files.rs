use std::path::{Path, PathBuf};
use std::sync::Arc;

use attachments::{Attachments, OF_SUBJECT_MAX, Origin, Store, claim_of, of_case};
use axum::body::to_bytes;
use bytes::Bytes;
use image::{GenericImageView, ImageFormat};
use kernel::{
    Aggregate, Claim, CommandContext, Decision, Foundation, MIGRATIONS, MasterKey, PoolSizes, Pools, Runtime,
    events, refusals,
};
use sqlx::AssertSqlSafe;
use testkit::local::Place;
use testkit::{Services, TestDatabase};
use vocabulary::{
    AgentId, AreaId, AttachmentId, Clock, DataOwner, FixedClock, Reach, Scope, Snowflake, SystemClock,
    Timestamp,
};
use wire::Refused;

use crate::photos::{CAMERA, file, halves, phone_photo};

const SIZES: PoolSizes = PoolSizes { owner: 2, app: 4, projector: 4, feed: 2 };
const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);
const HOUR_MS: i64 = 3_600_000;
const OWNER: DataOwner = DataOwner::of_area(AgentId(2), AreaId(20));

/// A case that holds one file.
#[derive(Clone, Debug, Default)]
struct Case;

events! {
    enum CaseEvent {
        Opened { file: AttachmentId } = "case.opened",
    }
}

refusals! {
    enum CaseRefusal {
        Taken = "taken": ("已被使用"),
    }
}

impl Aggregate for Case {
    const CATEGORY: &'static str = "case";
    type Id = i64;
    type Command = AttachmentId;
    type Event = CaseEvent;
    type Refusal = CaseRefusal;

    fn decide(&self, file: AttachmentId, _: Timestamp) -> Decision<Self> {
        Ok(vec![CaseEvent::Opened { file }])
    }

    fn evolve(&mut self, _: &CaseEvent) {}

    fn owner(&self) -> DataOwner {
        OWNER
    }

    fn claims(&self, CaseEvent::Opened { file }: &CaseEvent) -> Vec<Claim<CaseRefusal>> {
        vec![Claim::Take { key: claim_of(*file), refusal: CaseRefusal::Taken }]
    }
}

/// A system with a folder of files and a clock of its own.
struct Standing {
    runtime: Runtime,
    clock: Arc<FixedClock>,
    files: Attachments,
    folder: PathBuf,
    _place: Place,
    _database: TestDatabase,
    _services: Services,
}

async fn standing() -> Standing {
    let services = Services::start().await;
    let database = services.migrated(&MIGRATIONS).await;
    let pools = Pools::connect(&database.url, SIZES).await.unwrap();
    let clock = Arc::new(FixedClock::at(NOW));
    let ids = Arc::new(Snowflake::new(SystemClock, 1));
    let told: Arc<dyn Clock> = Arc::<FixedClock>::clone(&clock);
    let runtime = Runtime::open(Foundation::new(pools, MasterKey::new([7; 32]), told, ids)).await.unwrap();
    let place = Place::throw_away().unwrap();
    let folder = place.path().join("files");
    let files = Attachments::new(runtime.clone(), Store::folder(&folder).unwrap());
    Standing { runtime, clock, files, folder, _place: place, _database: database, _services: services }
}

fn rider(pin: &str) -> Origin {
    Origin { subject: format!("rider:{pin}"), uploader: "machine:7".to_owned() }
}

fn png(width: u32) -> Bytes {
    file(&halves(width, 20), ImageFormat::Png).into()
}

impl Standing {
    async fn received(&self, pin: &str, content: impl Into<Bytes>) -> AttachmentId {
        self.files.receive(&rider(pin), content.into()).await.unwrap().id
    }

    /// A case takes the file.
    async fn case(&self, number: i64, file: AttachmentId) {
        self.files.belong(&[file], OWNER).await.unwrap();
        let ctx = CommandContext::of_system("test", NOW);
        self.runtime.desk.execute::<Case>(&number, file, &ctx).await.unwrap();
    }

    async fn shown(&self, scope: &Scope, file: AttachmentId) -> Result<Vec<u8>, Refused> {
        let db = self.runtime.reads.scoped(scope, None, &[]).await.unwrap();
        let response = self.files.show(db, file).await?;
        Ok(to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec())
    }

    fn stored(&self) -> usize {
        fn within(folder: &Path) -> usize {
            let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            entries.map(|path| if path.is_dir() { within(&path) } else { 1 }).sum()
        }
        within(&self.folder)
    }
}

fn code(refused: Refused) -> String {
    match refused {
        Refused::Business { code, .. } => code.into_owned(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_photo_tells_is_kept_beside_it_and_not_shown() {
    let standing = standing().await;
    let file = standing.received("7", phone_photo()).await;
    standing.case(1, file).await;
    let mut db = standing.runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
    let [attached] = <[_; 1]>::try_from(of_case(&mut db, &[file]).await.unwrap()).unwrap();
    drop(db);
    assert_eq!((attached.lat, attached.lng), (Some(24.5), Some(118.1)));
    assert_eq!(attached.taken_at, Some(1_790_000_000_000), "without an offset it is Shanghai's time");

    let shown = standing.shown(&Scope::ALL, file).await.unwrap();
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds(&phone_photo(), CAMERA) && holds(&phone_photo(), "Exif"));
    assert!(!holds(&shown, CAMERA) && !holds(&shown, "Exif"));
    // Held on its side: what was left is above.
    let picture = image::load_from_memory_with_format(&shown, ImageFormat::Jpeg).unwrap();
    assert_eq!(picture.dimensions(), (300, 400));
    let (above, below) = (picture.get_pixel(150, 20).0, picture.get_pixel(150, 380).0);
    assert!(above[0] > 150 && above[2] < 100, "{above:?}");
    assert!(below[2] > 150 && below[0] < 100, "{below:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_photos_and_documents_come_in() {
    let standing = standing().await;
    for (content, refusal) in [
        (Bytes::from_static(b"<html><script>alert(1)</script></html>"), "attachment-kind"),
        (Bytes::from_static(b"GIF89a\x01\0\x01\0"), "attachment-kind"),
        (Bytes::from_static(b"\xff\xd8\xff\xe0 no picture at all"), "attachment-picture"),
    ] {
        let refused = standing.files.receive(&rider("7"), content).await.unwrap_err();
        assert_eq!(code(refused), refusal);
    }
    let huge = vec![0; attachments::FILE_MAX_BYTES + 1];
    assert!(matches!(standing.files.receive(&rider("7"), huge.into()).await, Err(Refused::TooLarge)));
    assert!(standing.files.receive(&rider("7"), Bytes::new()).await.is_err());
    assert_eq!(standing.stored(), 0, "nothing of them is kept");

    let pdf = b"%PDF-1.7\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF";
    let file = standing.received("7", pdf.as_slice()).await;
    standing.case(1, file).await;
    assert_eq!(standing.shown(&Scope::ALL, file).await.unwrap(), pdf);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_seen_by_whom_its_case_belongs_to() {
    let standing = standing().await;
    let file = standing.received("7", png(30)).await;
    let agent = |id| Scope::of(Reach::only([AgentId(id)]), Reach::All);
    let area = |id| Scope::of(Reach::only([AgentId(2)]), Reach::only([AreaId(id)]));
    assert!(standing.shown(&agent(2), file).await.is_err(), "it has no case yet");
    standing.case(1, file).await;
    for scope in [Scope::ALL, agent(2), area(20)] {
        assert!(standing.shown(&scope, file).await.is_ok(), "{scope:?}");
    }
    for scope in [agent(3), area(21), Scope::NONE] {
        assert_eq!(code(standing.shown(&scope, file).await.unwrap_err()), "not-found", "{scope:?}");
    }
    // What a case holds goes to no other owner.
    standing.files.belong(&[file], DataOwner::of_area(AgentId(3), AreaId(30))).await.unwrap();
    assert!(standing.shown(&agent(3), file).await.is_err() && standing.shown(&agent(2), file).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_case_takes_files_of_its_own_person_and_program_alone_while_they_are_fresh() {
    let standing = standing().await;
    let (one, two) = (standing.received("7", png(30)).await, standing.received("7", png(31)).await);
    assert_eq!(standing.received("7", png(30)).await, one, "the same again is the same");
    assert_ne!(standing.received("8", png(30)).await, one, "another's is another");
    let known = standing.files.received(&rider("7"), &[two, one]).await.unwrap();
    assert_eq!(known.iter().map(|file| file.id).collect::<Vec<_>>(), [two, one]);
    let other_program = Origin { uploader: "machine:8".to_owned(), ..rider("7") };
    for origin in [rider("8"), other_program] {
        assert_eq!(
            code(standing.files.received(&origin, &[one]).await.unwrap_err()),
            "attachment-unknown",
            "{origin:?}"
        );
    }
    standing.clock.advance(23 * HOUR_MS + 1);
    assert!(standing.files.received(&rider("7"), &[one]).await.is_err(), "nearly time to delete it");
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_brings_so_many_files_a_day() {
    let standing = standing().await;
    for width in 0..OF_SUBJECT_MAX as u32 {
        standing.received("7", png(30 + width)).await;
    }
    let refused = standing.files.receive(&rider("7"), png(300)).await.unwrap_err();
    assert_eq!(code(refused), "attachment-too-many");
    standing.received("8", png(300)).await;
    standing.clock.advance(24 * HOUR_MS);
    standing.received("7", png(300)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_case_holds_after_a_day_is_deleted() {
    let standing = standing().await;
    let (loose, held) = (standing.received("7", png(30)).await, standing.received("7", png(31)).await);
    standing.case(1, held).await;
    assert_eq!(standing.stored(), 4, "each as it came and as it is shown");
    assert_eq!(standing.files.prune(NOW.plus_millis(24 * HOUR_MS)).await.unwrap(), 0);
    let later = NOW.plus_millis(24 * HOUR_MS + 1);
    for deleted in [1, 0] {
        assert_eq!(standing.files.prune(later).await.unwrap(), deleted);
    }
    assert_eq!(standing.stored(), 2);
    assert!(standing.shown(&Scope::ALL, held).await.is_ok());
    assert!(standing.shown(&Scope::ALL, loose).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_forgotten_leaves_no_file() {
    let standing = standing().await;
    let (mine, other) = (standing.received("7", png(30)).await, standing.received("8", png(30)).await);
    standing.case(1, mine).await;
    standing.case(2, other).await;
    assert_eq!(standing.files.forget("rider:7").await.unwrap(), 1);
    assert!(standing.shown(&Scope::ALL, mine).await.is_err());
    assert!(standing.shown(&Scope::ALL, other).await.is_ok());
    assert_eq!(standing.stored(), 2);

    // A process that died amid the forgetting, or a file that came at the same moment: pruning finds it.
    let forgotten =
        "insert into log.personal_keys (subject, sealed_key, forgotten_at) values ('rider:8', null, now())";
    sqlx::raw_sql(AssertSqlSafe(forgotten.to_owned())).execute(&standing.runtime.pools.owner).await.unwrap();
    let refused = standing.files.receive(&rider("8"), png(40)).await.unwrap_err();
    assert_eq!(code(refused), "attachment-forgotten");
    assert_eq!(standing.files.prune(NOW).await.unwrap(), 1);
    assert_eq!(standing.stored(), 0);
}
