-- Which voltage scheme tells of a bike's battery.
alter table read.vehicle add column voltage_scheme_id bigint;
-- How many bikes each scheme has, counted without a look at the bikes themselves.
create index vehicle_voltage_scheme on read.vehicle (voltage_scheme_id) include (agent_id, area_id)
    where voltage_scheme_id is not null;
