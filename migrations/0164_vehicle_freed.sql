-- When a bike last became free, as the version of its stream: what others know it by in open feeds changes with each ride.
alter table read.vehicle add column freed_version bigint not null default 0;
