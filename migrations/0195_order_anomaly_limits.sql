-- How long a ride may last in the area of a strange order.
alter table report.order_anomaly add column ride_max_ms bigint;
