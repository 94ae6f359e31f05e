-- Cards on sale (骑行卡、会员卡、优惠卡), their versions, and what riders hold of them.
create table read.card_product (
    product_id     bigint   primary key,
    agent_id       bigint   not null,
    kind           smallint not null,              -- 1 时长卡 … 6 优惠卡
    name           text     not null,              -- of what was written last
    state          smallint not null,              -- 0 disabled, 1 enabled, 2 deleted
    sort           integer  not null,
    number         bigint   not null,              -- the newest version that was not taken back, 0 before the first
    draft          jsonb,                          -- what is being written
    off            jsonb    not null,              -- when it was switched off
    sold           bigint   not null,
    sold_cents     bigint   not null,
    refunded       bigint   not null,
    refunded_cents bigint   not null,
    created_at_ms  bigint   not null,
    updated_at_ms  bigint   not null,
    version        bigint   not null
);
create index card_product_agent on read.card_product (agent_id, kind, sort, product_id);
create index card_product_newest on read.card_product (updated_at_ms desc, product_id desc);
select wheelhouse.guard_table('read.card_product');

create table read.card_product_version (
    product_id      bigint         not null,
    number          bigint         not null,
    agent_id        bigint         not null,
    from_at_ms      bigint         not null,
    until_at_ms     bigint,
    published_at_ms bigint         not null,
    withdrawn       boolean        not null,
    counts          int8multirange not null,       -- epoch milliseconds
    form            jsonb          not null,
    primary key (product_id, number)
);
select wheelhouse.guard_table('read.card_product_version');

create table read.card_holding (
    holding_id      bigint   primary key,
    rider_id        bigint   not null,
    agent_id        bigint   not null,
    area_id         bigint   not null,             -- where the rider registered
    product_id      bigint   not null,
    number          bigint   not null,
    kind            smallint not null,
    card            jsonb    not null,             -- as it was bought
    price_cents     bigint   not null,
    payment_id      bigint,                        -- none: from the wallet
    channel         smallint not null,             -- 0 the wallet
    bought_at_ms    bigint   not null,
    starts_at_ms    bigint   not null,
    until_at_ms     bigint   not null,
    total_times     integer,                       -- none: not counted in all
    used_times      integer  not null,
    use_day         bigint,                        -- of the last use, days since 1970 in Shanghai
    day_times       integer  not null,             -- uses on that day
    saved_cents     bigint   not null,
    last_use_at_ms  bigint,
    last_order_id   bigint,
    refunded_at_ms  bigint,
    refunded_cents  bigint   not null,
    refund_to       smallint,
    refund_reason   text     not null,
    position        bigint   not null,             -- of the event that changed it last
    check (used_times >= 0 and day_times >= 0 and refunded_cents between 0 and price_cents)
);
create index card_holding_newest on read.card_holding (bought_at_ms desc, holding_id desc);
create index card_holding_rider on read.card_holding (rider_id, bought_at_ms desc, holding_id desc);
create index card_holding_product on read.card_holding (product_id, bought_at_ms desc, holding_id desc);
create index card_holding_agent on read.card_holding (agent_id, bought_at_ms desc, holding_id desc);
create index card_holding_area on read.card_holding (area_id, bought_at_ms desc, holding_id desc);
select wheelhouse.guard_table('read.card_holding');
