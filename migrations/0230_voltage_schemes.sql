-- Voltage schemes (电压方案): what the voltage of a bike's battery tells of its charge, and how far a full one takes it.
create table read.voltage_scheme (
    scheme_id       bigint   primary key,
    agent_id        bigint,              -- null: the platform's, for bikes of all agents
    name            text     not null,
    nominal_v       smallint not null,   -- 48, 60, 72
    chemistry       smallint not null,   -- 1 iron phosphate, 2 ternary, 3 lead acid
    points          jsonb    not null,   -- [{voltageMv, percent}], rising
    min_mv          bigint   not null,
    max_mv          bigint   not null,
    max_mileage_km  integer  not null,
    low_percent     smallint not null,
    enough_percent  smallint not null,
    state           smallint not null,   -- 0 disabled, 1 enabled
    created_at_ms   bigint   not null,
    updated_at_ms   bigint   not null,
    version         bigint   not null,
    position        bigint   not null    -- of the event that changed it last
);
create index voltage_scheme_newest on read.voltage_scheme (created_at_ms desc, scheme_id desc);
select wheelhouse.guard_table('read.voltage_scheme');
-- What the platform offers, bikes of every agent may have: their people see it, and change nothing of it.
create policy of_platform on read.voltage_scheme for select
    to wheelhouse_app, wheelhouse_sees_agents, wheelhouse_sees_areas, wheelhouse_sees_cars using (agent_id is null);
