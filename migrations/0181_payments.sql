-- Payments that riders were asked for.
create table read.payment (
    payment_id     bigint   primary key,
    rider_id       bigint   not null,
    agent_id       bigint   not null,
    area_id        bigint   not null,
    channel        smallint not null,
    agreed         boolean  not null,
    amount_cents   bigint   not null,
    purpose        text     not null,                  -- top_up, ride, deposit, card
    order_id       bigint,
    state          smallint not null,
    provider_no    text     not null,
    note           text     not null,
    refunding_cents bigint  not null,                  -- on its way back, or there
    refunds        jsonb    not null,
    asked_at_ms    bigint   not null,
    until_at_ms    bigint   not null,
    paid_at_ms     bigint,
    updated_at_ms  bigint   not null,
    version        bigint   not null
);
create index payment_newest on read.payment (asked_at_ms desc, payment_id desc);
create index payment_agent on read.payment (agent_id, asked_at_ms desc, payment_id desc);
create index payment_rider on read.payment (rider_id, asked_at_ms desc, payment_id desc);
create index payment_waiting on read.payment (asked_at_ms) where state = 0;
create index payment_refunding on read.payment (updated_at_ms) where refunds @? '$[*] ? (@.state == 0)';
create index payment_provider on read.payment (provider_no) where provider_no <> '';
select wheelhouse.guard_table('read.payment');
