-- Versions of fences and billings that priced rides wrong, with every order of each (受影响订单).
create table read.mispricing (
    mispricing_id    bigint   primary key,
    agent_id         bigint   not null,
    area_id          bigint   not null,
    subject          smallint not null,                -- 1 billing, 2 fence, 3 edge of the area
    fence_id         bigint,
    name             text     not null,                -- what the fence is called
    wrong_version    bigint   not null,
    instead_version  bigint,                           -- none: the fence should not have been there
    from_at_ms       bigint   not null,
    until_at_ms      bigint   not null,
    state            smallint not null,                -- 0 待退还, 1 退还中, 2 已完成, 3 已作废
    examined         bigint   not null,
    is_capped        boolean  not null,
    orders           bigint   not null,                -- whose riders are due something
    riders           bigint   not null,
    back_cents       bigint   not null,                -- to give back of what was paid
    lower_cents      bigint   not null,                -- to lower of what is owed
    higher_orders    bigint   not null,                -- that would have cost more: told, never charged
    higher_cents     bigint   not null,
    given_orders     bigint   not null,
    overtaken_orders bigint   not null,
    failed_orders    bigint   not null,
    given_cents      bigint   not null,
    lowered_cents    bigint   not null,
    is_to_wallet     boolean  not null,
    reason           text     not null,
    found_at_ms      bigint   not null,
    found_by         bigint,                           -- an operator
    begun_at_ms      bigint,
    begun_by         bigint,                           -- the operator on whose word
    ended_at_ms      bigint,
    version          bigint   not null
);
create index mispricing_newest on read.mispricing (found_at_ms desc, mispricing_id desc);
create index mispricing_agent on read.mispricing (agent_id, found_at_ms desc, mispricing_id desc);
create index mispricing_area on read.mispricing (area_id, found_at_ms desc, mispricing_id desc);
create index mispricing_refunding on read.mispricing (mispricing_id) where state = 1;
select wheelhouse.guard_table('read.mispricing');

create table read.mispriced_order (
    mispricing_id bigint   not null,
    order_id      bigint   not null,
    rider_id      bigint   not null,
    agent_id      bigint   not null,
    area_id       bigint   not null,
    priced_cents  bigint   not null,
    should_cents  bigint   not null,
    back_cents    bigint   not null,
    lower_cents   bigint   not null,
    state         smallint not null,                   -- 0 待退还, 1 已退还, 2 已变化, 3 失败, 4 少收
    note          text     not null,                   -- why it was left or refused
    settled_at_ms bigint,
    primary key (mispricing_id, order_id)
);
create index mispriced_order_state on read.mispriced_order (mispricing_id, state, order_id);
create index mispriced_order_order on read.mispriced_order (order_id);
select wheelhouse.guard_table('read.mispriced_order');

-- Which orders a version of a fence decided.
create index ride_order_fence on read.ride_order (end_fence_id, end_fence_version, end_at_ms desc, order_id desc)
    where end_fence_id is not null;
