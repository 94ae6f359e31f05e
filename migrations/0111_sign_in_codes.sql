-- Sign-in codes and their counters belong to a phone and to who asks, so that nobody uses up the codes and the guesses
-- of somebody else (docs/adr/0028). Codes live for minutes: those under way are asked for again.
drop table door.sms_codes;

-- One row for each phone and requester: a device (`d:` and its own code), or, where a client names none, a network
-- address (`a:` and the address). Known and unknown phones alike.
create table door.sign_in_codes (
    phone        text        not null,
    requester    text        not null check (length(requester) between 3 and 130),
    code_hash    bytea       check (length(code_hash) = 32),   -- keyed; null once used or when none was sent
    expires_at   timestamptz not null,
    tries        smallint    not null,                         -- wrong ones count, and so does the right one
    sent_at      timestamptz not null,
    locked_until timestamptz,
    primary key (phone, requester)
);
create index sign_in_codes_sent_at on door.sign_in_codes (sent_at);

-- What all strangers to a phone share in a day, and what its known devices share.
create table door.sign_in_phones (
    phone         text     primary key,
    day           date     not null,                           -- in Asia/Shanghai
    asked_known   smallint not null,
    asked_unknown smallint not null,
    wrong_unknown smallint not null,
    unknown_at    timestamptz                                  -- when a stranger was last sent a code
);
create index sign_in_phones_day on door.sign_in_phones (day);

-- Sessions that a quick-login link opened: they end when something changes for who made the link or for whose it is.
create table door.link_sessions (
    session_id  bigint primary key,
    made_by     bigint not null,
    operator_id bigint not null
);
create index link_sessions_made_by on door.link_sessions (made_by);
create index link_sessions_operator_id on door.link_sessions (operator_id);

grant select, insert, update, delete on door.sign_in_codes, door.sign_in_phones, door.link_sessions to wheelhouse_app;
