-- The door: what lets a browser in. None of this is an event: sessions, exchange keys and nonces are short-lived
-- secrets and counters, sealed or hashed, and swept when their time is over.

-- A session is made by the key exchange, proved for one phone, signed in by one operator. `_t` itself is not kept,
-- only its hash; `_k` is sealed under a key derived from the master key and bound to that hash.
create table door.sessions (
    id            bigint generated always as identity primary key,
    token_sha256  bytea       not null check (length(token_sha256) = 32),
    key_sealed    bytea       not null,
    device_code   text        not null check (length(device_code) between 1 and 128),
    proved_phone  text,
    proved_object text,
    operator_id   bigint,
    created_at    timestamptz not null,
    expires_at    timestamptz not null,
    ended_at      timestamptz,
    constraint sessions_token_sha256_key unique (token_sha256),
    -- Nobody signs in on a session that proved no phone.
    constraint sessions_signed_in_after_proof check (operator_id is null or proved_phone is not null)
);
create index sessions_operator_id_idx on door.sessions (operator_id) where ended_at is null;
create index sessions_over_at_idx on door.sessions (least(ended_at, expires_at));

-- RSA keys of the key exchange, shared by all nodes so that any of them can answer.
create table door.exchange_keys (
    id             text        primary key,
    private_sealed bytea       not null,
    created_at     timestamptz not null
);

-- Nonces of commands taken in the last minutes: a box is not taken twice, whichever node it is sent to. Unlogged,
-- because a row is worth something for eleven minutes only and is written before every command.
create unlogged table door.nonces (
    session_id bigint      not null,
    nonce      bytea       not null check (length(nonce) = 12),
    seen_at    timestamptz not null,
    primary key (session_id, nonce)
);
create index nonces_seen_at_idx on door.nonces (seen_at);

-- The application's role keeps these tables; it owns none of them.
grant select, insert, update, delete on door.sessions, door.exchange_keys, door.nonces to wheelhouse_app;
