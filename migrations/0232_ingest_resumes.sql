-- Where whoever leads next goes on in the stream of telemetry, where that is before what is stored: a device spoke of which nobody knew yet
-- on which bike it is.
alter table live.ingest add column resume_seq bigint;
