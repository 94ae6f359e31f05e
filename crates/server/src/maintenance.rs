//! Tasks of the command line beside serving.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use kernel::{Pools, Runtime};
use vocabulary::{AgentId, AreaId, Reach, Scope};

use crate::config::Stores;
use crate::secrets::{Secrets, write_private};
use crate::{checkpoints, contexts, stores, streams};

/// Brings the database to the newest schema.
pub async fn migrate(stores: &Stores) -> Result<()> {
    let pools = stores::postgres(stores).await?;
    kernel::migrate(&pools.owner).await.context("the database cannot be migrated")?;
    eprintln!("The database is at the newest schema.");
    Ok(())
}

/// Makes missing secrets, and prints what the NATS configuration needs of them.
pub fn secrets(state_dir: &Path) -> Result<()> {
    let secrets = Secrets::load(state_dir)?;
    Secrets::make_payment(state_dir)?;
    let needed = serde_json::json!({
        "nats_issuer_public": secrets.nats_issuer.public_key(),
        "nats_password": secrets.nats_password,
    });
    println!("{needed}");
    Ok(())
}

/// A system for a task, without NATS: other nodes follow by the log.
pub async fn runtime(stores: &Stores) -> Result<(Runtime, Secrets)> {
    let secrets = Secrets::load(&stores.state_dir)?;
    let pools: Pools = stores::postgres(stores).await?;
    Ok((stores::runtime(pools, None, &secrets).await?, secrets))
}

/// These alone; all where none is named.
pub fn scope(agents: Vec<AgentId>, areas: Vec<AreaId>) -> Scope {
    fn reach<T: Ord + Copy>(some: Vec<T>) -> Reach<T> {
        if some.is_empty() { Reach::All } else { Reach::only(some) }
    }
    Scope::of(reach(agents), reach(areas))
}

/// Adds a machine client, unless the token in `out` already works.
pub async fn add_machine(
    stores: &Stores,
    name: &str,
    codes: Vec<String>,
    preset: Option<&str>,
    scope: Scope,
    out: &Path,
) -> Result<()> {
    let (runtime, _) = runtime(stores).await?;
    let codes: Vec<&str> = match preset {
        Some("simulator") => access::SIMULATOR_CODES.to_vec(),
        Some(other) => bail!("there is no preset {other}; there is: simulator"),
        None => codes.iter().map(String::as_str).collect(),
    };
    ensure!(
        scope == Scope::ALL || codes.iter().all(|code| *code == "open:feeds"),
        "only machines that do nothing but read the open feeds (--codes open:feeds) are limited to agents or areas"
    );
    if out.exists() {
        eprintln!("{} is there already and is left as it is.", out.display());
        return Ok(());
    }
    let added = access::add_machine(&runtime, name, &codes, scope).await?;
    write_private(out, &added.token)?;
    eprintln!("Machine client {name} has its token in {}.", out.display());
    if !projected(&runtime).await? {
        eprintln!("It works as soon as a server runs that keeps the read models.");
    }
    Ok(())
}

/// Waits a while until the serving node has the log's newest events of machine clients in its read model; says whether.
async fn projected(runtime: &Runtime) -> Result<bool> {
    let head = runtime.reader.head().await?;
    for _ in 0..5 {
        if runtime.reads.scoped(&Scope::ALL, Some(head), &["machine"]).await?.caught_up() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes a machine client's token worthless.
pub async fn revoke_machine(stores: &Stores, name: &str) -> Result<()> {
    let (runtime, _) = runtime(stores).await?;
    access::revoke_machine(&runtime, name).await?;
    eprintln!("The token of {name} no longer works.");
    Ok(())
}

/// A system that can also ask NATS, when it answers, with its streams made.
async fn runtime_with_nats(stores: &Stores) -> Result<(Runtime, Secrets)> {
    let secrets = Secrets::load(&stores.state_dir)?;
    let pools = stores::postgres(stores).await?;
    let nats = match stores::nats(stores, &secrets).await {
        Ok(nats) => nats,
        Err(error) => {
            tracing::warn!("{error:#}");
            None
        }
    };
    Ok((stores::runtime(pools, nats, &secrets).await?, secrets))
}

/// Recomputes the chain, and holds against it what was signed, in every place.
pub async fn verify(stores: &Stores) -> Result<()> {
    let (runtime, secrets) = runtime_with_nats(stores).await?;
    let places = checkpoints::places(stores, runtime.nats.as_ref());
    let trust = checkpoints::trust(stores, &secrets)?;
    let verified =
        kernel::log::verify::verify(&runtime.pools.app, &trust, &places, runtime.clock.now()).await?;
    println!("{} events and {} checkpoints were looked at.", verified.events, verified.checkpoints);
    for place in &places {
        println!("place  {}", place.name());
    }
    for note in &verified.notes {
        println!("note   {note}");
    }
    for finding in &verified.findings {
        println!("WRONG  {finding}");
    }
    ensure!(verified.findings.is_empty(), "the log is not what was written");
    println!("The log is what was written.");
    Ok(())
}

/// Lets a new key sign from now on.
pub async fn rotate_checkpoint_key(stores: &Stores) -> Result<()> {
    let (runtime, secrets) = runtime_with_nats(stores).await?;
    checkpoints::rotate(&runtime, stores, &secrets).await
}

/// Goes on with a log that went back.
pub async fn accept_restore(stores: &Stores, head: i64) -> Result<()> {
    let (runtime, secrets) = runtime_with_nats(stores).await?;
    if let Some(nats) = &runtime.nats {
        streams::create(nats).await?;
    }
    let done = checkpoints::accept_restore(&runtime, stores, &secrets, head).await;
    runtime.close();
    done
}

/// Rebuilds read models.
pub async fn rebuild(stores: &Stores, names: &[String], all: bool) -> Result<()> {
    let (runtime, _) = runtime(stores).await?;
    let projectors = kernel::projecting::Projectors::new(runtime.clone(), contexts::projectors(&runtime));
    let names: Vec<String> =
        if all { projectors.names().into_iter().map(str::to_owned).collect() } else { names.to_vec() };
    ensure!(
        !names.is_empty(),
        "name read models, or say --all; there are: {}",
        projectors.names().join(", ")
    );
    for name in names {
        let rebuilt = projectors.rebuild(&name).await?;
        println!("{name}: to position {} in {:.1} s", rebuilt.position.0, rebuilt.took.as_secs_f64());
    }
    Ok(())
}

/// Tries a parked stream again, or lets a stopped read model go on.
pub async fn retry(stores: &Stores, name: &str, stream: Option<&str>) -> Result<()> {
    let (runtime, _) = runtime(stores).await?;
    let projectors = kernel::projecting::Projectors::new(runtime.clone(), contexts::projectors(&runtime));
    let Some(stream) = stream else {
        projectors.resume(name).await?;
        println!("{name} goes on.");
        return Ok(());
    };
    let (category, id) = stream.split_once('/').context("a stream is named category/id")?;
    let mended = projectors.retry(name, category, id).await?;
    ensure!(mended, "{stream} still cannot be applied by {name}; `wheelhouse doctor` shows why");
    println!("{stream} is applied by {name} again.");
    Ok(())
}

/// Asks the serving relay to send events to NATS again.
pub async fn relay(stores: &Stores, from: i64) -> Result<()> {
    let (runtime, _) = runtime(stores).await?;
    kernel::relay::ask_to_resend(&runtime, kernel::Position(from)).await?;
    println!("The relay was asked to send everything from position {from} on again.");
    Ok(())
}

/// Destroys the key of a person's data, and rebuilds the read models that held it.
pub async fn forget(stores: &Stores, subject: &str, yes: bool) -> Result<()> {
    ensure!(
        yes,
        "what the log says about {subject} can never be read again after this; say --yes if you mean it"
    );
    let (runtime, _) = runtime(stores).await?;
    let done = kernel::projecting::Projectors::new(runtime.clone(), contexts::projectors(&runtime))
        .forget(subject)
        .await?;
    println!(
        "{}",
        if done.was_known { "Forgotten." } else { "There was nothing left to forget in the log." }
    );
    let files = stores::attachments(stores, &runtime)?.forget(subject).await?;
    println!("{files} photos and documents deleted.");
    for rebuilt in done.rebuilt {
        println!("{}: rebuilt without it in {:.1} s", rebuilt.name, rebuilt.took.as_secs_f64());
    }
    Ok(())
}

/// Prints the OpenAPI document.
pub async fn openapi(stores: &Stores) -> Result<()> {
    let (runtime, secrets) = runtime(stores).await?;
    let surface = crate::serve::surface_for_documents(&runtime, &secrets).await?;
    // Extensions come in no order of their own: sorted, the same routes give the same bytes.
    let mut document = serde_json::to_value(&surface.openapi)?;
    document.sort_all_objects();
    println!("{document:#}");
    runtime.close();
    Ok(())
}
