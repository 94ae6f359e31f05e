//! The access token: a JWT signed by EdDSA. Carries who and what is selected; what the caller may do is looked up
//! on each request, so a token never outlives a decision about its account.

use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::EncodePrivateKey;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use rand::RngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, AreaId, OperatorId, Phone, Reach, Scope, Timestamp};

use crate::{SecretKey, SessionId};

/// How long a token lives.
const LIFE_S: i64 = 7 * 24 * 3600;

/// The claims of an access token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claims {
    /// Selected agents; empty means all that the operator may see.
    pub agent_ids: Vec<AgentId>,
    /// Selected service areas; empty means all that the operator may see.
    pub op_area_ids: Vec<AreaId>,
    /// The operator.
    pub user_id: OperatorId,
    /// The operator's phone.
    pub phone: Phone,
    /// The operator's own agent.
    pub agent_id: Option<AgentId>,
    /// The client's build.
    pub build: String,
    /// The client's device.
    pub dev_id: String,
    /// The client's package name.
    pub package: String,
    /// The token's own id.
    pub jti: String,
    /// When it was issued, epoch seconds.
    pub iat: i64,
    /// When it stops being valid, epoch seconds.
    pub exp: i64,
    /// The permission version at issue, for the client to notice a change.
    pub pv: i64,
    /// The session that it belongs to; it is worthless with another `_t`.
    pub sid: SessionId,
}

impl Claims {
    /// What is selected, as a scope that narrows the true one.
    pub fn selection(&self) -> Scope {
        fn reach<T: Ord + Copy>(ids: &[T]) -> Reach<T> {
            if ids.is_empty() { Reach::All } else { Reach::only(ids.iter().copied()) }
        }
        Scope::of(reach(&self.agent_ids), reach(&self.op_area_ids))
    }
}

/// What a token is to say; id, issue time and expiry are added.
#[derive(Clone, Debug)]
pub struct TokenSubject {
    /// Selected agents; empty means all.
    pub agent_ids: Vec<AgentId>,
    /// Selected service areas; empty means all.
    pub op_area_ids: Vec<AreaId>,
    /// The operator.
    pub operator: OperatorId,
    /// The operator's phone.
    pub phone: Phone,
    /// The operator's own agent.
    pub agent: Option<AgentId>,
    /// The client's build.
    pub build: String,
    /// The client's device.
    pub dev_id: String,
    /// The client's package name.
    pub package: String,
    /// The permission version now.
    pub permission_version: i64,
    /// The session.
    pub session: SessionId,
}

/// A signed token.
#[derive(Clone)]
pub struct IssuedToken {
    /// The JWT.
    pub token: String,
    /// Its id.
    pub jti: String,
    /// When it stops being valid.
    pub expires_at: Timestamp,
}

impl std::fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IssuedToken").field("jti", &self.jti).finish_non_exhaustive()
    }
}

/// Why a token is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Not signed by us, or not a token.
    #[error("the token is not ours")]
    Forged,
    /// Its time is over.
    #[error("the token has expired")]
    Expired,
}

/// Signs and checks access tokens.
#[derive(Clone)]
pub struct TokenKeys {
    signing: EncodingKey,
    verifying: DecodingKey,
    validation: Validation,
}

impl std::fmt::Debug for TokenKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenKeys(…)")
    }
}

impl TokenKeys {
    /// From an Ed25519 seed.
    pub fn from_seed(seed: &SecretKey) -> Self {
        let key = SigningKey::from_bytes(seed.expose());
        let pkcs8 = key.to_pkcs8_der().expect("an Ed25519 key has a PKCS#8 form");
        let mut validation = Validation::new(Algorithm::EdDSA);
        // Expiry is checked against the system's clock, below.
        validation.validate_exp = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        Self {
            signing: EncodingKey::from_ed_der(pkcs8.as_bytes()),
            verifying: DecodingKey::from_ed_der(key.verifying_key().as_bytes()),
            validation,
        }
    }

    /// Signs a token that is valid for seven days from `now`.
    pub fn issue(&self, subject: TokenSubject, now: Timestamp) -> IssuedToken {
        let mut jti = [0; 16];
        OsRng.fill_bytes(&mut jti);
        let iat = now.millis() / 1000;
        let claims = Claims {
            agent_ids: subject.agent_ids,
            op_area_ids: subject.op_area_ids,
            user_id: subject.operator,
            phone: subject.phone,
            agent_id: subject.agent,
            build: subject.build,
            dev_id: subject.dev_id,
            package: subject.package,
            jti: hex::encode(jti),
            iat,
            exp: iat + LIFE_S,
            pv: subject.permission_version,
            sid: subject.session,
        };
        let expires_at = Timestamp::from_millis(claims.exp * 1000);
        IssuedToken { token: self.sign(&claims), jti: claims.jti, expires_at }
    }

    pub(crate) fn sign(&self, claims: &Claims) -> String {
        jsonwebtoken::encode(&Header::new(Algorithm::EdDSA), claims, &self.signing)
            .expect("an Ed25519 key signs any claims")
    }

    /// The claims of a token that we signed and that is valid at `now`.
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<Claims, TokenError> {
        let data = jsonwebtoken::decode::<Claims>(token, &self.verifying, &self.validation)
            .map_err(|_| TokenError::Forged)?;
        if now.millis() >= data.claims.exp.saturating_mul(1000) {
            return Err(TokenError::Expired);
        }
        Ok(data.claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn subject() -> TokenSubject {
        TokenSubject {
            agent_ids: vec![AgentId(2)],
            op_area_ids: Vec::new(),
            operator: OperatorId(9),
            phone: "13800000000".parse().unwrap(),
            agent: Some(AgentId(2)),
            build: "1".into(),
            dev_id: "d".into(),
            package: "p".into(),
            permission_version: 3,
            session: SessionId(5),
        }
    }

    #[test]
    fn a_token_lives_seven_days_and_not_a_millisecond_more() {
        let keys = TokenKeys::from_seed(&SecretKey::new([1; 32]));
        let issued = keys.issue(subject(), NOW);
        assert_eq!(issued.expires_at, NOW.plus_millis(LIFE_S * 1000));
        assert!(keys.verify(&issued.token, issued.expires_at.plus_millis(-1)).is_ok());
        assert_eq!(keys.verify(&issued.token, issued.expires_at), Err(TokenError::Expired));
    }

    #[test]
    fn a_token_of_another_key_or_with_changed_claims_is_forged() {
        let keys = TokenKeys::from_seed(&SecretKey::new([1; 32]));
        let other = TokenKeys::from_seed(&SecretKey::new([2; 32]));
        let issued = keys.issue(subject(), NOW);
        assert_eq!(other.verify(&issued.token, NOW), Err(TokenError::Forged));
        let foreign = other.issue(subject(), NOW);
        let mut parts: Vec<&str> = issued.token.split('.').collect();
        parts[1] = foreign.token.split('.').nth(1).unwrap();
        assert_eq!(keys.verify(&parts.join("."), NOW), Err(TokenError::Forged));
        assert_eq!(keys.verify("", NOW), Err(TokenError::Forged));
    }

    #[test]
    fn an_unsigned_token_is_forged() {
        let keys = TokenKeys::from_seed(&SecretKey::new([1; 32]));
        let issued = keys.issue(subject(), NOW);
        let claims = issued.token.split('.').nth(1).unwrap();
        // {"alg":"none","typ":"JWT"}
        let unsigned = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{claims}.");
        assert_eq!(keys.verify(&unsigned, NOW), Err(TokenError::Forged));
    }

    #[test]
    fn an_empty_selection_is_all_and_a_named_one_narrows() {
        let keys = TokenKeys::from_seed(&SecretKey::new([1; 32]));
        let claims = keys.verify(&keys.issue(subject(), NOW).token, NOW).unwrap();
        let selection = claims.selection();
        assert_eq!(selection.areas, Reach::All);
        let own = Scope::of(Reach::only([AgentId(3)]), Reach::All);
        assert_eq!(own.intersect(&selection).agents, Reach::NONE);
        assert!(!format!("{keys:?}").contains("EncodingKey"));
    }
}
