-- What counts in an area on its way to the devices of its bikes (docs/adr/0041).
-- What is wanted of each area: the number of what counts in it now, and how large that is. Written by who sends.
create table live.fence_edition (
    area_id bigint      primary key,
    edition bigint      not null,
    since   timestamptz not null,                  -- since when this edition is wanted
    bytes   integer     not null,                  -- of the compact form
    parts   smallint    not null,                  -- messages; 0: too many to be sent
    fences  integer     not null
);

-- How far each bike is with the edition that it was sent last. At most a row for each bike on the streets.
create table live.fence_delivery (
    car_id          text        primary key,
    area_id         bigint      not null,
    edition         bigint      not null,
    told_before     integer     not null,          -- what its reports said before it was sent this one
    first_sent_at   timestamptz not null,
    sent_at         timestamptz not null,
    tries           smallint    not null,
    refused_code    integer,                       -- it will not have this edition
    refused_at      timestamptz,
    acknowledged_at timestamptz                    -- its report said that it holds it
);

-- The low 16 bits of the edition that a bike's last report told of.
alter table live.vehicle_live add column fence_version integer;

-- When a person last asked for an area's edition to be sent again to the bikes that lag.
alter table read.area add column delivery_asked_at_ms bigint;
