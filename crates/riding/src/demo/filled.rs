//! Orders that stand in `read.ride_order` alone: no event tells of them, so a rebuild leaves them out, and no book knows their
//! money.

use sqlx::{AssertSqlSafe, PgConnection};

use super::life::Times;

/// Rows of one statement.
const AT_ONCE: i64 = 200_000;

/// From so many on indexes are made when all is there: indexes that grow with each row cost the most of it.
const INDEXED_AFTER: i64 = 500_000;

/// Whose orders they are: riders with the cars of their areas, both numbered, as the read models have them.
const PEOPLE: [&str; 5] = [
    "create temp table demo_car as
     select area_id, row_number() over (partition by area_id order by car_id) - 1 as n, car_id, imei
     from read.vehicle where imei is not null",
    "create temp table demo_cars as select area_id, count(*) as cars from demo_car group by 1",
    "create temp table demo_rider as
     select row_number() over (order by hashint8(rider_id), rider_id) - 1 as n, rider_id, agent_id, area_id, cars
     from read.rider join demo_cars using (area_id)",
    "create index on demo_rider (n)",
    "create index on demo_car (area_id, n)",
];

/// Numbers $1 to $2 of $3 orders, the oldest first, from $4 on for $5 milliseconds; $6 is the seed, $7 the number of riders,
/// $8 where ids begin to count. Some ride often, most end where they should, few owe or get something back.
const FILL: &str = "
    insert into read.ride_order (order_id, rider_id, car_id, imei, agent_id, area_id, state, is_unlocking, is_paused,
        is_modified, cancel_reason, billing_version, opened_at_ms, start_at_ms, end_at_ms, paused_ms, paid_at_ms, end_kind,
        class, distance_m, riding_s, certainty_percent, evidence, pricing, origin_cents, card_cents, discount_cents,
        dispatch_cents, helmet_cents, pay_cents, paid_cents, recharge_cents, present_cents, third_cents, refund_cents,
        written_off_cents, channel, updated_at_ms, version)
    select ((opened - $8) << 22) | (1023 << 12) | (k & 4095), rider_id, car_id, imei, agent_id, area_id, state, false, false,
        modified, case when state = 5 then 1 + k % 5 end, 0, opened, begun, ended, 0,
        case when paid > 0 then ended + 1000 end, end_kind, class, metres, coalesce((ended - begun) / 1000, 0),
        case when ended is not null then 100 - (k % 7)::int end,
        case when ended is not null then '{\"hdop\": 0.9, \"proved\": [1], \"helmet_back\": true}'::jsonb end,
        case when ended is not null then jsonb_build_object('billing_version', 0, 'left', 'Well', 'helmet_missing', false,
            'benefits', jsonb_build_object('card', null, 'free_ride_s', null, 'discount_percent', null),
            'ridden', jsonb_build_object('start_at', begun, 'end_at', ended, 'distance_m', metres),
            'receipt', jsonb_build_object('lines', jsonb_build_array(
                    jsonb_build_object('rule', 2, 'amountCents', pay, 'quantity', 1)), 'originCents', origin, 'cardCents', card,
                'discountCents', 0, 'dispatchCents', dispatch, 'helmetCents', 0, 'payCents', origin - card + dispatch,
                'heldBackCents', 0)) end,
        origin, card, 0, dispatch, 0, pay, paid, case when third then 0 else paid end, 0, case when third then paid else 0 end,
        case when state = 6 then paid when back then paid / 2 else 0 end, 0,
        case when paid > 0 then case when third then 1 + k % 2 else 0 end end, coalesce(ended, opened), 5
    from (
        select *, case when state in (4, 6) then pay else 0 end as paid, h4 % 10 < 3 as third,
               state = 4 and pay > 1 and h3 % 1000 between 97 and 99 as back
        from (
            select *, case when h3 % 1000 < 75 then 5 when pay > 0 and h3 % 1000 < 90 then 3
                           when pay > 0 and h3 % 1000 < 97 then 6 else 4 end::smallint as state
            from (
                select *, (origin - card + dispatch) / case when modified then 2 else 1 end as pay
                from (
                    select *, case when h3 % 1000 >= 75 then opened + 4000 end as begun,
                        case when h3 % 1000 >= 75 then opened + 4000 + riding_ms end as ended,
                        case when h3 % 1000 >= 75 then 150 + 50 * greatest(0, (riding_ms - 300000) / 600000) else 0 end as origin,
                        case when h3 % 1000 >= 75 and h4 % 100 < 15
                             then 150 + 50 * greatest(0, (riding_ms - 300000) / 600000) else 0 end as card,
                        case when class = 1 and h2 % 10 < 6 then 500 when class = 2 then 2000 when class = 3 then 1000
                             when class = 4 then 2000 else 0 end as dispatch,
                        h3 % 1000 >= 75 and h4 % 1000 between 500 and 505 as modified,
                        case when h3 % 1000 >= 75 then riding_ms / 280 else 0 end as metres
                    from (
                        select k, opened, h2, h3, h4, r.rider_id, r.agent_id, r.area_id, c.car_id, c.imei,
                            (60000 + 600000 * least(-ln((1 + h1 % 1048576) / 1048577.0::float8), 30))::bigint as riding_ms,
                            case when h3 % 1000 >= 75 then case when h2 % 1000 < 850 then 0 when h2 % 1000 < 960 then 1
                                when h2 % 1000 < 970 then 2 when h2 % 1000 < 995 then 3 else 4 end end::smallint as class,
                            case when h3 % 1000 >= 75 then case when h1 % 1000 < 960 then 1 when h1 % 1000 < 975 then 2
                                when h1 % 1000 < 977 then 3 when h1 % 1000 < 985 then 4 when h1 % 1000 < 995 then 5
                                else 6 end end::smallint as end_kind
                        from (
                            select k, $4 + ($5 * power(k::float8 / $3, 0.6))::bigint as opened,
                                hashint8extended(k, $6) >> 1 & 1152921504606846975 as h1,
                                hashint8extended(k, $6 + 1) >> 1 & 1152921504606846975 as h2,
                                hashint8extended(k, $6 + 2) >> 1 & 1152921504606846975 as h3,
                                hashint8extended(k, $6 + 3) >> 1 & 1152921504606846975 as h4
                            from generate_series($1, $2) k
                        ) drawn
                        join demo_rider r on r.n = floor($7 * power((h4 % 1048576) / 1048576.0::float8, 1.5))::bigint
                        join demo_car c on c.area_id = r.area_id and c.n = h2 % r.cars
                    ) ridden
                ) left_somewhere
            ) priced
        ) standing
    ) settled
    order by k
    on conflict (order_id) do nothing";

/// Fills in the oldest `orders` of those in `times`; `told` hears how many stand. Again with the same times and seed, it adds
/// nothing.
pub async fn fill(
    db: &mut PgConnection,
    times: &Times,
    orders: i64,
    mut told: impl FnMut(i64),
) -> sqlx::Result<()> {
    for statement in PEOPLE {
        sqlx::query(statement).execute(&mut *db).await?;
    }
    sqlx::raw_sql("analyze demo_rider; analyze demo_car").execute(&mut *db).await?;
    let riders: i64 = sqlx::query_scalar("select count(*) from demo_rider").fetch_one(&mut *db).await?;
    let large = orders >= INDEXED_AFTER;
    let indexes = if large { without_indexes(db, "read.ride_order").await? } else { Vec::new() };
    let mut done = 0;
    while riders > 0 && done < orders {
        let until = (done + AT_ONCE).min(orders);
        sqlx::query(FILL)
            .bind(done)
            .bind(until - 1)
            .bind(times.orders)
            .bind(times.since.millis())
            .bind(times.span_ms)
            .bind(times.seed)
            .bind(riders)
            .bind(Times::IDS_SINCE.millis())
            .execute(&mut *db)
            .await?;
        done = until;
        told(done);
    }
    for index in indexes {
        sqlx::raw_sql(AssertSqlSafe(index)).execute(&mut *db).await?;
    }
    sqlx::raw_sql("drop table demo_rider, demo_car, demo_cars").execute(db).await?;
    Ok(())
}

/// Drops a table's indexes but that of its key; how they are made again.
pub async fn without_indexes(db: &mut PgConnection, table: &str) -> sqlx::Result<Vec<String>> {
    let indexes: Vec<(String, String)> = sqlx::query_as(
        "select c.oid::regclass::text, pg_get_indexdef(c.oid) || ';' from pg_index i join pg_class c on c.oid = i.indexrelid
         where i.indrelid = $1::text::regclass and not i.indisprimary order by c.oid",
    )
    .bind(table)
    .fetch_all(&mut *db)
    .await?;
    for (name, _) in &indexes {
        sqlx::raw_sql(AssertSqlSafe(format!("drop index {name}"))).execute(&mut *db).await?;
    }
    Ok(indexes.into_iter().map(|(_, made)| made).collect())
}
