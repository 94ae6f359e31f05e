-- Lists over ten million orders: what they are cut down to together stands in one number, and each index holds what else may be
-- asked for, so that a page, its count and their absence are found in an index alone.
--   outcome: how an order stands, where it was left and how it ended (crates/riding/src/model/outcome.rs)
--   touched: 1 its price was changed, 2 something went back
alter table read.ride_order
    add column outcome smallint not null generated always as
        (state + 8 * coalesce(class + 1, 0) + 64 * coalesce(end_kind, 0)) stored,
    add column touched smallint not null generated always as
        (is_modified::int + 2 * (refund_cents > 0)::int) stored;

-- Scopes and policies compare agent and area: they stand in each index, or it would not do alone.
drop index read.ride_order_newest, read.ride_order_agent, read.ride_order_area;
create index ride_order_newest on read.ride_order (opened_at_ms desc, order_id desc)
    include (outcome, touched, pay_cents, agent_id, area_id);
create index ride_order_agent on read.ride_order (agent_id, opened_at_ms desc, order_id desc)
    include (outcome, touched, pay_cents, area_id);
create index ride_order_area on read.ride_order (area_id, opened_at_ms desc, order_id desc)
    include (outcome, touched, pay_cents, agent_id);

drop index read.ride_order_state, read.ride_order_agent_state, read.ride_order_agent_class;
create index ride_order_outcome on read.ride_order (outcome, opened_at_ms desc, order_id desc)
    include (touched, pay_cents, agent_id, area_id);
create index ride_order_agent_outcome on read.ride_order (agent_id, outcome, opened_at_ms desc, order_id desc)
    include (touched, pay_cents, area_id);
create index ride_order_area_outcome on read.ride_order (area_id, outcome, opened_at_ms desc, order_id desc)
    include (touched, pay_cents, agent_id);

drop index read.ride_order_cost, read.ride_order_agent_cost;
create index ride_order_cost on read.ride_order (pay_cents, order_id)
    include (outcome, touched, opened_at_ms, agent_id, area_id);
create index ride_order_agent_cost on read.ride_order (agent_id, pay_cents, order_id)
    include (outcome, touched, opened_at_ms, area_id);
create index ride_order_area_cost on read.ride_order (area_id, pay_cents, order_id)
    include (outcome, touched, opened_at_ms, agent_id);
create index ride_order_outcome_cost on read.ride_order (outcome, pay_cents, order_id)
    include (touched, opened_at_ms, agent_id, area_id);
create index ride_order_agent_outcome_cost on read.ride_order (agent_id, outcome, pay_cents, order_id)
    include (touched, opened_at_ms, area_id);
create index ride_order_area_outcome_cost on read.ride_order (area_id, outcome, pay_cents, order_id)
    include (touched, opened_at_ms, agent_id);

-- Few orders are changed or go back.
drop index read.ride_order_modified, read.ride_order_refunded;
create index ride_order_modified on read.ride_order (opened_at_ms desc, order_id desc)
    include (outcome, touched, pay_cents, agent_id, area_id) where touched in (1, 3);
create index ride_order_refunded on read.ride_order (opened_at_ms desc, order_id desc)
    include (outcome, touched, pay_cents, agent_id, area_id) where touched in (2, 3);
