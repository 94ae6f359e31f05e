-- Payment accounts of franchisees and the bank cards bound to them. Whole numbers, names and phones are in the log
-- alone, sealed: these tables hold what lists show of them.
create table read.payment_account (
    account_id        bigint   primary key,
    agent_id          bigint   not null,
    parent_account_id bigint,
    account_level     smallint,                     -- 1 platform, 2 franchisee; null until it is opened
    account_type      smallint not null,            -- 0 person, 1 company, 2 sole trader
    customer_name     text     not null,
    cert_no           text     not null,            -- masked, as the two below
    contact           text     not null,
    phone             text     not null,
    status            smallint not null,            -- 1 applied, 2 normal, 3 rejected, 4 frozen, 5 closed
    auth_status       smallint not null,            -- 0: transfers were never authorised
    reason            text     not null,            -- of the last status that has one
    pay_password_set  boolean  not null,
    opened_at_ms      bigint,
    created_at_ms     bigint   not null,
    updated_at_ms     bigint   not null,
    revision          bigint   not null             -- what an editor names to be told of others' changes
);
create index payment_account_newest on read.payment_account (created_at_ms desc, account_id desc);
create index payment_account_agent on read.payment_account (agent_id);
select wheelhouse.guard_table('read.payment_account');

create table read.payment_card (
    card_id         bigint   primary key,
    account_id      bigint   not null,
    agent_id        bigint   not null,
    bank_name       text     not null,
    card_no         text     not null,              -- masked, as the two below
    holder          text     not null,
    mobile          text     not null,
    state           smallint not null,              -- 0 pending, 1 bound, 2 failed, 3 unbinding, 4 unbound
    code_sent_at_ms bigint   not null,
    bound_at_ms     bigint,
    reason          text     not null               -- why it failed, or shall go or stay
);
create index payment_card_account on read.payment_card (account_id, card_id desc);
create index payment_card_pending on read.payment_card (code_sent_at_ms) where state = 0;
select wheelhouse.guard_table('read.payment_card');

-- Codes of cards that wait for one: worth something for ten minutes, so no event.
create table door.card_codes (
    card_id    bigint      primary key,
    account_id bigint      not null,
    code_hash  bytea       not null check (length(code_hash) = 32),  -- keyed
    tries      smallint    not null,                                 -- the right one counts too
    sent_at    timestamptz not null
);
create index card_codes_sent_at on door.card_codes (sent_at);
grant select, insert, update, delete on door.card_codes to wheelhouse_app;
