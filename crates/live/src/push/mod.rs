//! What browsers see, tick by tick: `docs/push.md`.

pub mod frame;
