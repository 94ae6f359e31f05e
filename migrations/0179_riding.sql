-- What each book holds now: a wallet with its deposit and debts.
create table read.ledger_book (
    book             text     primary key,            -- kind and number of its holder
    holder_kind      smallint not null,
    holder_id        bigint   not null,
    agent_id         bigint   not null,
    recharge_cents   bigint   not null,
    present_cents    bigint   not null,
    deposit_cents    bigint   not null,
    refund_due_cents bigint   not null,
    receivable_cents bigint   not null,
    held_cents       bigint   not null,
    holds            jsonb    not null,
    updated_at_ms    bigint   not null,
    version          bigint   not null,
    check (recharge_cents >= 0 and present_cents >= 0 and deposit_cents >= 0 and refund_due_cents >= 0
        and receivable_cents >= 0 and held_cents >= 0)
);
create index ledger_book_holder on read.ledger_book (holder_id);
create index ledger_book_owing on read.ledger_book (agent_id, receivable_cents) where receivable_cents > 0;
select wheelhouse.guard_table('read.ledger_book');

-- What each book held after the last entry that was taken in.
create table read.ledger_after (
    book        text     primary key,
    agent_id    bigint   not null,
    after_cents bigint[] not null                      -- recharge, present, deposit, receivable
);
select wheelhouse.guard_table('read.ledger_after');

-- Every journal entry: what it added to each kind of account; together they sum to nothing.
create table read.ledger_entry (
    position              bigint   primary key,
    holder_kind           smallint not null,
    holder_id             bigint   not null,
    agent_id              bigint   not null,
    area_id               bigint,
    what                  text     not null,           -- what happened, such as ride or top-up
    cause                 text     not null,
    channel               smallint,
    at_ms                 bigint   not null,           -- the moment that it is booked for
    recorded_at_ms        bigint   not null,
    channel_cents         bigint   not null,
    receivable_cents      bigint   not null,
    recharge_cents        bigint   not null,
    present_cents         bigint   not null,
    deposit_cents         bigint   not null,
    refund_due_cents      bigint   not null,
    ride_income_cents     bigint   not null,
    penalty_income_cents  bigint   not null,
    card_income_cents     bigint   not null,
    gift_cost_cents       bigint   not null,
    write_off_cents       bigint   not null,
    ride_refund_cents     bigint   not null,
    card_refund_cents     bigint   not null,
    adjustment_cents      bigint   not null,
    recharge_after_cents  bigint   not null,
    present_after_cents   bigint   not null,
    deposit_after_cents   bigint   not null,
    receivable_after_cents bigint  not null,
    -- Assets and expenses grow on the left, liabilities and income on the right.
    check (channel_cents + receivable_cents + gift_cost_cents + write_off_cents + ride_refund_cents + card_refund_cents
        + adjustment_cents = recharge_cents + present_cents + deposit_cents + refund_due_cents + ride_income_cents
        + penalty_income_cents + card_income_cents)
);
create index ledger_entry_holder on read.ledger_entry (holder_id, position desc);
create index ledger_entry_agent on read.ledger_entry (agent_id, at_ms);
create unique index ledger_entry_cause on read.ledger_entry (cause);
select wheelhouse.guard_table('read.ledger_entry');

-- Riders.
create table read.rider (
    rider_id           bigint   primary key,
    agent_id           bigint   not null,
    area_id            bigint   not null,
    channel            smallint not null,
    phone              text     not null,              -- empty once he was forgotten
    phone_masked       text     not null,
    name               text     not null,
    name_masked        text     not null,
    id_no_masked       text     not null,
    is_verified        boolean  not null,
    verified_at_ms     bigint,
    is_frozen          boolean  not null,
    is_closed          boolean  not null,
    blacklisted        jsonb    not null,              -- entries with their ends
    qualified          jsonb    not null,              -- paths with their ends
    deposit_state      smallint not null,
    deposit_cents      bigint   not null,
    created_at_ms      bigint   not null,
    updated_at_ms      bigint   not null,
    version            bigint   not null
);
create index rider_newest on read.rider (created_at_ms desc, rider_id desc);
create index rider_agent on read.rider (agent_id, created_at_ms desc, rider_id desc);
create index rider_area on read.rider (area_id, created_at_ms desc, rider_id desc);
create index rider_phone on read.rider (phone) where phone <> '';
select wheelhouse.guard_table('read.rider');

-- What orders tell of their riders.
create table read.rider_riding (
    rider_id         bigint   primary key,
    agent_id         bigint   not null,
    open_order_id    bigint,
    open_state       smallint,                         -- 0 预约中, 1 骑行中
    open_paused      boolean  not null,
    total_orders     bigint   not null,                -- that came to a ride
    total_paid_cents bigint   not null,                -- less what went back
    last_order_at_ms bigint
);
select wheelhouse.guard_table('read.rider_riding');

-- Ride orders.
create table read.ride_order (
    order_id           bigint   primary key,
    rider_id           bigint   not null,
    car_id             text     not null,
    imei               text     not null,
    agent_id           bigint   not null,
    area_id            bigint   not null,
    state              smallint not null,
    is_unlocking       boolean  not null,
    is_paused          boolean  not null,
    is_modified        boolean  not null,
    cancel_reason      smallint,
    billing_version    bigint   not null,
    opened_at_ms       bigint   not null,
    reserved_until_ms  bigint,
    start_at_ms        bigint,
    end_at_ms          bigint,
    pause_at_ms        bigint,
    paused_ms          bigint   not null,
    paid_at_ms         bigint,
    end_kind           smallint,
    class              smallint,                       -- 0 规范停放 … 4 禁行区
    distance_m         bigint   not null,
    riding_s           bigint   not null,
    start_lat          double precision,
    start_lng          double precision,
    end_lat            double precision,
    end_lng            double precision,
    start_parking_id   bigint,
    end_fence_id       bigint,
    end_fence_version  bigint,
    certainty_percent  smallint,
    evidence           jsonb,
    pricing            jsonb,
    origin_cents       bigint   not null,
    card_cents         bigint   not null,
    discount_cents     bigint   not null,
    dispatch_cents     bigint   not null,
    helmet_cents       bigint   not null,
    pay_cents          bigint   not null,
    paid_cents         bigint   not null,
    recharge_cents     bigint   not null,
    present_cents      bigint   not null,
    third_cents        bigint   not null,
    refund_cents       bigint   not null,
    written_off_cents  bigint   not null,
    channel            smallint,
    updated_at_ms      bigint   not null,
    version            bigint   not null
);
create index ride_order_newest on read.ride_order (opened_at_ms desc, order_id desc);
create index ride_order_agent on read.ride_order (agent_id, opened_at_ms desc, order_id desc);
create index ride_order_area on read.ride_order (area_id, opened_at_ms desc, order_id desc);
create index ride_order_rider on read.ride_order (rider_id, opened_at_ms desc, order_id desc);
create index ride_order_car on read.ride_order (car_id, opened_at_ms desc, order_id desc);
create index ride_order_open on read.ride_order (opened_at_ms) where state in (0, 1);
create index ride_order_ended on read.ride_order (area_id, end_at_ms) where end_at_ms is not null;
select wheelhouse.guard_table('read.ride_order');
