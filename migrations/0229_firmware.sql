-- Packages of firmware (固件包), which devices may be upgraded to. They are the platform's.
create table read.firmware (
    firmware_id   bigint   primary key,
    model         text     not null,   -- of the devices that it is for
    firmware      text     not null,   -- its version
    url           text     not null,
    md5           text     not null,   -- 32 hexadecimal digits
    size_bytes    bigint   not null,
    note          text     not null,
    state         smallint not null,   -- 0 disabled, 1 enabled
    created_at_ms bigint   not null,
    updated_at_ms bigint   not null,
    version       bigint   not null,   -- of the aggregate
    position      bigint   not null    -- of the event that changed it last
);
create unique index firmware_version on read.firmware (model, firmware);
create index firmware_newest on read.firmware (created_at_ms desc, firmware_id desc);
select wheelhouse.guard_table('read.firmware');
