//! What is wrong with an installation, and how to mend it.

use anyhow::Result;
use kernel::log::checkpoint::last_state;
use kernel::log::places::{self, Folder, Place};
use kernel::log::snapshots::{self, OLD_S, Oldest};
use payment_port::PortError;
use sqlx::{PgPool, Row};

use crate::config::Stores;
use crate::payments::PaymentSettings;
use crate::secrets::Secrets;
use crate::{contexts, payments, stores, streams};

/// Looks at everything it can reach; fails when something is wrong.
pub async fn doctor(stores: &Stores, payment: &PaymentSettings) -> Result<()> {
    let mut findings = Findings::default();
    let secrets = match Secrets::load(&stores.state_dir) {
        Ok(secrets) => {
            findings.well(&format!("secrets in {} are the owner's alone", stores.state_dir.display()));
            Some(secrets)
        }
        Err(error) => {
            findings.wrong(
                &format!("{error:#}"),
                "see the message; secrets belong to the user that runs the server",
            );
            None
        }
    };
    let head = postgres(stores, &mut findings).await;
    match (&stores.nats_url, &secrets) {
        (None, _) => findings.wrong(
            "NATS_URL is not set: nothing is live and no event is relayed",
            "start nats-server 2.10 or newer with JetStream and set NATS_URL",
        ),
        (Some(_), Some(secrets)) => nats(stores, secrets, head, &mut findings).await,
        (Some(_), None) => {}
    }
    if let Some(secrets) = &secrets {
        provider(payment, secrets, &mut findings).await;
    }
    findings.tell()
}

/// Whether the payment provider is there and knows us.
async fn provider(payment: &PaymentSettings, secrets: &Secrets, findings: &mut Findings) {
    let port = match payments::client(payment, secrets) {
        Ok(Some(port)) => port,
        Ok(None) => return findings.well("no payment provider is set (PAYMENT_URL): nothing can be paid"),
        Err(error) => return findings.wrong(&format!("{error:#}"), "see docs/payment-port.md"),
    };
    match payments::answers(&port).await {
        Ok(()) => findings.well("the payment provider answers, and knows us"),
        Err(error @ PortError::Unreachable(_)) => {
            findings.wrong(&error.to_string(), "start it, or correct PAYMENT_URL");
        }
        Err(error) => findings.wrong(
            &error.to_string(),
            "PAYMENT_MERCHANT and PAYMENT_SECRET must be what the provider knows us by, and both clocks right",
        ),
    }
}

/// Says where the log ends, if it can be read.
async fn postgres(stores: &Stores, findings: &mut Findings) -> Option<i64> {
    let pools = match stores::postgres(stores).await {
        Ok(pools) => pools,
        Err(error) => {
            findings.wrong(&format!("{error:#}"), "start PostgreSQL 15 or newer, or correct DATABASE_URL");
            return None;
        }
    };
    match sqlx::query("select current_setting('server_version_num')::int").fetch_one(&pools.owner).await {
        Ok(row) => match row.try_get::<i32, _>(0) {
            Ok(version) if version >= 150_000 => findings.well(&format!("PostgreSQL {}", version / 10_000)),
            _ => findings.wrong("PostgreSQL is older than 15", "install a newer one"),
        },
        Err(error) => {
            findings.wrong(&error.to_string(), "see PostgreSQL's own log");
            return None;
        }
    }
    connections(&pools.owner, stores.database_connections, findings).await;
    read_models(&pools.owner, findings).await;
    nodes(&pools.owner, findings).await;
    let parked = sqlx::query_as::<_, (String, String, String, i64, String)>(
        "select reader, category, stream_id, position, failure from log.parked order by position limit 50",
    );
    for (reader, category, stream, position, failure) in
        parked.fetch_all(&pools.owner).await.unwrap_or_default()
    {
        let name = reader.split_once(':').map_or(reader.as_str(), |(_, name)| name);
        let cure = format!("mend the cause, then `wheelhouse retry {name} {category}/{stream}`");
        findings.wrong(&format!("{reader} parked {category}/{stream} at {position}: {failure}"), &cure);
    }
    log(stores, &pools, findings).await
}

/// Whether a node of these settings gets as many connections as it may hold.
async fn connections(owner: &PgPool, most: u32, findings: &mut Findings) {
    let room = "select current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8";
    match sqlx::query_scalar::<_, i64>(room).fetch_one(owner).await {
        Ok(room) if room < i64::from(most) => findings.wrong(
            &format!("a node may hold {most} connections, and PostgreSQL takes {room}"),
            "raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS",
        ),
        Ok(_) => {}
        Err(error) => findings.wrong(&error.to_string(), "see PostgreSQL's own log"),
    }
}

/// How a read model stands.
#[derive(sqlx::FromRow)]
struct ReadModel {
    name: String,
    version: i32,
    position: i64,
    lag: i64,
    state: String,
    failure: Option<String>,
    /// The process that leads it now.
    holder: Option<String>,
    /// Of the present or the last term.
    token: i64,
}

async fn read_models(owner: &PgPool, findings: &mut Findings) {
    let all = sqlx::query_as::<_, ReadModel>(
        "select p.name, p.version, p.position, h.position - p.position as lag, p.state, p.failure, l.holder, p.token
         from log.log_head h cross join log.projectors p
         left join log.leases l on l.name = 'projector:' || p.name and l.until > clock_timestamp()
         order by p.name",
    );
    let all = match all.fetch_all(owner).await {
        Ok(all) => all,
        Err(error) => return findings.wrong(&error.to_string(), "run `wheelhouse migrate`"),
    };
    let known = contexts::versions();
    for ReadModel { name, version, position, lag, state, failure, holder, token } in all {
        let own = known.iter().find(|(known, _)| *known == name).map(|(_, version)| *version);
        if own.is_some_and(|own| own < version) {
            let own = own.unwrap_or_default();
            findings.wrong(
                &format!("read model {name} has version {version}, and this program knows {own}"),
                "run the newer program on all nodes; this one stands aside",
            );
        } else if state == "running" {
            let led = holder.map_or_else(|| "led by nobody now".to_owned(), |by| format!("led by {by}"));
            findings.well(&format!("read model {name} at {position}, {lag} behind, {led} (term {token})"));
        } else {
            let why = failure.unwrap_or_default();
            let cure = format!("mend the cause, then `wheelhouse retry {name}`");
            findings.wrong(&format!("read model {name} stands before {}: {why}", position + 1), &cure);
        }
    }
}

/// Who is there, and what each leads.
async fn nodes(owner: &PgPool, findings: &mut Findings) {
    let all = sqlx::query_as::<_, (String, Vec<String>)>(
        "select coalesce(n.node, l.holder), array_remove(array_agg(l.name order by l.name), null)
         from (select * from log.nodes where until > clock_timestamp()) n
         full join (select * from log.leases where until > clock_timestamp()) l on l.holder = n.node
         group by 1 order by 1",
    );
    match all.fetch_all(owner).await {
        Ok(all) if all.is_empty() => findings.well("no server runs"),
        Ok(all) => {
            for (node, leads) in all {
                findings.well(&format!("node {node} leads {}: {}", leads.len(), leads.join(", ")));
            }
        }
        Err(error) => findings.wrong(&error.to_string(), "run `wheelhouse migrate`"),
    }
}

/// The log's end, who stands beyond it, what relay and signer wait for, what holds up its cleaning.
async fn log(stores: &Stores, pools: &kernel::Pools, findings: &mut Findings) -> Option<i64> {
    let head: i64 =
        sqlx::query_scalar("select position from log.log_head").fetch_one(&pools.owner).await.ok()?;
    let beyond = sqlx::query_as::<_, (String, i64)>(
        "select 'read model ' || name, position from log.projectors where position > $1
         union all select 'reactor ' || name, position from log.reactors where position > $1
         union all select 'the relay', position from log.relay where position > $1",
    );
    for (reader, position) in beyond.bind(head).fetch_all(&pools.owner).await.unwrap_or_default() {
        let cure = "its place did not go back with the log: accepting the restore sets reactors back and has read models \
            rebuild themselves (`wheelhouse rebuild NAME` does that at once)";
        findings.wrong(&format!("{reader} stands at {position}, beyond the log's end {head}"), cure);
    }
    let waits = sqlx::query_as::<_, (String, String)>(
        "select 'the relay', failure from log.relay where failure is not null
         union all select 'the signer', failure from log.signing where failure is not null",
    );
    for (who, failure) in waits.fetch_all(&pools.owner).await.unwrap_or_default() {
        let cure = "`wheelhouse verify` names what is not as it was written; a log that went back is gone on with by \
            `wheelhouse accept-restore`";
        findings.wrong(&format!("{who} stands still: {failure}"), cure);
    }
    match Folder::new(&stores.checkpoint_folder()).last().await {
        Ok(number) => {
            findings.well(&format!("{number} checkpoints in {}", stores.checkpoint_folder().display()));
        }
        Err(error) => findings
            .wrong(&error.to_string(), "make the folder readable, or correct WHEELHOUSE_CHECKPOINT_STORE"),
    }
    went_back(&Folder::new(&stores.checkpoint_folder()), head, findings).await;
    if let Ok(Some(oldest)) = snapshots::oldest(&pools.owner).await {
        let Oldest { age_s, pid, application } = oldest;
        if age_s > OLD_S {
            let cure =
                format!("appends get slower while it is open; end it: select pg_terminate_backend({pid})");
            findings.wrong(&format!("a transaction of {application:?} is open for {age_s} s"), &cure);
        }
    }
    Some(head)
}

/// Whether a place says that the log was longer.
async fn went_back(place: &dyn Place, head: i64, findings: &mut Findings) {
    match last_state(place).await {
        Ok((_, position)) if position.0 > head => longer(place.name(), position.0, head, findings),
        Ok(_) => {}
        Err(error) => findings.wrong(&error.to_string(), "`wheelhouse verify` tells more"),
    }
}

fn longer(place: &str, known: i64, head: i64, findings: &mut Findings) {
    let cure = format!(
        "bring back the database that holds them; or stop every server, and accept that they are lost: \
         `wheelhouse accept-restore --head {head}`"
    );
    findings
        .wrong(&format!("{place} tells of {known} events, and the log ends at {head}: it went back"), &cure);
}

async fn nats(stores: &Stores, secrets: &Secrets, head: Option<i64>, findings: &mut Findings) {
    let client = match stores::nats(stores, secrets).await {
        Ok(Some(client)) => client,
        Ok(None) => return,
        Err(error) => {
            return findings.wrong(&format!("{error:#}"), "start it, or correct NATS_URL and NATS_PASSWORD");
        }
    };
    findings.well(&format!("NATS {}", client.server_info().version));
    let jetstream = async_nats::jetstream::new(client.clone());
    for stream in [kernel::relay::STREAM, places::STREAM, "TELEMETRY"] {
        match jetstream.get_stream(stream).await {
            Ok(found) => match streams::lasts_hours(found.cached_info()) {
                Some(hours) if hours < streams::SHORT_HOURS => findings.wrong(
                    &format!("stream {stream} holds {hours:.1} h at the pace at which it fills"),
                    "give JetStream more room (max_file_store) and restart `wheelhouse serve`, which lets it grow",
                ),
                Some(hours) => findings.well(&format!("stream {stream} holds {hours:.0} h")),
                None => findings.well(&format!("stream {stream}")),
            },
            Err(error) => findings.wrong(
                &format!("stream {stream}: {error}"),
                "enable JetStream in the NATS configuration; `wheelhouse serve` makes its streams",
            ),
        }
    }
    let Some(head) = head else { return };
    went_back(&places::Stream::new(client), head, findings).await;
    match kernel::relay::furthest(&jetstream).await {
        Ok(told) if told.0 > head => longer(kernel::relay::STREAM, told.0, head, findings),
        Ok(_) => {}
        Err(error) => findings.wrong(&error.to_string(), "enable JetStream in the NATS configuration"),
    }
}

#[derive(Default)]
struct Findings {
    wrong: usize,
}

impl Findings {
    #[expect(clippy::unused_self, reason = "reads as the pair of `wrong`")]
    fn well(&self, text: &str) {
        println!("ok     {text}");
    }

    fn wrong(&mut self, text: &str, cure: &str) {
        self.wrong += 1;
        println!("WRONG  {text}\n       → {cure}");
    }

    fn tell(self) -> Result<()> {
        anyhow::ensure!(self.wrong == 0, "{} thing(s) to mend", self.wrong);
        println!("Nothing to mend.");
        Ok(())
    }
}
