//! Which financial codes the state of a financial account leaves.

use crate::CodeSet;

/// An agent's financial account, as far as it decides on codes. What is unknown is neither 2 nor 1: it closes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FinancialAccount {
    /// 2 when it may be used.
    pub status: Option<i64>,
    /// 1 for accounts without bills of their own.
    pub level: Option<i64>,
}

const USABLE: i64 = 2;
const FIRST_LEVEL: i64 = 1;

/// `codes` without the financial ones that the account does not allow. The status is asked first, the level second;
/// letters count, so `FinancialReconciliation` is none of them. The web application applies the same rule to its pages.
#[must_use]
pub fn gate_financial(codes: &CodeSet, account: FinancialAccount) -> CodeSet {
    let stays = |code: &str| {
        if account.status != Some(USABLE) {
            return !code.contains("financial") || ["financial", "financial_02"].contains(&code);
        }
        account.level != Some(FIRST_LEVEL) || !["financial_03", "financial_04"].contains(&code)
    };
    codes.iter().filter(|code| stays(code.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use vocabulary::PermissionCode;

    use super::*;

    const ALL: [&str; 8] = [
        "15",
        "FinancialReconciliation",
        "financial",
        "financial_01",
        "financial_02",
        "financial_03",
        "financial_04",
        "financial_05",
    ];

    fn left(status: Option<i64>, level: Option<i64>) -> Vec<String> {
        let all: CodeSet =
            ALL.iter().map(|code| PermissionCode::try_from((*code).to_owned()).unwrap()).collect();
        let gated = gate_financial(&all, FinancialAccount { status, level });
        gated.iter().cloned().map(String::from).collect()
    }

    #[test]
    fn gate_001_002_003_without_status_2_only_two_financial_codes_stay() {
        for status in [None, Some(0), Some(1), Some(3), Some(-2), Some(20)] {
            for level in [None, Some(1), Some(2)] {
                let expected = ["15", "FinancialReconciliation", "financial", "financial_02"];
                assert_eq!(left(status, level), expected, "{status:?} {level:?}");
            }
        }
    }

    #[test]
    fn gate_004_the_reconciliation_report_is_no_financial_code() {
        for status in [None, Some(1), Some(2)] {
            assert!(left(status, Some(1)).contains(&"FinancialReconciliation".to_owned()));
        }
    }

    #[test]
    fn gate_005_006_level_1_with_status_2_loses_bill_details_and_objections() {
        let expected =
            ["15", "FinancialReconciliation", "financial", "financial_01", "financial_02", "financial_05"];
        assert_eq!(left(Some(2), Some(1)), expected);
    }

    #[test]
    fn gate_007_every_other_level_with_status_2_keeps_all() {
        for level in [None, Some(0), Some(2), Some(3)] {
            assert_eq!(left(Some(2), level), ALL, "{level:?}");
        }
    }
}
