-- Which orders ended a moment ago, whatever their area: rows of short ones are looked for there.
create index ride_order_ended_lately on read.ride_order (end_at_ms) include (car_id) where end_at_ms is not null;
