-- Orders that run although nobody rides (异常订单): compared with their devices every minute, reckoned of telemetry and of the
-- log. Not made of the log alone, so it is no read model; how fresh it is stands in report.reckoned.
create table report.order_anomaly (
    order_id          bigint   primary key,
    agent_id          bigint   not null,
    area_id           bigint   not null,
    kind              smallint not null,               -- 1 lock closed, 2 silent, 3 still, 4 too long
    doubt             smallint,                        -- why a person has to look at it
    since_at_ms       bigint   not null,
    found_at_ms       bigint   not null,               -- when it was first listed
    report_at_ms      bigint,                          -- the device's last report
    locked            boolean  not null,               -- as that says
    lock_open_at_ms   bigint,                          -- the last report of an open lock
    lock_closed_at_ms bigint,                          -- the first one after it of a closed lock
    stood_since_at_ms bigint,
    fix_at_ms         bigint,
    lat               double precision,
    lng               double precision,
    end_at_ms         bigint,                          -- when it truly ended; null: nothing says so
    would_cents       bigint   not null,               -- what it costs so far
    end_cents         bigint                           -- what it costs if it ended then
);
create index order_anomaly_agent on report.order_anomaly (agent_id);
create index order_anomaly_area on report.order_anomaly (area_id);
select wheelhouse.guard_table('report.order_anomaly');
revoke truncate on report.order_anomaly from wheelhouse_projector;

-- Those that were ended at their true time, and what that saved.
create table read.order_reconciliation (
    order_id          bigint   primary key,
    agent_id          bigint   not null,
    area_id           bigint   not null,
    kind              smallint not null,
    since_at_ms       bigint   not null,
    report_at_ms      bigint,
    locked            boolean  not null,
    lock_open_at_ms   bigint,
    lock_closed_at_ms bigint,
    stood_since_at_ms bigint,
    fix_at_ms         bigint,
    lat               double precision,
    lng               double precision,
    end_at_ms         bigint   not null,
    would_cents       bigint   not null,               -- what it would have cost until it was ended
    end_cents         bigint   not null,
    saved_cents       bigint   not null,
    is_by_system      boolean  not null,
    who               bigint,                          -- an operator
    reason            text     not null,
    closed_at_ms      bigint   not null
);
create index order_reconciliation_newest on read.order_reconciliation (closed_at_ms desc, order_id desc);
create index order_reconciliation_agent on read.order_reconciliation (agent_id, closed_at_ms desc, order_id desc);
create index order_reconciliation_area on read.order_reconciliation (area_id, closed_at_ms desc, order_id desc);
select wheelhouse.guard_table('read.order_reconciliation');
