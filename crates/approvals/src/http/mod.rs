//! The routes of the context.

pub mod approvals;
pub mod limits;

use wire::Routes;

use crate::Approvals;

/// All of them.
pub(crate) fn routes(context: &Approvals) -> Routes {
    approvals::routes(context).merge(limits::routes(context))
}
