//! Failures that pass by themselves, told from those that stay.

/// Whether it helps to connect anew and ask again: the connection broke, the server restarts or is short of something,
/// or two transactions stood in each other's way.
pub fn is_passing(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            // Connection, resources, operator's intervention; read-only standby, serialization, deadlock, lock timeout.
            ["08", "53", "57"].iter().any(|class| code.starts_with(class))
                || ["25006", "40001", "40P01", "55P03"].contains(&code.as_ref())
        }),
        _ => false,
    }
}

/// Whether somewhere in the causes of `error` there is a database's failure that passes.
pub fn has_passing_cause(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<sqlx::Error>().is_some_and(is_passing) {
            return true;
        }
        cause = error.source();
    }
    false
}
