//! Which devices have to be told of: each says what it is whenever it connects, and that is seldom news.

use std::collections::HashMap;

use fleet::model::device::About;

/// What was told in this term, of devices that memory knows: memory hears of it later.
#[derive(Default)]
pub(super) struct Introduced(HashMap<String, About>);

impl Introduced {
    /// Whether it is news that this device, which is on a bike, says so. `known` is what memory holds of it; nothing: it never said.
    pub(super) fn is_news(&mut self, imei: &str, about: &About, known: Option<&About>) -> bool {
        let told = self.0.get(imei);
        if told.or(known) == Some(about) {
            return false;
        }
        self.0.insert(imei.to_owned(), about.clone());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(firmware: &str) -> About {
        About::new("WH-EC20".to_owned(), firmware.to_owned()).unwrap()
    }

    #[test]
    fn what_memory_knows_is_no_news_and_what_was_told_is_not_told_again() {
        let mut introduced = Introduced::default();
        let (old, new) = (about("1.0.3"), about("1.1.0"));
        assert!(!introduced.is_news("1", &old, Some(&old)));
        assert!(introduced.is_news("1", &new, Some(&old)));
        assert!(!introduced.is_news("1", &new, Some(&old)), "memory has not heard of it yet");
        assert!(introduced.is_news("1", &old, Some(&old)), "it went back before memory heard of it");
        assert!(introduced.is_news("2", &old, None), "it never said so before");
    }
}
