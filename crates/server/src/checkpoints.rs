//! Where statements about the log stand, who signs them, and how that changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use ed25519_dalek::VerifyingKey;
use kernel::Runtime;
use kernel::log::checkpoint::Signer;
use kernel::log::lineage::Trust;
use kernel::log::places::{Absent, Folder, Place, STREAM, Stream};
use kernel::log::restore::{self, RestoreError};
use kernel::log::statement::CheckpointKey;

use crate::config::Stores;
use crate::secrets::{Secrets, random, write_private};

/// Public keys that signed before, in the state folder.
const RETIRED: &str = "checkpoint-keys";

/// The places outside of the database, in the order in which the signer writes them.
pub fn places(stores: &Stores, nats: Option<&async_nats::Client>) -> Vec<Arc<dyn Place>> {
    let mut places: Vec<Arc<dyn Place>> = vec![Arc::new(Folder::new(&stores.checkpoint_folder()))];
    match (nats, &stores.nats_url) {
        (Some(nats), _) => places.push(Arc::new(Stream::new(nats.clone()))),
        // It is configured, and does not answer: that is not the same as holding nothing.
        (None, Some(_)) => places.push(Arc::new(Absent::new(STREAM, "NATS does not answer"))),
        (None, None) => {}
    }
    places
}

/// The signer of this installation.
pub fn signer(runtime: &Runtime, stores: &Stores, secrets: &Secrets) -> Signer {
    let key = CheckpointKey::new(&secrets.checkpoint);
    Signer::new(runtime.clone(), key, places(stores, runtime.nats.as_ref()))
}

/// The key that signs now, and those that the state folder remembers.
pub fn trust(stores: &Stores, secrets: &Secrets) -> Result<Trust> {
    let current = CheckpointKey::new(&secrets.checkpoint).public();
    let folder = stores.state_dir.join(RETIRED);
    let mut retired = Vec::new();
    if folder.exists() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            retired.push(public_key(&entry?.path())?);
        }
    }
    Ok(Trust { current, retired })
}

fn public_key(file: &Path) -> Result<VerifyingKey> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut bytes = [0; 32];
    hex::decode_to_slice(text.trim(), &mut bytes)
        .ok()
        .and_then(|()| VerifyingKey::from_bytes(&bytes).ok())
        .with_context(|| format!("{} is not a public key in hexadecimal", file.display()))
}

/// Refuses to build on a log that what stands outside of the database knows to have been longer.
pub async fn check_start(runtime: &Runtime, stores: &Stores, secrets: &Secrets) -> Result<()> {
    match restore::check(runtime, &signer(runtime, stores, secrets)).await {
        Err(error @ RestoreError::WentBack(_)) => Err(error).with_context(|| {
            format!(
                "this is not the log that was served before. (For a new, empty log: give it a checkpoint store other \
                 than {} and a NATS of its own)",
                stores.checkpoint_folder().display()
            )
        }),
        Err(error) => {
            tracing::warn!(%error, "whether the log went back could not be looked at");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Makes a new signing key, has the old one sign that, and keeps the old public one.
pub async fn rotate(runtime: &Runtime, stores: &Stores, secrets: &Secrets) -> Result<()> {
    ensure!(
        std::env::var_os("WHEELHOUSE_CHECKPOINT_KEY").is_none(),
        "the key comes from WHEELHOUSE_CHECKPOINT_KEY; put it into {} (64 hexadecimal digits, mode 600), unset the \
         variable and rotate again",
        stores.state_dir.join("checkpoint.key").display()
    );
    let old = CheckpointKey::new(&secrets.checkpoint);
    let file = stores.state_dir.join("checkpoint.key");
    // Written before it is signed for: whatever ends this here, no key is signed for that nobody has.
    let next: PathBuf = stores.state_dir.join("checkpoint.key.next");
    let text = match fs::read_to_string(&next) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let text = hex::encode(random());
            write_private(&next, &text)?;
            text
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", next.display())),
    };
    let mut secret = [0; 32];
    hex::decode_to_slice(text.trim(), &mut secret)
        .with_context(|| format!("{} is no key", next.display()))?;
    let new = CheckpointKey::new(&secret);
    let signer = signer(runtime, stores, secrets);
    if !signer.was_handed_to(&new).await? {
        signer.hand_over(&new).await?;
    }
    let retired = stores.state_dir.join(RETIRED);
    fs::create_dir_all(&retired).with_context(|| format!("cannot create {}", retired.display()))?;
    let public = hex::encode(old.public().as_bytes());
    write_private(&retired.join(format!("{}.pub", &public[..16])), &public)?;
    fs::rename(&next, &file).with_context(|| format!("cannot put {} in place", file.display()))?;
    println!(
        "Checkpoints are signed by a new key. Give {} to every node, and start the servers again.",
        file.display()
    );
    Ok(())
}

/// Goes on with a log that went back.
pub async fn accept_restore(runtime: &Runtime, stores: &Stores, secrets: &Secrets, head: i64) -> Result<()> {
    if stores.nats_url.is_some() && runtime.nats.is_none() {
        bail!("NATS does not answer; start it first: what it tells of must be brought to the log as it is");
    }
    let accepted =
        restore::accept(runtime, &signer(runtime, stores, secrets), kernel::Position(head)).await?;
    println!(
        "It is signed that the log went back from {} to {}. {} messages of EVENTS that told of what is no more were \
         deleted; whoever has read them must be told. Start the servers again.",
        accepted.from.0, accepted.to.0, accepted.deleted
    );
    Ok(())
}
