//! The login's question for the financial account of a franchisee. Accounts are opened in the financial room; until it
//! stands nobody has one, and the answer says just that.

use utoipa_axum::routes;
use wire::{FinancialAnswer, HandledFinancial, Permit, Routes};

/// The route.
pub fn routes() -> Routes {
    Routes::new("server").add(Permit::SignedIn, routes!(account))
}

/// The financial account of the caller's franchisee; null when none was opened.
#[utoipa::path(get, path = "/Pay/customer/getAccountInfo", tag = "finance",
    responses((status = 200, body = FinancialAnswer<Option<String>>)))]
async fn account() -> HandledFinancial<Option<()>> {
    Ok(FinancialAnswer(None))
}
