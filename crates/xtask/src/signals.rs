//! Ctrl-C and SIGTERM become a flag, so that children are ended in order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

static ENDING: AtomicBool = AtomicBool::new(false);

/// From now on SIGINT and SIGTERM only raise the flag.
pub fn catch() -> Result<()> {
    let (ready, installed) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let listen = async {
            use tokio::signal::unix::{SignalKind, signal};
            let mut interrupt = signal(SignalKind::interrupt())?;
            let mut terminate = signal(SignalKind::terminate())?;
            let _ = ready.send(Ok(()));
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            end();
            // Further signals change nothing: the ending is already under way.
            std::future::pending::<()>().await;
            std::io::Result::Ok(())
        };
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => drop(runtime.block_on(listen)),
            Err(error) => drop(ready.send(Err(error))),
        }
    });
    installed.recv().context("the signal thread ended")?.context("cannot listen for signals")
}

/// Raises the flag.
pub fn end() {
    ENDING.store(true, Ordering::SeqCst);
}

/// Whether somebody asked us to end.
pub fn ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// An error when somebody asked us to end.
pub fn go_on() -> Result<()> {
    if ending() {
        bail!("stopped on request");
    }
    Ok(())
}

/// Sleeps in short steps and stops early when somebody asks us to end.
pub fn nap(length: Duration) {
    let steps = length.as_millis().div_ceil(50).max(1);
    for _ in 0..steps {
        if ending() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
}
