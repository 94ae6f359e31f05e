-- When a device was last signed in from, who is known to the customer-service tool, and phones that are locked after
-- too many wrong codes.

alter table read.operator_device add column last_sign_in_at_ms bigint;

alter table read.operator add column cs_tool_registered boolean not null default false;

alter table door.sms_codes add column locked_until timestamptz;
