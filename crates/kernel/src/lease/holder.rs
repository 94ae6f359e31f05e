//! The task that holds the leases of a process: says that it is there, gives back, renews and takes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::sharing::{Node, Plan, Seen, Standing};
use super::{PATIENCE, TERM, Wish, Wishes};

/// Between two renewals.
const BEAT: Duration = Duration::from_secs(2);
/// Without an answer the next round begins after this.
const PAUSE: Duration = Duration::from_millis(500);
/// Between two looks while leases change hands: so long, and what the leader needs to come to an end, nobody leads.
const HAND_OVER: Duration = Duration::from_millis(200);
/// Who had to take what another let lie gives nothing back for so long.
const MISTRUST: Duration = Duration::from_mins(1);

pub(super) struct Holder {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    node: Arc<str>,
    wishes: Arc<Wishes>,
    /// Its row says that it is there.
    is_there: bool,
    /// Until then nothing is given back.
    mistrusts_until: Instant,
}

impl Holder {
    pub(super) fn new(options: PgConnectOptions, node: Arc<str>, wishes: Arc<Wishes>) -> Self {
        Self { options, connection: None, node, wishes, is_there: false, mistrusts_until: Instant::now() }
    }

    pub(super) async fn run(mut self, stop: CancellationToken) {
        let mut next = Instant::now();
        loop {
            tokio::select! {
                () = self.wishes.changed.notified() => {}
                () = tokio::time::sleep_until(next) => {}
                () = stop.cancelled(), if !stop.is_cancelled() => {}
            }
            let stopped = stop.is_cancelled();
            next = Instant::now()
                + match tokio::time::timeout(PATIENCE, self.round(stopped)).await {
                    Ok(Ok(pause)) => pause,
                    Ok(Err(error)) => self.cut_off(&error.to_string()),
                    Err(_) => self.cut_off("no answer"),
                };
            let wishes = self.wishes.all();
            wishes.iter().for_each(|wish| wish.lapse());
            if stopped && wishes.iter().all(|wish| wish.token().is_none()) {
                return;
            }
        }
    }

    /// What is held goes on to its end, and a new connection may renew it before.
    fn cut_off(&mut self, why: &str) -> Duration {
        self.connection = None;
        tracing::warn!(why, "leases cannot be renewed");
        PAUSE
    }

    /// Says that it is there, gives back, renews and takes; says when to look again.
    async fn round(&mut self, stopped: bool) -> sqlx::Result<Duration> {
        let (dropped, wanted) = self.look(stopped);
        if dropped.is_empty() && wanted.is_empty() && !self.is_there {
            return Ok(BEAT);
        }
        let mut db = match self.connection.take() {
            Some(connection) => connection,
            None => self.options.connect().await?,
        };
        // Before anything is given back: others reckon with what this process wants from then on.
        let shared = wanted.values().filter(|wish| wish.shared && !stopped);
        self.appear(&mut db, shared.map(|wish| wish.name.as_str()).collect()).await?;
        if !dropped.is_empty() {
            self.give_back(&mut db, &dropped).await?;
        }
        let (seen, ends) = see(&mut db).await?;
        let plan = seen.plan(&self.node);
        self.spare(&wanted, &plan);
        let asked = wanted.into_iter().filter(|(name, wish)| {
            let own = wish.token().is_some() || !wish.shared;
            own || plan.take.contains(name) || plan.neglected.contains(name)
        });
        let asked: BTreeMap<String, Arc<Wish>> = asked.collect();
        self.hold(&mut db, &asked).await?;
        // One whose answer never came is not asked again.
        self.connection = Some(db);
        if !plan.neglected.is_empty() {
            self.mistrusts_until = Instant::now() + MISTRUST;
        }
        let others = ends.into_iter().filter(|(name, _)| !asked.contains_key(name)).map(|(_, left)| left);
        let pause = if plan.under_way { HAND_OVER } else { BEAT };
        Ok(others.fold(pause, Duration::min))
    }

    /// Has one of the leases that others are to lead given back, the one that was taken last; none while another is.
    fn spare(&self, wanted: &BTreeMap<String, Arc<Wish>>, plan: &Plan) {
        if Instant::now() < self.mistrusts_until || wanted.values().any(|wish| wish.is_wanted_back()) {
            return;
        }
        let spare = plan.spare.iter().filter_map(|name| wanted.get(name));
        let spare = spare.filter_map(|wish| Some((wish.can_be_spared()?, wish)));
        if let Some((_, wish)) = spare.max_by_key(|(since, _)| *since) {
            wish.want_back();
        }
    }

    /// The terms whose leases were dropped, and of each name the first wish.
    fn look(&self, stopped: bool) -> (BTreeMap<String, i64>, BTreeMap<String, Arc<Wish>>) {
        let mut all = self.wishes.all();
        let gone = all.extract_if(.., |wish| wish.is_dropped());
        let dropped = gone.filter_map(|wish| Some((wish.name.clone(), wish.token()?))).collect();
        let mut wanted = BTreeMap::new();
        for wish in all.iter().filter(|wish| !stopped || wish.token().is_some()) {
            wanted.entry(wish.name.clone()).or_insert_with(|| Arc::clone(wish));
        }
        (dropped, wanted)
    }

    /// Says that this process is there and what it wants; that it is gone, if that is nothing. What others left behind when
    /// they died is cleared away.
    async fn appear(&mut self, db: &mut PgConnection, wants: BTreeSet<&str>) -> sqlx::Result<()> {
        if wants.is_empty() {
            if self.is_there {
                sqlx::query("delete from log.nodes where node = $1").bind(&*self.node).execute(db).await?;
                self.is_there = false;
            }
            return Ok(());
        }
        sqlx::query(
            "with gone as (
                 delete from log.nodes where node in (
                     select node from log.nodes where until < clock_timestamp() - interval '1 minute'
                     for update skip locked)
             )
             insert into log.nodes as n (node, wants, since, until)
             values ($1, $2, clock_timestamp(), clock_timestamp() + $3::float8 * interval '1 second')
             on conflict (node) do update set wants = excluded.wants, until = excluded.until,
                 since = case when n.until > clock_timestamp() then n.since else excluded.since end",
        )
        .bind(&*self.node)
        .bind(wants.into_iter().collect::<Vec<_>>())
        .bind(TERM.as_secs_f64())
        .execute(db)
        .await?;
        self.is_there = true;
        Ok(())
    }

    async fn give_back(&self, db: &mut PgConnection, dropped: &BTreeMap<String, i64>) -> sqlx::Result<()> {
        // Locked in one order by all processes.
        sqlx::query(
            "with mine as (
                 select l.name from log.leases l join unnest($2::text[], $3::bigint[]) as d (name, token)
                     on d.name = l.name and d.token = l.token
                 where l.holder = $1 order by l.name for update of l
             )
             update log.leases l set holder = '', until = clock_timestamp() from mine where l.name = mine.name",
        )
        .bind(&*self.node)
        .bind(dropped.keys().collect::<Vec<_>>())
        .bind(dropped.values().collect::<Vec<_>>())
        .execute(db)
        .await?;
        Ok(())
    }

    /// Renews the terms that are held and takes what is free: what nobody had, what was given back, what ran out, and
    /// what this process held in a term that is over here.
    async fn hold(&self, db: &mut PgConnection, asked: &BTreeMap<String, Arc<Wish>>) -> sqlx::Result<()> {
        if asked.is_empty() {
            return Ok(());
        }
        let held: BTreeMap<&str, i64> =
            asked.iter().map(|(name, wish)| (name.as_str(), wish.token().unwrap_or(0))).collect();
        let sent = Instant::now();
        let rows: Vec<(String, Option<i64>)> = sqlx::query_as(
            "with asked as (
                 select name, token from unnest($2::text[], $3::bigint[]) with ordinality as a (name, token, n) order by n
             ), taken as (
                 insert into log.leases as l (name, holder, token, until)
                 select name, $1, token + 1, clock_timestamp() + $4::float8 * interval '1 second' from asked
                 on conflict (name) do update set holder = excluded.holder, until = excluded.until,
                     token = case when l.holder = $1 and l.token = excluded.token - 1 and l.until > clock_timestamp()
                                  then l.token else greatest(l.token + 1, excluded.token) end
                 where l.holder = $1 or l.until <= clock_timestamp()
                 returning l.name, l.token
             )
             select asked.name, taken.token from asked left join taken using (name)",
        )
        .bind(&*self.node)
        .bind(held.keys().collect::<Vec<_>>())
        .bind(held.values().collect::<Vec<_>>())
        .bind(TERM.as_secs_f64())
        .fetch_all(db)
        .await?;
        for (name, token) in rows {
            asked[&name].told(held[name.as_str()], token, sent + TERM);
        }
        Ok(())
    }
}

/// Who is there and who leads what, and how soon each term would end that is not renewed.
async fn see(db: &mut PgConnection) -> sqlx::Result<(Seen, Vec<(String, Duration)>)> {
    let nodes: Vec<(String, Vec<String>, bool)> = sqlx::query_as(
        "select node, wants, since <= clock_timestamp() - $1::float8 * interval '1 second' from log.nodes
         where until > clock_timestamp()",
    )
    .bind(TERM.as_secs_f64())
    .fetch_all(&mut *db)
    .await?;
    let leases: Vec<(String, String, f64)> = sqlx::query_as(
        "select name, holder, extract(epoch from until - clock_timestamp())::float8 from log.leases",
    )
    .fetch_all(db)
    .await?;
    let mut ends = Vec::new();
    let mut seen = Seen::default();
    for (node, wants, settled) in nodes {
        seen.nodes.insert(node, Node { wants: wants.into_iter().collect(), settled });
    }
    for (name, by, left) in leases {
        let standing = if left > 0.0 {
            ends.push((name.clone(), Duration::from_secs_f64(left) + Duration::from_millis(20)));
            Standing::Held { by }
        } else {
            Standing::Free { long: -left > TERM.as_secs_f64() }
        };
        seen.leases.insert(name, standing);
    }
    Ok((seen, ends))
}
