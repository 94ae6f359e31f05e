//! The provider at work: takes what is asked, lets things happen at their time, and tells the platform.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use chrono::NaiveDate;
use payment_port::{
    Fault, Message, Mode, Payment, PaymentOrder, Received, Refund, RefundNo, RefundOrder, Signer, Stamp,
    StatementPage, TradeNo, Verifier,
};
use rand::RngCore;
use rand::rngs::OsRng;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use vocabulary::{Clock, SystemClock, Timestamp};

use crate::book::{Book, KeptPayment};
use crate::entry::Entry;
use crate::journal::Journal;
use crate::options::{Mishaps, Options};
use crate::queue::Queue;

/// Notices on their way at the same time.
const SENDING: usize = 32;
const NOTICE_TIMEOUT: Duration = Duration::from_secs(5);
/// Of the answer to a notice, this much is read.
const RECEIVED_MAX_BYTES: usize = 4 * 1024;

/// What happens by itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    /// Money is taken as it was agreed to.
    Take(TradeNo),
    /// The time to pay is over.
    Expire(TradeNo),
    /// A refund ends.
    EndRefund(RefundNo),
}

/// Shared by all requests.
pub struct Provider {
    kept: Mutex<Kept>,
    deeds: Queue<Deed>,
    /// Ids of notices.
    sends: Queue<String>,
    mishaps: Mishaps,
    merchant: String,
    public_url: String,
    signer: Signer,
    /// For what the platform asks.
    pub verifier: Verifier,
    http: reqwest::Client,
    slots: Arc<Semaphore>,
}

struct Kept {
    book: Book,
    journal: Journal,
}

impl Provider {
    /// With what its file says.
    pub fn open(options: &Options, public_url: String) -> Result<Self> {
        let signer = options.signer()?;
        let mut book = Book::new(options.most as usize);
        let journal = Journal::open(&options.state_file, |entry| book.follow(&entry))?;
        let (deeds, sends) = (Queue::default(), Queue::default());
        deeds.add(book.payments().flat_map(deeds_of));
        deeds.add(
            book.refunds().map(|refund| (refund.ends_at, Deed::EndRefund(refund.order.refund_no.clone()))),
        );
        sends.add(
            book.notices()
                .flat_map(|kept| kept.pending.iter().map(|due| (*due, kept.notice.notice_id.clone()))),
        );
        let http = reqwest::Client::builder()
            .timeout(NOTICE_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()?;
        Ok(Self {
            kept: Mutex::new(Kept { book, journal }),
            deeds,
            sends,
            mishaps: options.mishaps.settled(),
            merchant: options.merchant.clone(),
            public_url,
            verifier: Verifier::new(signer.clone()),
            signer,
            http,
            slots: Arc::new(Semaphore::new(SENDING)),
        })
    }

    /// Who signs answers.
    pub fn signer(&self) -> &Signer {
        &self.signer
    }

    /// Whom payers pay.
    pub fn merchant(&self) -> &str {
        &self.merchant
    }

    /// Takes a payment, once.
    pub fn pay(&self, order: &PaymentOrder) -> Result<Payment, Fault> {
        let now = now();
        let mut kept = self.kept();
        if kept.book.is_new_payment(order, now)? {
            let agreed = order.mode == Mode::Agreed;
            let entry = Entry::Asked {
                order: order.clone(),
                provider_no: provider_no("payment", order.trade_no.as_str()),
                cashier: (!agreed).then(token),
                decides_at: agreed.then(|| now.plus_millis(self.mishaps.of_agreed(order).after_ms)),
                at: now,
            };
            kept.record(&[entry])?;
            self.deeds.add(kept.book.payment(&order.trade_no).into_iter().flat_map(deeds_of));
        }
        Ok(kept.book.payment(&order.trade_no)?.shown(&self.public_url))
    }

    /// How a payment stands.
    pub fn payment(&self, trade_no: &TradeNo) -> Result<Payment, Fault> {
        Ok(self.kept().book.payment(trade_no)?.shown(&self.public_url))
    }

    /// Lets it be paid no more.
    pub fn close(&self, trade_no: &TradeNo) -> Result<Payment, Fault> {
        let mut kept = self.kept();
        if let Some(entry) = kept.book.close(trade_no, now())? {
            self.happens(&mut kept, entry)?;
        }
        Ok(kept.book.payment(trade_no)?.shown(&self.public_url))
    }

    /// Takes a refund, once.
    pub fn refund(&self, order: &RefundOrder) -> Result<Refund, Fault> {
        let now = now();
        let mut kept = self.kept();
        if kept.book.is_new_refund(order)? {
            let number = order.refund_no.as_str();
            let ends_at = now.plus_millis(self.mishaps.of_refund(number).after_ms);
            let provider_no = provider_no("refund", number);
            kept.record(&[Entry::RefundAsked { order: order.clone(), provider_no, ends_at, at: now }])?;
            self.deeds.add([(ends_at, Deed::EndRefund(order.refund_no.clone()))]);
        }
        Ok(kept.book.refund(&order.refund_no)?.shown())
    }

    /// How a refund stands.
    pub fn refund_of(&self, refund_no: &RefundNo) -> Result<Refund, Fault> {
        Ok(self.kept().book.refund(refund_no)?.shown())
    }

    /// What moved.
    pub fn statement(&self, day: NaiveDate, after: usize, limit: usize) -> Result<StatementPage, Fault> {
        self.kept().book.statement(day, after, limit, now())
    }

    /// What a payer sees; nothing when there is no such page.
    pub fn at_cashier(&self, token: &str) -> Option<KeptPayment> {
        self.kept().book.at_cashier(token).cloned()
    }

    /// What a payer says.
    pub fn answer_at_cashier(&self, token: &str, confirms: bool) -> Result<(), Fault> {
        let mut kept = self.kept();
        match kept.book.answer_at_cashier(token, confirms, now()) {
            Some(entry) => self.happens(&mut kept, entry),
            None => Ok(()),
        }
    }

    /// Lets happen what is due, for ever.
    pub async fn act(self: Arc<Self>) {
        loop {
            while let Some((_, deed)) = self.deeds.due(now()) {
                if let Err(fault) = self.does(&deed) {
                    tracing::error!(%fault, "cannot be written down; tried again");
                    self.deeds.add([(now().plus_millis(1_000), deed)]);
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
            self.deeds.wait(now()).await;
        }
    }

    fn does(&self, deed: &Deed) -> Result<(), Fault> {
        let mut kept = self.kept();
        let now = now();
        let entry = match deed {
            Deed::Take(trade_no) => {
                let fate =
                    kept.book.payment(trade_no).ok().map(|payment| self.mishaps.of_agreed(&payment.order));
                fate.and_then(|fate| kept.book.take(trade_no, fate.refusal, now))
            }
            Deed::Expire(trade_no) => kept.book.expire(trade_no, now),
            Deed::EndRefund(refund_no) => {
                kept.book.end_refund(refund_no, self.mishaps.of_refund(refund_no.as_str()).refusal, now)
            }
        };
        entry.map_or(Ok(()), |entry| self.happens(&mut kept, entry))
    }

    /// Sends notices at their time, for ever.
    pub async fn tell(self: Arc<Self>) {
        loop {
            while let Some((due, notice_id)) = self.sends.due(now()) {
                let Ok(slot) = Arc::clone(&self.slots).acquire_owned().await else { return };
                let this = Arc::clone(&self);
                tokio::spawn(async move {
                    this.send(&notice_id, due).await;
                    drop(slot);
                });
            }
            self.sends.wait(now()).await;
        }
    }

    async fn send(&self, notice_id: &str, due: Timestamp) {
        let Some((notice, url)) =
            self.kept().book.notice(notice_id).map(|kept| (kept.notice.clone(), kept.url.clone()))
        else {
            return;
        };
        let body = serde_json::to_vec(&notice).expect("plain data");
        let received = match self.post(&url, body).await {
            Ok(received) => received,
            Err(error) => {
                tracing::info!(notice_id, error = %error.without_url(), "a notice was not taken");
                false
            }
        };
        let mut kept = self.kept();
        let Some((sent, known)) = kept.book.notice(notice_id).map(|kept| (kept.sent, kept.received)) else {
            return;
        };
        let pause = self.mishaps.pause_ms(sent.saturating_add(1)).filter(|_| !received && !known);
        let again = pause.map(|pause| now().plus_millis(pause));
        let entry = Entry::Told { notice_id: notice_id.to_owned(), due, received, again };
        if let Err(fault) = kept.record(&[entry]) {
            tracing::error!(%fault, "cannot be written down; the notice is sent again after the next start");
        } else if let Some(again) = again {
            self.sends.add([(again, notice_id.to_owned())]);
        }
    }

    /// Whether the platform took it.
    async fn post(&self, url: &str, body: Vec<u8>) -> reqwest::Result<bool> {
        let url: reqwest::Url = url.parse().expect("the order was checked");
        let path =
            url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        let stamp = Stamp { at: now(), nonce: &token() };
        let signed = self.signer.headers(&Message::request("POST", &path), &stamp, &body);
        let request =
            self.http.post(url).headers(signed).header("content-type", "application/json").body(body);
        let mut answer = request.send().await?;
        let mut said = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            said.extend_from_slice(&chunk);
            if said.len() > RECEIVED_MAX_BYTES {
                return Ok(false);
            }
        }
        let received = serde_json::from_slice::<Received>(&said).is_ok_and(|said| said.received);
        Ok(answer.status() == reqwest::StatusCode::OK && received)
    }

    /// Writes down how something ended, and what is told of it.
    fn happens(&self, kept: &mut Kept, entry: Entry) -> Result<(), Fault> {
        let told = kept.book.tells(&entry, now());
        let (mut entries, mut sends) = (vec![entry], Vec::new());
        if let Some((notice, url)) = told {
            let delays = self.mishaps.of_notice(&notice.notice_id);
            let times: Vec<Timestamp> = delays.into_iter().map(|ms| notice.at.plus_millis(ms)).collect();
            if times.is_empty() {
                tracing::info!(notice_id = notice.notice_id, "this notice is lost");
            } else {
                sends.extend(times.iter().map(|due| (*due, notice.notice_id.clone())));
                entries.push(Entry::Telling { notice, url, times });
            }
        }
        kept.record(&entries)?;
        self.sends.add(sends);
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Writes, and then follows: what cannot be written did not happen.
    fn record(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        if let Err(error) = self.journal.add(entries) {
            tracing::error!(error = format!("{error:#}"), "the file cannot be written");
            return Err(Fault::Busy);
        }
        for entry in entries {
            self.book.follow(entry);
        }
        if self.journal.is_large()
            && let Err(error) = self.journal.replace(&self.book.snapshot())
        {
            tracing::error!(error = format!("{error:#}"), "the file cannot be written anew; it grows on");
        }
        Ok(())
    }
}

/// What will happen to a payment by itself.
fn deeds_of(payment: &KeptPayment) -> Vec<(Timestamp, Deed)> {
    if payment.state.is_end() {
        return Vec::new();
    }
    let trade_no = &payment.order.trade_no;
    let taken = payment.decides_at.map(|at| (at, Deed::Take(trade_no.clone())));
    let mut deeds = vec![(payment.order.expires_at, Deed::Expire(trade_no.clone()))];
    deeds.extend(taken);
    deeds
}

fn now() -> Timestamp {
    SystemClock.now()
}

/// 32 letters that nobody can foresee.
fn token() -> String {
    let mut bytes = [0; 16];
    OsRng.fill_bytes(&mut bytes);
    hex::encode(bytes)
}

/// The provider's own number of something.
fn provider_no(kind: &str, number: &str) -> String {
    hex::encode(&Sha256::digest(format!("{kind}\n{number}"))[..12])
}
