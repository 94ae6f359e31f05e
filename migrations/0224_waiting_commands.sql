-- Commands that wait for a bike that is away (排队): until when, and when each open one is given up.
alter table read.device_command
    add column wait_until_ms bigint,
    add column due_at_ms     bigint not null default 0;
update read.device_command set due_at_ms = requested_at_ms + 15000 where state in (0, 1);
drop index read.device_command_open;
create index device_command_due on read.device_command (due_at_ms) where state in (0, 1);
create index device_command_waiting on read.device_command (car_id, command_id) where state = 0 and wait_until_ms is not null;
