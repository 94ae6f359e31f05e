//! The batching writer: one task for a process. While a commit is in flight the next appends gather; then they go down
//! together in one statement. An idle writer sends at once.
//!
//! When the connection breaks while a commit is in flight, the same batch is sent again, and what had been applied is
//! recognised: nothing acknowledged is lost, nothing is applied twice. Nobody waits for ever: when its callers have lost
//! patience, a batch is given up, and its deadline sees to it that it is not applied after that.

use std::collections::{HashSet, VecDeque};
use std::slice;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use vocabulary::Timestamp;

use super::limits::{EVENT_BYTES_MAX, META_BYTES_MAX, STREAMS_MAX};
use super::link::{Failed, Link};
use super::{LogError, Tail};
use crate::{Position, StoredForm};

/// An event about to be appended.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// Type, schema version and data, personal data sealed.
    pub form: StoredForm,
    /// JSON, the exact bytes.
    pub meta: String,
    /// When.
    pub recorded_at: Timestamp,
}

/// A claim to take or give back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimChange {
    /// The key.
    pub key: String,
    /// Take or give back.
    pub take: bool,
}

/// The request to remember with an append.
#[derive(Clone, Debug)]
pub struct RequestRecord {
    /// Whose request, such as `operator:7`.
    pub actor: String,
    /// Its name.
    pub id: String,
    /// What was asked.
    pub fingerprint: [u8; 32],
    /// The answer to give again: JSON.
    pub reply: String,
    /// When.
    pub at: Timestamp,
}

/// One append to one stream. Without events it only remembers its request; as a member of a group it then holds its
/// stream to the version that was read.
#[derive(Clone, Debug)]
pub struct Append {
    /// The aggregate's category.
    pub category: &'static str,
    /// The aggregate's id.
    pub stream_id: String,
    /// The stream's version before it.
    pub expected: i64,
    /// What happened; personal data already sealed.
    pub events: Vec<NewEvent>,
    /// At most one change for a key.
    pub claims: Vec<ClaimChange>,
    /// Its name for repeats.
    pub request: Option<RequestRecord>,
}

/// What became of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is in the log.
    Appended {
        /// Of its last event.
        position: Position,
        /// Of the stream after it.
        version: i64,
    },
    /// The stream is at another version.
    Conflict {
        /// That version.
        actual: i64,
    },
    /// Another stream holds a key.
    ClaimTaken {
        /// That key.
        key: String,
    },
    /// The request was done before.
    Repeated {
        /// The stored answer: JSON.
        reply: String,
        /// Where it was done.
        position: Position,
        /// The stream's version after it.
        version: i64,
    },
    /// The request id was used for something else.
    RequestReused,
}

/// How much the writer takes at a time.
#[derive(Clone, Copy, Debug)]
pub struct WriterLimits {
    /// Appends that wait before callers are held back.
    pub queue: usize,
    /// Appends in one batch, members of groups counted each.
    pub batch_appends: usize,
    /// Bytes of events in one batch.
    pub batch_bytes: usize,
    /// How long a caller waits for an answer.
    pub patience: Duration,
    /// How long a commit may take: what comes later is refused by the log, and sent again.
    pub commit: Duration,
}

impl Default for WriterLimits {
    fn default() -> Self {
        Self {
            queue: 4096,
            batch_appends: 512,
            batch_bytes: 4 << 20,
            patience: Duration::from_secs(15),
            commit: Duration::from_secs(10),
        }
    }
}

/// Events in one append and bytes in one reply that the log takes.
const MAX_EVENTS: usize = 1000;
const MAX_BYTES: usize = 1 << 20;
const MAX_NAME: usize = 200;
/// Bytes of all events of one append: far from what a statement of PostgreSQL can hold.
const MAX_APPEND_BYTES: usize = 32 << 20;
/// A batch waits no longer than this for the callers of the last one.
const MOST_WAIT: Duration = Duration::from_micros(500);

struct Job {
    entry: Entry,
    bytes: usize,
    /// So long its caller waits.
    until: Instant,
    answer: oneshot::Sender<Result<Outcome, LogError>>,
}

/// What stands as a whole or not at all.
enum Entry {
    One(Append),
    /// Appends to several streams.
    Group(Vec<Append>),
}

impl Entry {
    fn members(&self) -> &[Append] {
        match self {
            Self::One(append) => slice::from_ref(append),
            Self::Group(members) => members,
        }
    }
}

/// Hands appends to the writer task. Cheap to clone; the task ends when the last clone is gone.
#[derive(Clone)]
pub struct BatchWriter {
    queue: mpsc::Sender<Job>,
    patience: Duration,
}

impl BatchWriter {
    /// Starts the task. `options` lead to the database as the application's role.
    pub fn start(options: PgConnectOptions, limits: WriterLimits, tail: Tail) -> Self {
        let (queue, jobs) = mpsc::channel(limits.queue);
        // Of the connection and not of the function: there they would be set anew at each call.
        let options = options.options([
            ("plan_cache_mode", "force_generic_plan"),
            ("enable_seqscan", "off"),
            ("jit", "off"),
        ]);
        let link = Link::new(options, limits.commit);
        let task = Task {
            jobs,
            deferred: VecDeque::new(),
            link,
            limits,
            tail,
            last_appends: 0,
            last_commit: Duration::ZERO,
        };
        tokio::spawn(task.run());
        Self { queue, patience: limits.patience }
    }

    /// Appends, or says why not.
    pub async fn append(&self, append: Append) -> Result<Outcome, LogError> {
        self.enter(Entry::One(append)).await
    }

    /// Appends to several streams, all or none, and remembers the request with the last of them. A member without events
    /// holds its stream to the version that it expects. A key that one member gives back another may take. Appended
    /// means the position of the last event and the version of its stream; of a conflict it is not told where.
    pub async fn append_group(
        &self,
        mut members: Vec<Append>,
        request: Option<RequestRecord>,
    ) -> Result<Outcome, LogError> {
        if members.iter().any(|member| member.request.is_some()) {
            return Err(LogError::Invalid("a group has one request"));
        }
        let last = members.iter_mut().rfind(|member| !member.events.is_empty());
        last.ok_or(LogError::Invalid("a group has events"))?.request = request;
        self.enter(Entry::Group(members)).await
    }

    async fn enter(&self, entry: Entry) -> Result<Outcome, LogError> {
        check(entry.members())?;
        let bytes = entry.members().iter().map(bytes_of).sum();
        let deadline = Instant::now() + self.patience;
        let (answer, outcome) = oneshot::channel();
        tokio::time::timeout_at(deadline, self.queue.send(Job { entry, bytes, until: deadline, answer }))
            .await
            .map_err(|_| LogError::Unavailable)?
            .map_err(|_| LogError::Closed)?;
        tokio::time::timeout_at(deadline, outcome)
            .await
            .map_err(|_| LogError::Unavailable)?
            .map_err(|_| LogError::Closed)?
    }
}

fn bytes_of(append: &Append) -> usize {
    append.events.iter().map(|event| event.form.data.len() + event.meta.len() + 200).sum()
}

/// What PostgreSQL would refuse is refused here, so that it cannot fail its neighbours.
fn check(members: &[Append]) -> Result<(), LogError> {
    members.iter().try_for_each(check_one)?;
    if members.iter().map(|member| member.events.len()).sum::<usize>() > MAX_EVENTS {
        return Err(LogError::Invalid("an append has at most 1000 events"));
    }
    if members.iter().map(bytes_of).sum::<usize>() > MAX_APPEND_BYTES {
        return Err(LogError::Invalid("an append has at most 32 MiB"));
    }
    if members.len() > STREAMS_MAX {
        return Err(LogError::Invalid("an append has at most 1000 streams"));
    }
    if let [append] = members {
        let mut keys = HashSet::new();
        if !append.claims.iter().all(|claim| keys.insert(&claim.key)) {
            return Err(LogError::Invalid("an append changes a key once"));
        }
        return Ok(());
    }
    let (mut streams, mut changes) = (HashSet::new(), HashSet::new());
    if !members.iter().all(|member| streams.insert((member.category, &member.stream_id))) {
        return Err(LogError::Invalid("a group appends to a stream once"));
    }
    let mut claims = members.iter().flat_map(|member| &member.claims);
    if !claims.all(|claim| changes.insert((&claim.key, claim.take))) {
        return Err(LogError::Invalid("a group takes a key once and gives it back once"));
    }
    Ok(())
}

fn check_one(append: &Append) -> Result<(), LogError> {
    let name = |text: &str| !text.is_empty() && text.len() <= MAX_NAME && !text.contains('\0');
    if !name(append.category) || !name(&append.stream_id) {
        return Err(LogError::Invalid("a stream's name has 1 to 200 bytes"));
    }
    if !append.claims.iter().all(|claim| name(&claim.key)) {
        return Err(LogError::Invalid("a claim's key has 1 to 200 bytes"));
    }
    if let Some(request) = &append.request
        && !(name(&request.actor)
            && name(&request.id)
            && request.reply.len() <= MAX_BYTES
            && !request.reply.contains('\0'))
    {
        return Err(LogError::Invalid("a request id has 1 to 200 bytes"));
    }
    for event in &append.events {
        if !name(&event.form.stored_type) {
            return Err(LogError::Invalid("an event's type has 1 to 200 bytes"));
        }
        if event.meta.len() > META_BYTES_MAX || event.form.data.len() + event.meta.len() > EVENT_BYTES_MAX {
            return Err(LogError::Invalid("an event has at most 900 KiB, its meta at most 16 KiB"));
        }
        if std::str::from_utf8(&event.form.data).is_err()
            || event.form.data.contains(&0)
            || event.meta.contains('\0')
        {
            return Err(LogError::Invalid("an event is text"));
        }
    }
    Ok(())
}

struct Task {
    jobs: mpsc::Receiver<Job>,
    /// Touch what a job before them touches; they go with a later batch, in order.
    deferred: VecDeque<Job>,
    link: Link,
    limits: WriterLimits,
    tail: Tail,
    /// Appends of the last batch.
    last_appends: usize,
    /// How long its commit took.
    last_commit: Duration,
}

impl Task {
    async fn run(mut self) {
        loop {
            let first = match self.deferred.pop_front() {
                Some(job) => job,
                None => match self.jobs.recv().await {
                    Some(job) => job,
                    None => return,
                },
            };
            self.wait_for_company().await;
            let batch = self.gather(first);
            self.commit(batch).await;
        }
    }

    /// Callers that were just answered come back at once: a batch that leaves without them makes them wait for a whole
    /// commit. So after a batch of several the next one waits a moment for as many. One who is alone waits for nobody.
    async fn wait_for_company(&self) {
        if self.last_appends <= 1 {
            return;
        }
        let until = Instant::now() + (self.last_commit / 4).min(MOST_WAIT);
        while 1 + self.deferred.len() + self.jobs.len() < self.last_appends && Instant::now() < until {
            tokio::task::yield_now().await;
        }
    }

    /// What may go down together: no two of them touch the same stream, claim key or request.
    fn gather(&mut self, first: Job) -> Vec<Job> {
        if self.deferred.is_empty() && self.jobs.is_empty() && !first.answer.is_closed() {
            return vec![first];
        }
        let mut touched = Touched::default();
        let mut batch = Vec::new();
        let (mut appends, mut bytes) = (0, 0);
        let mut waiting: VecDeque<Job> = std::mem::take(&mut self.deferred);
        let mut next = Some(first);
        while let Some(job) = next.take() {
            if !job.answer.is_closed() {
                if touched.admits(job.entry.members()) {
                    appends += job.entry.members().len();
                    bytes += job.bytes;
                    batch.push(job);
                } else {
                    self.deferred.push_back(job);
                }
            }
            if appends >= self.limits.batch_appends
                || bytes >= self.limits.batch_bytes
                || self.deferred.len() >= self.limits.batch_appends
            {
                break;
            }
            next = waiting.pop_front().or_else(|| self.jobs.try_recv().ok());
        }
        self.deferred.append(&mut waiting);
        batch
    }

    async fn commit(&mut self, batch: Vec<Job>) {
        if batch.is_empty() {
            return;
        }
        metrics::histogram!("wheelhouse_log_batch_appends").record(batch.len() as f64);
        let started = Instant::now();
        let entries: Vec<&[Append]> = batch.iter().map(|job| job.entry.members()).collect();
        let until = batch.iter().map(|job| job.until).max().expect("a batch has a job");
        let mut in_doubt = false;
        match self.link.apply(&entries, until, &mut in_doubt).await {
            Ok(outcomes) => {
                (self.last_appends, self.last_commit) = (batch.len(), started.elapsed());
                metrics::histogram!("wheelhouse_log_commit_seconds").record(self.last_commit.as_secs_f64());
                for (job, outcome) in batch.into_iter().zip(outcomes) {
                    self.tell(job, Ok(outcome));
                }
            }
            // PostgreSQL refused them together. Alone, each is judged for itself, and what was in doubt still is.
            Err(Failed::Refused(_)) if batch.len() > 1 => {
                for job in batch {
                    let mut in_doubt = in_doubt;
                    let outcome = self.link.apply(&[job.entry.members()], job.until, &mut in_doubt).await;
                    self.tell(job, outcome.map(|mut outcomes| outcomes.remove(0)).map_err(LogError::from));
                }
            }
            Err(failed) => {
                let mut failed = Some(failed);
                for job in batch {
                    self.tell(job, Err(failed.take().map_or(LogError::Unavailable, LogError::from)));
                }
            }
        }
    }

    fn tell(&self, job: Job, outcome: Result<Outcome, LogError>) {
        if let Ok(Outcome::Appended { position, .. }) = &outcome {
            self.tail.reached(*position);
            let events: usize = job.entry.members().iter().map(|member| member.events.len()).sum();
            metrics::counter!("wheelhouse_log_events_total").increment(events as u64);
        }
        // A caller that went away does not want to know.
        let _ = job.answer.send(outcome);
    }
}

/// What the jobs of a batch touch, and those that were put off.
#[derive(Default)]
struct Touched {
    streams: HashSet<(&'static str, String)>,
    keys: HashSet<String>,
    requests: HashSet<(String, String)>,
}

impl Touched {
    /// Whether `members` touch nothing that was touched before; what they touch is touched from now on.
    fn admits(&mut self, members: &[Append]) -> bool {
        let mut free = true;
        // A key that one member gives back and another takes stands in nobody's way.
        let mut own = HashSet::new();
        for append in members {
            free &= self.streams.insert((append.category, append.stream_id.clone()));
            for claim in &append.claims {
                free &= !own.insert(&claim.key) || self.keys.insert(claim.key.clone());
            }
            if let Some(request) = &append.request {
                free &= self.requests.insert((request.actor.clone(), request.id.clone()));
            }
        }
        free
    }
}
