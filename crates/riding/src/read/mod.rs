//! Read models.

pub mod anomalies;
pub mod arrears;
pub mod blacklist;
pub mod card_holdings;
pub mod card_products;
pub mod certifications;
pub mod configs;
pub mod mispricings;
pub mod misses;
pub mod order_alarms;
pub mod orders;
pub mod payments;
pub mod priced;
pub mod priced_orders;
pub mod pulse;
pub mod rebindings;
pub mod return_reviews;
pub mod revenue;
pub mod revenue_days;
pub mod revenue_hours;
pub mod riders;
pub mod shelved_days;
pub mod wallets;
pub mod wrong_versions;

use kernel::List;
use vocabulary::Phone;

/// Those of a list whose rider, named by `column`, has this phone: he is looked up first, then his few rows.
pub fn of_phone(list: List, column: &str, phone: &Phone) -> List {
    let his = format!("{column} = any(array(select rider_id from read.rider where phone = ");
    list.matching(&[&his, "))"], vec![phone.as_str().into()])
}
