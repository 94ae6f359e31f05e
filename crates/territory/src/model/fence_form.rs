//! A fence as people fill it in, and as it is told to them.

use geofence::rule::{Direction, Hours, Weekdays};
use geofence::{Ban, Circle, FenceKind, NotARing, Parking, Proof, Ring, Rule, Shape};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, Cents, Datum, FenceId, NotAChoice};

use super::fence::{Drawing, FenceRefusal};

/// What a fence is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum FenceType {
    /// 停车区.
    Parking,
    /// 禁停区.
    NoStop,
    /// 禁行区.
    NoRide,
    /// 运维区.
    Maintain,
    /// 自定义区.
    Custom,
}

impl FenceType {
    pub const ALL: [Self; 5] = [Self::Parking, Self::NoStop, Self::NoRide, Self::Maintain, Self::Custom];

    pub const fn kind(self) -> FenceKind {
        match self {
            Self::Parking => FenceKind::Parking,
            Self::NoStop => FenceKind::NoStop,
            Self::NoRide => FenceKind::NoRide,
            Self::Maintain => FenceKind::Maintenance,
            Self::Custom => FenceKind::Custom,
        }
    }

    /// The code that one needs to see and change such fences.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Parking => "0504",
            Self::NoStop | Self::NoRide | Self::Custom => "0505",
            Self::Maintain => "0908",
        }
    }

    /// The type of fences of this kind.
    pub const fn of(kind: FenceKind) -> Self {
        match kind {
            FenceKind::Parking => Self::Parking,
            FenceKind::NoStop => Self::NoStop,
            FenceKind::NoRide => Self::NoRide,
            FenceKind::Maintenance => Self::Maintain,
            FenceKind::Custom => Self::Custom,
        }
    }
}

impl TryFrom<i16> for FenceType {
    type Error = NotAChoice;

    /// By the number of its kind.
    fn try_from(number: i16) -> Result<Self, NotAChoice> {
        FenceKind::try_from(number).map(Self::of)
    }
}

/// GeoJSON of a fence; a circle is its middle and a radius, which GeoJSON has no form for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type")]
pub enum Geometry {
    /// One closed ring of `[lng, lat]` corners, without holes.
    Polygon {
        /// The ring.
        coordinates: Vec<Vec<[f64; 2]>>,
    },
    /// All within a distance of a place.
    Point {
        /// `[lng, lat]`.
        coordinates: [f64; 2],
        /// Metres.
        #[serde(rename = "radiusM")]
        radius_m: f64,
    },
}

/// The hours of a day in Shanghai.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HoursForm {
    /// Minutes since midnight, 0 to 1439.
    from_min: u16,
    /// Minutes since midnight, 1 to 1440; before `fromMin`: over midnight.
    until_min: u16,
}

/// A direction to park in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectionForm {
    /// Clockwise from north, 0 to 359.
    degrees: u16,
    /// 1 to 90.
    tolerance_degrees: u16,
}

/// What a parking place asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ParkingForm {
    /// 停放上限.
    capacity: i32,
    /// 保有下限.
    min_keep: i32,
    /// 缓冲距离, metres.
    buffer_m: f64,
    /// 满桩禁停.
    full_is_closed: bool,
    /// 停车方向.
    direction: Option<DirectionForm>,
    /// 还车凭证.
    #[schema(value_type = Vec<i16>)]
    proofs: Vec<Proof>,
    /// 开放时段; null: all day.
    hours: Option<HoursForm>,
    /// 难度系数.
    difficulty: f64,
    /// 射频编号.
    rfid_codes: Vec<String>,
}

/// What a zone forbids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BanForm {
    /// Cents; null: what the billing configuration says.
    penalty_cents: Option<i64>,
    /// Bit 0 is Monday.
    weekdays: u8,
    /// Null: all day.
    hours: Option<HoursForm>,
}

impl From<Hours> for HoursForm {
    fn from(hours: Hours) -> Self {
        Self { from_min: hours.from_min, until_min: hours.until_min }
    }
}

impl From<HoursForm> for Hours {
    fn from(hours: HoursForm) -> Self {
        Self { from_min: hours.from_min, until_min: hours.until_min }
    }
}

impl From<&Parking> for ParkingForm {
    fn from(parking: &Parking) -> Self {
        let direction = |found: Direction| DirectionForm {
            degrees: found.degrees,
            tolerance_degrees: found.tolerance_degrees,
        };
        Self {
            capacity: parking.capacity,
            min_keep: parking.min_keep,
            buffer_m: parking.buffer_m,
            full_is_closed: parking.full_is_closed,
            direction: parking.direction.map(direction),
            proofs: parking.proofs.clone(),
            hours: parking.hours.map(HoursForm::from),
            difficulty: parking.difficulty,
            rfid_codes: parking.rfid_codes.clone(),
        }
    }
}

impl From<ParkingForm> for Parking {
    fn from(form: ParkingForm) -> Self {
        let direction = |given: DirectionForm| Direction {
            degrees: given.degrees,
            tolerance_degrees: given.tolerance_degrees,
        };
        let mut proofs = form.proofs;
        proofs.sort_by_key(|proof| proof.number());
        proofs.dedup();
        Self {
            capacity: form.capacity,
            min_keep: form.min_keep,
            buffer_m: form.buffer_m,
            full_is_closed: form.full_is_closed,
            direction: form.direction.map(direction),
            proofs,
            hours: form.hours.map(Hours::from),
            difficulty: form.difficulty,
            rfid_codes: form.rfid_codes,
        }
    }
}

impl Default for ParkingForm {
    fn default() -> Self {
        Self::from(&Parking::default())
    }
}

impl From<&Ban> for BanForm {
    fn from(ban: &Ban) -> Self {
        Self {
            penalty_cents: ban.penalty_cents.map(|penalty| penalty.0),
            weekdays: ban.weekdays.0,
            hours: ban.hours.map(HoursForm::from),
        }
    }
}

impl From<BanForm> for Ban {
    fn from(form: BanForm) -> Self {
        Self {
            penalty_cents: form.penalty_cents.map(Cents),
            weekdays: Weekdays(form.weekdays),
            hours: form.hours.map(Hours::from),
        }
    }
}

impl Default for BanForm {
    fn default() -> Self {
        Self::from(&Ban::default())
    }
}

/// What people fill in of a fence.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FenceForm {
    /// 1 to 30 characters, unique within its area.
    name: String,
    /// Its edge.
    geometry: Geometry,
    /// Of the edge: wgs84 (when left out), gcj02 or bd09.
    #[serde(default)]
    #[schema(value_type = String)]
    datum: Datum,
    /// 停放上限 of a parking place, in place of the one in `parking`.
    capacity: Option<i32>,
    /// Of a parking place.
    #[serde(default)]
    parking: ParkingForm,
    /// Of a zone where one must not stop or ride.
    #[serde(default)]
    ban: BanForm,
    /// At most 10 of at most 10 characters.
    #[serde(default)]
    tags: Vec<String>,
    /// At most 200 characters.
    #[serde(default)]
    remark: String,
}

impl FenceForm {
    /// What it would be called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its edge.
    pub fn shape(&self) -> Result<Shape, NotARing> {
        shape(&self.geometry, self.datum)
    }

    /// The datum that it is drawn in.
    pub const fn datum(&self) -> Datum {
        self.datum
    }

    /// As a drawing of a fence that is known by these.
    pub fn drawing(
        self,
        fence_id: FenceId,
        area_id: AreaId,
        agent_id: AgentId,
        kind: FenceType,
    ) -> Result<Drawing, FenceRefusal> {
        let shape = self.shape().map_err(|error| FenceRefusal::Shape(error.to_string()))?;
        Ok(self.drawing_of(shape, fence_id, area_id, agent_id, kind))
    }

    /// The same, of its shape.
    pub fn drawing_of(
        self,
        shape: Shape,
        fence_id: FenceId,
        area_id: AreaId,
        agent_id: AgentId,
        kind: FenceType,
    ) -> Drawing {
        let mut parking = self.parking;
        parking.capacity = self.capacity.unwrap_or(parking.capacity);
        let rule = Rule::of(kind.kind(), parking.into(), self.ban.into());
        Drawing {
            fence_id,
            area_id,
            agent_id,
            name: self.name,
            shape,
            rule,
            tags: self.tags,
            remark: self.remark,
        }
    }
}

/// What is drawn.
pub fn shape(geometry: &Geometry, datum: Datum) -> Result<Shape, NotARing> {
    match geometry {
        Geometry::Polygon { coordinates } => match coordinates.as_slice() {
            [ring] => Ring::draw(ring, datum).map(Shape::Polygon),
            rings => Err(NotARing::Rings(rings.len())),
        },
        Geometry::Point { coordinates, radius_m } => {
            Circle::draw(*coordinates, *radius_m, datum).map(Shape::Circle)
        }
    }
}

/// A drawing as it is told: places are WGS-84.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Drawn {
    /// 名称.
    pub name: String,
    /// Its edge, WGS-84.
    pub geometry: Geometry,
    /// The datum it was drawn in.
    #[schema(value_type = String)]
    pub datum: Datum,
    /// Square metres.
    pub area_m2: f64,
    /// 停放上限, of a parking place.
    pub capacity: Option<i32>,
    /// Of a parking place.
    pub parking: Option<ParkingForm>,
    /// Of a zone where one must not stop or ride.
    pub ban: Option<BanForm>,
    /// 标签.
    pub tags: Vec<String>,
    /// 备注.
    pub remark: String,
}

impl From<&Drawing> for Drawn {
    fn from(drawing: &Drawing) -> Self {
        let geometry = match &drawing.shape {
            Shape::Polygon(ring) => Geometry::Polygon { coordinates: vec![ring.closed()] },
            Shape::Circle(circle) => Geometry::Point {
                coordinates: [circle.center.lng(), circle.center.lat()],
                radius_m: circle.radius_m,
            },
        };
        let (parking, ban) = match &drawing.rule {
            Rule::Parking(parking) => (Some(ParkingForm::from(parking)), None),
            Rule::NoStop(ban) | Rule::NoRide(ban) => (None, Some(BanForm::from(ban))),
            Rule::Maintenance | Rule::Custom => (None, None),
        };
        Self {
            name: drawing.name.clone(),
            geometry,
            datum: drawing.shape.datum(),
            area_m2: drawing.shape.area_m2(),
            capacity: parking.as_ref().map(|parking| parking.capacity),
            parking,
            ban,
            tags: drawing.tags.clone(),
            remark: drawing.remark.clone(),
        }
    }
}
