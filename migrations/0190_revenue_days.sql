-- 每日统计: what belongs to a day of an area, added up of the log. A closed day never changes (docs/adr/0052).
create table read.revenue_day (
    day                       bigint not null,              -- of Shanghai, since 1970
    agent_id                  bigint not null,
    area_id                   bigint not null,              -- 0: of no area, such as money paid into wallets
    updated_at_ms             bigint not null,              -- the newest of what was recorded
    orders                    bigint not null,              -- by their end
    short_orders              bigint not null,
    free_orders               bigint not null,
    card_orders               bigint not null,
    discount_orders           bigint not null,
    usual_cents               bigint not null,              -- of orders that are not short, as the next two
    riding_s                  bigint not null,
    distance_m                bigint not null,
    fare_cents                bigint not null,              -- 应收 A is this less what was lowered
    lowered_cents             bigint not null,
    lowered_past_cents        bigint not null,              -- of rides of earlier days
    paid_third_cents          bigint not null,              -- E, through channels
    paid_recharge_cents       bigint not null,
    paid_present_cents        bigint not null,
    arrears_third_cents       bigint not null,              -- D, through channels
    arrears_recharge_cents    bigint not null,
    arrears_present_cents     bigint not null,
    written_off_cents         bigint not null,
    top_up_cents              bigint not null,
    card_third_cents          bigint not null,
    card_recharge_cents       bigint not null,
    ride_refund_third_cents   bigint not null,
    ride_refund_wallet_cents  bigint not null,
    card_refund_third_cents   bigint not null,
    card_refund_wallet_cents  bigint not null,
    balance_back_cents        bigint not null,              -- of wallets
    refund_failed_cents       bigint not null,
    other_cents               bigint not null,
    revenue_cents             bigint not null,              -- 总收益: channels, less what goes back and what is security
    deposit_paid_cents        bigint not null,
    deposit_back_cents        bigint not null,
    gift_cents                bigint not null,
    adjustment_cents          bigint not null,
    late_entries              bigint not null,              -- 补记: their own day was closed
    late_due_cents            bigint not null,
    late_revenue_cents        bigint not null,
    primary key (day, agent_id, area_id),
    -- Revenue is its parts.
    check (revenue_cents = paid_third_cents + arrears_third_cents + top_up_cents + card_third_cents
        - ride_refund_third_cents - card_refund_third_cents - balance_back_cents + refund_failed_cents + other_cents)
);
create index revenue_day_agent on read.revenue_day (agent_id, day);
create index revenue_day_area on read.revenue_day (area_id, day);
select wheelhouse.guard_table('read.revenue_day');

-- What those days are made of: each journal entry with the day that it belongs to.
create table read.revenue_entry (
    position       bigint   primary key,
    day            bigint   not null,
    agent_id       bigint   not null,
    area_id        bigint   not null,                  -- 0: of no area
    rider_id       bigint   not null,
    order_id       bigint,
    what           text     not null,
    channel        smallint,
    is_late        boolean  not null,
    is_of_earlier  boolean  not null,                  -- about a ride of an earlier day
    at_ms          bigint   not null,                  -- the moment that it is booked for
    recorded_at_ms bigint   not null,
    moved_cents    bigint   not null,                  -- all that it moves
    due_cents      bigint   not null,                  -- 应收 A
    received_cents bigint   not null,                  -- 实收 E or D
    refund_cents   bigint   not null,                  -- 退款 by the way it came
    revenue_cents  bigint   not null                   -- 总收益
);
create index revenue_entry_newest on read.revenue_entry (day desc, position desc);
create index revenue_entry_agent on read.revenue_entry (agent_id, day desc, position desc);
create index revenue_entry_area on read.revenue_entry (area_id, day desc, position desc);
create index revenue_entry_ride on read.revenue_entry (order_id) where what = 'ride';
select wheelhouse.guard_table('read.revenue_entry');
