-- Since when nobody uses a bike, for filters by idle time. Filled by the read model's next version.
alter table read.vehicle add column freed_at_ms bigint;
