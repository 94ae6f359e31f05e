-- What devices say they are (型号, 固件), and what they are to run.
alter table read.device
    add column model            text,      -- null: it never said
    add column firmware         text,
    add column introduced_at_ms bigint;    -- when that last changed
alter table read.device_command
    add column firmware text;              -- of an upgrade: the version that the device is to run
