-- How often somebody was reminded of what he owes for an order (催缴), and those that wait for the next time.
alter table read.ride_order
    add column reminders      smallint not null default 0,
    add column reminded_at_ms bigint,
    add column remind_way     smallint;
create index ride_order_unpaid on read.ride_order (order_id) where state = 3;
