-- The back-office looks for orders by state, place, price and what was done to them.
create index ride_order_state on read.ride_order (state, opened_at_ms desc, order_id desc);
create index ride_order_agent_state on read.ride_order (agent_id, state, opened_at_ms desc, order_id desc);
create index ride_order_agent_class on read.ride_order (agent_id, class, opened_at_ms desc, order_id desc)
    where class is not null;
create index ride_order_modified on read.ride_order (agent_id, opened_at_ms desc, order_id desc) where is_modified;
create index ride_order_refunded on read.ride_order (agent_id, opened_at_ms desc, order_id desc) where refund_cents > 0;
create index ride_order_cost on read.ride_order (pay_cents, order_id);
create index ride_order_agent_cost on read.ride_order (agent_id, pay_cents, order_id);
