//! What the operator of the system sets about the open feeds: `docs/feeds.md`.

use access::WebConfig;
use anyhow::{Result, ensure};
use clap::Args;
use wire::Origin;

/// Who may read them, and what they say of the system.
#[derive(Clone, Debug, Args)]
pub struct FeedSettings {
    /// Lets anybody read GBFS; else only machines that hold open:feeds.
    #[arg(long, env = "WHEELHOUSE_GBFS_PUBLIC", default_value_t = false, action = clap::ArgAction::Set)]
    pub gbfs_public: bool,
    /// Lets anybody read MDS; else only machines that hold open:feeds.
    #[arg(long, env = "WHEELHOUSE_MDS_PUBLIC", default_value_t = false, action = clap::ArgAction::Set)]
    pub mds_public: bool,
    /// Where readers find them (`https://ops.example.com`). Left out: at the host that they ask for, over http.
    #[arg(long, env = "WHEELHOUSE_FEEDS_URL")]
    pub feeds_url: Option<String>,
    /// The mail address that GBFS gives readers.
    #[arg(long, env = "WHEELHOUSE_FEEDS_EMAIL")]
    pub feeds_email: Option<String>,
    /// Names this system among all in the world; never changed once others read it.
    #[arg(long, env = "WHEELHOUSE_FEEDS_SYSTEM_ID", default_value = FeedSettings::SYSTEM_ID)]
    pub feeds_system_id: String,
    /// What riders call the system. Left out: the company of the web configuration.
    #[arg(long, env = "WHEELHOUSE_FEEDS_NAME")]
    pub feeds_name: Option<String>,
    /// How far a bike goes on a full battery, metres.
    #[arg(long, env = "WHEELHOUSE_FEEDS_RANGE_M", default_value_t = FeedSettings::RANGE_M,
        value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    pub feeds_range_m: u32,
}

impl Default for FeedSettings {
    fn default() -> Self {
        Self {
            gbfs_public: false,
            mds_public: false,
            feeds_url: None,
            feeds_email: None,
            feeds_system_id: Self::SYSTEM_ID.to_owned(),
            feeds_name: None,
            feeds_range_m: Self::RANGE_M,
        }
    }
}

impl FeedSettings {
    const SYSTEM_ID: &'static str = "wheelhouse";
    const RANGE_M: u32 = 50_000;
    /// The mailbox that every host has (RFC 5321), while none is named.
    const NOBODY: &'static str = "postmaster@localhost";

    /// Refuses what readers could not use.
    pub fn check(&self, development: bool) -> Result<()> {
        if let Some(url) = &self.feeds_url {
            let origin = url.parse::<Origin>();
            origin.map_err(|why| anyhow::anyhow!("WHEELHOUSE_FEEDS_URL: {url}: {why}"))?;
        }
        if let Some(email) = &self.feeds_email {
            let parts = email.split_once('@');
            let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
            ensure!(
                parts.is_some_and(|(box_name, host)| is_word(box_name)
                    && is_word(host)
                    && !host.contains('@')),
                "WHEELHOUSE_FEEDS_EMAIL: {email} is no mail address"
            );
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        ensure!(
            (1..=64).contains(&self.feeds_system_id.len()) && self.feeds_system_id.bytes().all(allowed),
            "WHEELHOUSE_FEEDS_SYSTEM_ID must be 1 to 64 letters, digits, - and _"
        );
        ensure!(
            development || !self.gbfs_public || (self.feeds_url.is_some() && self.feeds_email.is_some()),
            "WHEELHOUSE_GBFS_PUBLIC=true needs WHEELHOUSE_FEEDS_URL and WHEELHOUSE_FEEDS_EMAIL: readers are told both"
        );
        ensure!(
            development || !self.mds_public || self.feeds_url.is_some(),
            "WHEELHOUSE_MDS_PUBLIC=true needs WHEELHOUSE_FEEDS_URL: readers are told it"
        );
        Ok(())
    }

    /// What the feeds say of the system.
    pub fn about(&self) -> feeds::About {
        feeds::About {
            system_id: self.feeds_system_id.clone(),
            name: self.feeds_name.clone().unwrap_or_else(|| WebConfig::default().company),
            email: self.feeds_email.clone().unwrap_or_else(|| Self::NOBODY.to_owned()),
            url: self.feeds_url.clone(),
            range_m: self.feeds_range_m,
            gbfs_public: self.gbfs_public,
            mds_public: self.mds_public,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        settings: FeedSettings,
    }

    fn checked(development: bool, words: &[&str]) -> Result<()> {
        Line::parse_from(["wheelhouse"].iter().chain(words)).settings.check(development)
    }

    #[test]
    fn nobody_reads_them_unless_told_so_and_readers_then_know_whom_to_ask() {
        let usual = Line::parse_from(["wheelhouse"]).settings.about();
        assert!(!usual.gbfs_public && !usual.mds_public);
        assert!(checked(false, &[]).is_ok());
        let (url, email) =
            (["--feeds-url", "https://ops.example.com"], ["--feeds-email", "feeds@example.com"]);
        let gbfs = ["--gbfs-public", "true"];
        assert!(checked(true, &gbfs).is_ok(), "the demo");
        assert!(checked(false, &gbfs).is_err() && checked(false, &[gbfs, url].concat()).is_err());
        assert!(checked(false, &[gbfs, url, email].concat()).is_ok());
        let mds = ["--mds-public", "true"];
        assert!(checked(false, &mds).is_err() && checked(false, &[mds, url].concat()).is_ok());
    }

    #[test]
    fn what_readers_cannot_use_stops_the_start() {
        for words in [
            ["--feeds-url", "https://ops.example.com/"],
            ["--feeds-url", "ops.example.com"],
            ["--feeds-email", "feeds"],
            ["--feeds-email", "feeds @example.com"],
            ["--feeds-system-id", "惠行"],
            ["--feeds-system-id", ""],
        ] {
            let told = checked(true, &words).unwrap_err().to_string();
            assert!(told.starts_with("WHEELHOUSE_FEEDS_"), "{words:?}: {told}");
        }
    }
}
