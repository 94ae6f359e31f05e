-- How long a ride may last in the area of a strange order, and both halves of the list in its order: those that wait come first.
alter table report.order_anomaly add column ride_max_ms bigint;
create index order_anomaly_place on report.order_anomaly ((found_at_ms + 9000000000000000) desc, order_id desc);
