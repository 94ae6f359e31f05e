-- Who looks after the maintenance areas, which are fences of kind 8.
create table read.crew (
    fence_id             bigint   primary key,
    area_id              bigint   not null,
    agent_id             bigint   not null,
    leaders              bigint[] not null,               -- accounts, each of the kinds
    checkers             bigint[] not null,
    maintainers          bigint[] not null,
    change_power_persons bigint[] not null,
    move_car_persons     bigint[] not null,
    max_parking_number   integer  not null,               -- 0: none
    swap_sla_h           smallint not null,
    move_sla_h           smallint not null,
    repair_sla_h         smallint not null,
    updated_at_ms        bigint   not null,
    version              bigint   not null
);
select wheelhouse.guard_table('read.crew');
