-- What service areas are registered as, and when they stop and resume by themselves. Rebuilt from the log at the first start.
alter table read.area
    add column city_code          text    not null default '',
    add column vehicle_quota      integer,
    add column supervision_ids    text[]  not null default '{}',
    add column takes_applications boolean not null default true,
    add column stop_begin_at_ms   bigint,
    add column stop_end_at_ms     bigint,
    add column stop_notice        text    not null default '';
