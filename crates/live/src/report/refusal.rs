//! Why a report is not taken.

/// The reasons of `docs/device-protocol.md`, each counted by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// Neither form.
    #[error("neither form of a report")]
    Malformed,
    /// No vehicle carries this device.
    #[error("no vehicle carries this device")]
    UnknownDevice,
    /// More than 120 s ahead of the server.
    #[error("ahead of the server's clock")]
    Future,
    /// More than 24 h old.
    #[error("more than a day old")]
    Stale,
    /// Older than the newest of that device.
    #[error("older than what is known")]
    OutOfOrder,
    /// Same device and time.
    #[error("known already")]
    Duplicate,
    /// The position is not a fix; the other fields are still taken.
    #[error("without a fix")]
    NoFix,
    /// Off the globe, or exactly 0,0.
    #[error("not a place on the globe")]
    ImpossiblePosition,
    /// Over 160 km/h from the last fix.
    #[error("too far from the last fix")]
    ImpossibleJump,
    /// A battery above 100 %.
    #[error("a value that cannot be")]
    ImpossibleValue,
}

impl Refusal {
    /// Every reason.
    pub const ALL: [Self; 10] = [
        Self::Malformed,
        Self::UnknownDevice,
        Self::Future,
        Self::Stale,
        Self::OutOfOrder,
        Self::Duplicate,
        Self::NoFix,
        Self::ImpossiblePosition,
        Self::ImpossibleJump,
        Self::ImpossibleValue,
    ];

    /// Its name in the documentation and in `/metrics`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::UnknownDevice => "unknown_device",
            Self::Future => "future",
            Self::Stale => "stale",
            Self::OutOfOrder => "out_of_order",
            Self::Duplicate => "duplicate",
            Self::NoFix => "no_fix",
            Self::ImpossiblePosition => "impossible_position",
            Self::ImpossibleJump => "impossible_jump",
            Self::ImpossibleValue => "impossible_value",
        }
    }
}
