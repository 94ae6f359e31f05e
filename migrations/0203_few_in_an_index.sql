-- Orders that were changed or paid back are few, also when they are sorted by what they cost.
create index ride_order_modified_cost on read.ride_order (pay_cents, order_id)
    include (outcome, touched, opened_at_ms, agent_id, area_id) where touched in (1, 3);
create index ride_order_refunded_cost on read.ride_order (pay_cents, order_id)
    include (outcome, touched, opened_at_ms, agent_id, area_id) where touched in (2, 3);

-- Until when a path lets a rider ride is asked of each: it stands in the index too.
drop index read.rider_paths;
create index rider_paths on read.rider (paths, created_at_ms desc, rider_id desc) include (agent_id, area_id, qualified);
