//! Fleet buffers, byte for byte as `docs/push.md` says. Little-endian.

use bytes::{BufMut, Bytes, BytesMut};

/// First byte of every buffer.
pub const MARK: u8 = 0xFB;
/// Length of the header.
pub const HEADER_BYTES: usize = 16;
/// Length of a bike's record.
pub const BIKE_BYTES: usize = 16;
/// Length of a cluster's record.
pub const CLUSTER_BYTES: usize = 32;
/// Bikes in one buffer: 64 kB and the header.
pub const BIKES_A_BUFFER: usize = 4096;

/// Bits of a record's state byte above the four of the state.
pub mod bit {
    /// An alarm rings.
    pub const ALARM: u8 = 0x10;
    /// The lock is closed.
    pub const LOCKED: u8 = 0x20;
    /// Forget this slot.
    pub const GONE: u8 = 0x40;
    /// It moves.
    pub const MOVING: u8 = 0x80;
}

/// What a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Bikes of a cell that changed.
    Changes = 1,
    /// A snapshot begins: forget everything.
    SnapshotStart = 2,
    /// Bikes of a snapshot.
    SnapshotBikes = 3,
    /// The snapshot is whole.
    SnapshotEnd = 4,
    /// Counts of an area, far out.
    Clusters = 5,
}

/// Which tick a buffer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The tick.
    pub seq: u32,
    /// Server time, epoch ms.
    pub time_ms: i64,
}

/// One bike as a map draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BikeRecord {
    /// Its slot.
    pub slot: u32,
    /// 1e-6 degree north.
    pub lat_e6: i32,
    /// 1e-6 degree east.
    pub lng_e6: i32,
    /// Charge, percent; 0 when it never said.
    pub soc_percent: u8,
    /// State and bits.
    pub state: u8,
    /// km/h.
    pub speed_kmh: u8,
    /// Degrees / 2.
    pub heading_half: u8,
}

impl BikeRecord {
    /// The same bike, to be forgotten.
    #[must_use]
    pub const fn gone(self) -> Self {
        Self { state: self.state | bit::GONE, ..self }
    }

    /// Appends it.
    pub fn put(&self, buffer: &mut BytesMut) {
        buffer.put_u32_le(self.slot);
        buffer.put_i32_le(self.lat_e6);
        buffer.put_i32_le(self.lng_e6);
        buffer.put_slice(&[self.soc_percent, self.state, self.speed_kmh, self.heading_half]);
    }

    /// It, from what [`Self::put`] wrote.
    pub const fn of(bytes: &[u8; BIKE_BYTES]) -> Self {
        let [s0, s1, s2, s3, a0, a1, a2, a3, o0, o1, o2, o3, soc_percent, state, speed_kmh, heading_half] =
            *bytes;
        Self {
            slot: u32::from_le_bytes([s0, s1, s2, s3]),
            lat_e6: i32::from_le_bytes([a0, a1, a2, a3]),
            lng_e6: i32::from_le_bytes([o0, o1, o2, o3]),
            soc_percent,
            state,
            speed_kmh,
            heading_half,
        }
    }
}

/// Counts of one map cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// Tile address.
    pub x: u32,
    /// Tile address.
    pub y: u32,
    /// Bikes.
    pub total: u32,
    /// Bikes with an alarm.
    pub alarm: u32,
    /// Bikes by state.
    pub by_state: [u32; 8],
}

fn header(buffer: &mut BytesMut, kind: Kind, count: usize, stamp: Stamp) {
    let count = u16::try_from(count).expect("a buffer is cut before it holds so many");
    buffer.put_u8(MARK);
    buffer.put_u8(kind as u8);
    buffer.put_u16_le(count);
    buffer.put_u32_le(stamp.seq);
    buffer.put_i64_le(stamp.time_ms);
}

/// The beginning or the end of a snapshot.
pub fn mark(kind: Kind, stamp: Stamp) -> Bytes {
    let mut buffer = BytesMut::with_capacity(HEADER_BYTES);
    header(&mut buffer, kind, 0, stamp);
    buffer.freeze()
}

/// `bikes` in as many buffers as they need.
pub fn bikes(kind: Kind, stamp: Stamp, bikes: &[BikeRecord]) -> Vec<Bytes> {
    bikes.chunks(BIKES_A_BUFFER).map(|chunk| bikes_once(kind, stamp, chunk)).collect()
}

fn bikes_once(kind: Kind, stamp: Stamp, bikes: &[BikeRecord]) -> Bytes {
    let mut buffer = BytesMut::with_capacity(HEADER_BYTES + bikes.len() * BIKE_BYTES);
    header(&mut buffer, kind, bikes.len(), stamp);
    for bike in bikes {
        bike.put(&mut buffer);
    }
    buffer.freeze()
}

/// The counts of one area, whole. More cells than a buffer can count are left out; an area of 65,535 cells does not fit
/// on the globe at the levels that are counted.
pub fn clusters(stamp: Stamp, area_id: i64, clusters: &[Cluster]) -> Bytes {
    let clusters = &clusters[..clusters.len().min(usize::from(u16::MAX))];
    let mut buffer = BytesMut::with_capacity(HEADER_BYTES + 8 + clusters.len() * CLUSTER_BYTES);
    header(&mut buffer, Kind::Clusters, clusters.len(), stamp);
    buffer.put_i64_le(area_id);
    for cluster in clusters {
        buffer.put_u32_le(cluster.x);
        buffer.put_u32_le(cluster.y);
        buffer.put_u16_le(narrow(cluster.total));
        buffer.put_u16_le(narrow(cluster.alarm));
        for count in cluster.by_state {
            buffer.put_u16_le(narrow(count));
        }
        buffer.put_u32_le(0);
    }
    buffer.freeze()
}

fn narrow(count: u32) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const STAMP: Stamp = Stamp { seq: 812, time_ms: 1_700_000_000_000 };

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }

    fn vectors() -> Value {
        let moving = BikeRecord {
            slot: 17,
            lat_e6: 24_480_000,
            lng_e6: 118_100_000,
            soc_percent: 87,
            state: 1 | bit::MOVING,
            speed_kmh: 18,
            heading_half: 45,
        };
        let south_west = BikeRecord {
            slot: 70_000,
            lat_e6: -33_865_143,
            lng_e6: -151_209_900,
            soc_percent: 9,
            state: 4 | bit::ALARM | bit::LOCKED,
            speed_kmh: 0,
            heading_half: 179,
        };
        let bike_json = |bike: &BikeRecord| {
            json!({"slot": bike.slot, "latE6": bike.lat_e6, "lngE6": bike.lng_e6, "soc": bike.soc_percent,
                   "state": bike.state, "speed": bike.speed_kmh, "heading": bike.heading_half})
        };
        let cluster =
            Cluster { x: 6779, y: 3520, total: 70_000, alarm: 3, by_state: [5, 4, 3, 2, 1, 0, 6, 7] };
        let vector = |name: &str, kind: Kind, body: Value, buffer: &Bytes| json!({"name": name, "kind": kind as u8, "seq": STAMP.seq, "timeMs": STAMP.time_ms, "body": body, "hex": hex(buffer)});
        json!([
            vector(
                "changes of a cell",
                Kind::Changes,
                json!([bike_json(&moving), bike_json(&south_west)]),
                &bikes(Kind::Changes, STAMP, &[moving, south_west])[0]
            ),
            vector(
                "a bike that is gone",
                Kind::Changes,
                json!([bike_json(&moving.gone())]),
                &bikes(Kind::Changes, STAMP, &[moving.gone()])[0]
            ),
            vector("a snapshot begins", Kind::SnapshotStart, json!([]), &mark(Kind::SnapshotStart, STAMP)),
            vector(
                "bikes of a snapshot",
                Kind::SnapshotBikes,
                json!([bike_json(&moving)]),
                &bikes(Kind::SnapshotBikes, STAMP, &[moving])[0]
            ),
            vector("a snapshot ends", Kind::SnapshotEnd, json!([]), &mark(Kind::SnapshotEnd, STAMP)),
            vector(
                "counts of an area",
                Kind::Clusters,
                json!({"areaId": "123456789012345678", "clusters": [{"x": 6779, "y": 3520, "total": 65_535, "alarm": 3, "byState": [5, 4, 3, 2, 1, 0, 6, 7]}]}),
                &clusters(STAMP, 123_456_789_012_345_678, &[cluster])
            ),
            vector(
                "an area without bikes",
                Kind::Clusters,
                json!({"areaId": "7", "clusters": []}),
                &clusters(STAMP, 7, &[])
            ),
        ])
    }

    /// The same file serves the browser's tests. `UPDATE_VECTORS=1` writes it.
    #[test]
    fn buffers_are_byte_for_byte_the_published_vectors() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/push-vectors.json");
        if std::env::var_os("UPDATE_VECTORS").is_some() {
            std::fs::write(path, format!("{:#}\n", vectors())).unwrap();
        }
        let published: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(vectors(), published);
    }

    #[test]
    fn a_record_lies_as_the_table_says() {
        let bike = BikeRecord {
            slot: 0x0102_0304,
            lat_e6: -2,
            lng_e6: 0x0A0B_0C0D,
            soc_percent: 99,
            state: 0xB7,
            speed_kmh: 25,
            heading_half: 179,
        };
        let buffers = bikes(Kind::Changes, Stamp { seq: 5, time_ms: 258 }, &[bike]);
        let expected = [
            0xFB, 1, 1, 0, 5, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, // header
            4, 3, 2, 1, 0xFE, 0xFF, 0xFF, 0xFF, 0x0D, 0x0C, 0x0B, 0x0A, 99, 0xB7, 25, 179,
        ];
        assert_eq!(buffers.len(), 1);
        assert_eq!(buffers[0][..], expected);
    }

    #[test]
    fn many_bikes_take_several_buffers_of_at_most_64_kilobytes() {
        let bike = BikeRecord {
            slot: 0,
            lat_e6: 0,
            lng_e6: 0,
            soc_percent: 0,
            state: 0,
            speed_kmh: 0,
            heading_half: 0,
        };
        let buffers = bikes(Kind::SnapshotBikes, STAMP, &vec![bike; 9000]);
        let lengths: Vec<usize> = buffers.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [65_552, 65_552, 16 + 808 * 16]);
    }
}
