//! Who is asked for riders' money: said by the settings, looked at by `doctor`.

use crate::stack::{Stack, said};

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_whether_the_payment_provider_answers_and_knows_us() {
    let stack = Stack::start().await;
    let doctor = async |settings: &[(&str, &str)]| said(&stack.task_with(&["doctor"], settings).await);
    let well = doctor(&[]).await;
    assert!(well.contains("ok     the payment provider answers, and knows us"), "{well}");
    let none = doctor(&[("PAYMENT_URL", ""), ("PAYMENT_MERCHANT", ""), ("PAYMENT_NOTIFY_URL", "")]).await;
    assert!(none.contains("ok     no payment provider is set"), "{none}");
    let away = doctor(&[("PAYMENT_URL", "http://127.0.0.1:9")]).await;
    assert!(away.contains("WRONG  the payment provider cannot be reached"), "{away}");
    let secret = "another-secret-of-thirty-two-bytes-or-more";
    let strange = doctor(&[("PAYMENT_SECRET", secret)]).await;
    assert!(strange.contains("WRONG  ") && strange.contains("wrong-signature"), "{strange}");
    assert!(strange.contains("PAYMENT_SECRET must be what the provider knows us by"), "{strange}");
    for told in [well, away, strange] {
        assert!(!told.contains(secret) && !told.contains(&stack.payment_secret()), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_half_a_payment_provider_does_not_start() {
    let stack = Stack::start().await;
    let serve = async |settings: &[(&str, &str)]| {
        let settings = [settings, &[("WHEELHOUSE_LISTEN", "127.0.0.1:0")]].concat();
        let output = stack.task_with(&["serve"], &settings).await;
        assert!(!output.status.success(), "{settings:?}: {}", said(&output));
        said(&output)
    };
    for (settings, told) in [
        ([("PAYMENT_MERCHANT", "")], "are set together or not at all"),
        ([("PAYMENT_SECRET", "short")], "at least 32 bytes"),
        ([("PAYMENT_SECRET", "")], "set PAYMENT_SECRET"),
        ([("PAYMENT_URL", "https://pay.example.com")], "speaks no TLS"),
        ([("PAYMENT_MERCHANT", "two words")], "PAYMENT_MERCHANT"),
        ([("PAYMENT_NOTIFY_URL", "http://127.0.0.1/notices")], "PAYMENT_NOTIFY_URL"),
    ] {
        let refused = serve(&settings).await;
        assert!(refused.contains(told), "{settings:?}: {refused}");
    }
}
