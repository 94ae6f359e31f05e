-- What signing in needs for minutes: SMS codes and their limits, first sight of devices, used quick-login links. And
-- how each client's web application looks, which anybody may read before he is anybody.

-- One row for each phone that asked, known or not: the answer and the limits are the same.
create table door.sms_codes (
    phone      text        primary key,
    code_hash  bytea       check (length(code_hash) = 32),     -- keyed; null once used or when none was sent
    expires_at timestamptz not null,
    tries      smallint    not null,                           -- wrong ones count, and so does the right one
    sent_at    timestamptz not null,
    sent_day   date        not null,                           -- in Asia/Shanghai
    sent_today smallint    not null
);
create index sms_codes_sent_at on door.sms_codes (sent_at);

-- A device that said which phone it is for, before that was proved. Binding follows only when the sign-in of the same
-- device succeeds; nobody can use up the places of another person.
create table door.device_binds (
    phone   text        not null,
    code    text        not null check (length(code) between 1 and 128),
    name    text        not null,
    kind    smallint    not null,
    address text        not null,
    at      timestamptz not null,
    primary key (phone, code)
);
create index device_binds_at on door.device_binds (at);

-- Quick-login links that were used: each works once. Rows are worth something for a minute.
create table door.quick_links (
    nonce   text        primary key,
    used_at timestamptz not null
);
create index quick_links_used_at on door.quick_links (used_at);

-- Web configuration by host name; the row of the empty name serves all others. Keys that a row leaves out keep the
-- defaults of the server's own configuration.
create table door.web_config (
    domain text  primary key check (length(domain) <= 253),
    config jsonb not null check (jsonb_typeof(config) = 'object')
);

grant select, insert, update, delete on door.sms_codes, door.device_binds, door.quick_links to wheelhouse_app;
grant select on door.web_config to wheelhouse_app;
