//! What lies beneath the map: our own city, and the tiles of others with the datum that they are drawn in.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wire::SecureOrigin;

/// Layers to choose from beside the first.
const LAYERS_MAX: usize = 12;
const ID_MAX: usize = 20;
const NAME_MAX: usize = 12;
const URL_MAX: usize = 500;
const SUBDOMAINS_MAX: usize = 10;
/// The nearest that any map goes.
const ZOOM_MOST: u8 = 22;

/// Where map tiles come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Tiles {
    /// What lies there when nothing else is chosen. `vector`: the system's own base map; `raster`: tiles from `url`, WGS-84;
    /// `none`: a plain grid.
    pub kind: String,
    /// Address with `{z}`, `{x}` and `{y}`, for `raster`.
    pub url: String,
    /// The id of the layer that is shown until somebody chooses; empty: what `kind` says.
    pub first: String,
    /// Further layers to choose from.
    pub layers: Vec<BaseLayer>,
}

impl Default for Tiles {
    fn default() -> Self {
        Self { kind: "vector".to_owned(), url: String::new(), first: String::new(), layers: Vec::new() }
    }
}

/// Tiles of somebody's map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BaseLayer {
    /// Small letters, digits and `-`; `tencent` is what the page of parking fences on Tencent's map begins with.
    pub id: String,
    /// 名称.
    pub name: String,
    /// Address with `{z}`, `{x}` and `{y}`, and with `{s}` and `{key}` where subdomains and a key are given: https, or a path
    /// of the page's own origin.
    pub url: String,
    /// Address of a second picture above it, such as names of roads; empty: there is none.
    #[serde(default)]
    pub labels_url: String,
    /// What stands for `{s}`, one after the other.
    #[serde(default)]
    pub subdomains: Vec<String>,
    /// What stands for `{key}`; whoever opens the page can read it.
    #[serde(default)]
    pub key: String,
    /// Whether rows are counted from the south, as Tencent does.
    #[serde(default)]
    pub tms: bool,
    /// What its pictures are drawn in.
    pub datum: TileDatum,
    /// The farthest zoom that it has tiles for.
    #[serde(default = "least")]
    pub least_zoom: u8,
    /// The nearest zoom that it has tiles for; nearer ones are enlarged.
    #[serde(default = "most")]
    pub most_zoom: u8,
    /// Whose it is, as its owner wants it said.
    #[serde(default)]
    pub attribution: String,
}

const fn least() -> u8 {
    3
}

const fn most() -> u8 {
    18
}

/// The datum of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TileDatum {
    /// OpenStreetMap.
    Wgs84,
    /// 高德, 腾讯.
    Gcj02,
    /// 天地图; for a map the same as WGS-84.
    Cgcs2000,
}

/// Why tiles cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitTiles {
    /// No such kind.
    #[error("底图类型“{0}”不正确，应为 vector、raster 或 none")]
    Kind(String),
    /// More than anybody chooses from.
    #[error("可选底图最多 {LAYERS_MAX} 个")]
    Many,
    /// The first is none of them.
    #[error("首选底图“{0}”不在可选底图之中")]
    First(String),
    /// Two have the same id.
    #[error("底图编号“{0}”重复")]
    Twice(String),
    /// A layer that cannot be.
    #[error("底图“{layer}”：{fault}")]
    Layer {
        /// Its id.
        layer: String,
        /// What is wrong.
        fault: LayerFault,
    },
}

/// What is wrong with a layer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentences say it")]
pub enum LayerFault {
    #[error("编号需 1 到 {ID_MAX} 个小写字母、数字或 -，且不能是 base、city 或 grid")]
    Id,
    #[error("名称需 1 到 {NAME_MAX} 个字")]
    Name,
    #[error("地址须以 https:// 或 / 开头，最多 {URL_MAX} 个字符，不含空格")]
    Address,
    #[error("地址缺少 {0}")]
    Without(&'static str),
    #[error("地址里有 {{s}}，需填写 1 到 {SUBDOMAINS_MAX} 个子域（小写字母、数字或 -）")]
    Subdomains,
    #[error("地址里有 {{key}}，需填写密钥（字母、数字、- 或 _）")]
    Key,
    #[error("缩放级别需 0 到 {ZOOM_MOST}，最小不超过最大")]
    Zoom,
    #[error("版权说明最多 {URL_MAX} 个字符")]
    Attribution,
    #[error("图片来源 {0} 未在 WHEELHOUSE_IMAGE_SOURCES 中放行，浏览器会拦截")]
    Barred(String),
}

impl Tiles {
    /// Whether a map can be made of them.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, in words for whoever configures.
    pub fn check(&self) -> Result<(), UnfitTiles> {
        if !["vector", "raster", "none"].contains(&self.kind.as_str()) {
            return Err(UnfitTiles::Kind(self.kind.clone()));
        }
        if self.layers.len() > LAYERS_MAX {
            return Err(UnfitTiles::Many);
        }
        for (index, layer) in self.layers.iter().enumerate() {
            if self.layers.iter().take(index).any(|other| other.id == layer.id) {
                return Err(UnfitTiles::Twice(layer.id.clone()));
            }
            layer.check().map_err(|fault| layer.unfit(fault))?;
        }
        if !self.first.is_empty() && !self.layers.iter().any(|layer| layer.id == self.first) {
            return Err(UnfitTiles::First(self.first.clone()));
        }
        Ok(())
    }

    /// Whether browsers may load them where `sources` of images are let in.
    ///
    /// # Errors
    ///
    /// The first layer that they may not load.
    pub fn let_in_by(&self, sources: &[String]) -> Result<(), UnfitTiles> {
        for layer in &self.layers {
            if let Some(barred) =
                layer.sources().into_iter().find(|from| !sources.iter().any(|source| lets_in(source, from)))
            {
                return Err(layer.unfit(LayerFault::Barred(barred)));
            }
        }
        Ok(())
    }

    /// The origins beside the page's own that their pictures come from.
    pub fn sources(&self) -> Vec<String> {
        let mut sources: Vec<String> = self.layers.iter().flat_map(BaseLayer::sources).collect();
        sources.sort();
        sources.dedup();
        sources
    }
}

/// Whether a source of the content security policy lets pictures from `origin` in.
fn lets_in(source: &str, origin: &str) -> bool {
    match source.split_once("*.") {
        Some((scheme, domain)) => origin
            .strip_prefix(scheme)
            .and_then(|host| host.strip_suffix(domain))
            .is_some_and(|front| front.len() > 1 && front.ends_with('.')),
        None => source == origin || source == "https:",
    }
}

fn word(text: &str, most: usize, more: &[u8]) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || more.contains(&byte);
    (1..=most).contains(&text.len()) && text.bytes().all(allowed)
}

impl BaseLayer {
    fn unfit(&self, fault: LayerFault) -> UnfitTiles {
        UnfitTiles::Layer { layer: self.id.clone(), fault }
    }

    fn addresses(&self) -> impl Iterator<Item = &str> {
        [self.url.as_str(), self.labels_url.as_str()].into_iter().filter(|url| !url.is_empty())
    }

    fn check(&self) -> Result<(), LayerFault> {
        if !word(&self.id, ID_MAX, b"-") || ["base", "city", "grid"].contains(&self.id.as_str()) {
            return Err(LayerFault::Id);
        }
        if !(1..=NAME_MAX).contains(&self.name.trim().chars().count()) {
            return Err(LayerFault::Name);
        }
        if self.url.is_empty() {
            return Err(LayerFault::Address);
        }
        for url in self.addresses() {
            self.check_address(url)?;
        }
        if self.least_zoom > self.most_zoom || self.most_zoom > ZOOM_MOST {
            return Err(LayerFault::Zoom);
        }
        if self.attribution.chars().count() > URL_MAX {
            return Err(LayerFault::Attribution);
        }
        Ok(())
    }

    fn check_address(&self, url: &str) -> Result<(), LayerFault> {
        let plain = url.bytes().all(|byte| byte.is_ascii_graphic());
        // `//host` would be another origin.
        let own = url.starts_with('/') && !url.starts_with("//");
        if !plain || url.len() > URL_MAX || !(own || url.starts_with("https://")) {
            return Err(LayerFault::Address);
        }
        if let Some(missing) = ["{z}", "{x}", "{y}"].into_iter().find(|part| !url.contains(part)) {
            return Err(LayerFault::Without(missing));
        }
        let subdomains = (1..=SUBDOMAINS_MAX).contains(&self.subdomains.len())
            && self.subdomains.iter().all(|name| word(name, ID_MAX, b"-"));
        if url.contains("{s}") && !subdomains {
            return Err(LayerFault::Subdomains);
        }
        let key = self.key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if url.contains("{key}") && (self.key.is_empty() || !key) {
            return Err(LayerFault::Key);
        }
        let hosts = origins_of(url, &self.subdomains);
        if hosts.iter().any(|host| host.parse::<SecureOrigin>().is_err()) {
            return Err(LayerFault::Address);
        }
        Ok(())
    }

    /// The origins beside the page's own that its pictures come from.
    fn sources(&self) -> Vec<String> {
        self.addresses().flat_map(|url| origins_of(url, &self.subdomains)).collect()
    }
}

/// The origins of an address, one for each of `subdomains`; none for one of the page's own.
fn origins_of(url: &str, subdomains: &[String]) -> Vec<String> {
    let Some(rest) = url.strip_prefix("https://") else { return Vec::new() };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let origin = format!("https://{host}");
    if host.contains("{s}") {
        subdomains.iter().map(|name| origin.replace("{s}", name)).collect()
    } else {
        vec![origin]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amap() -> BaseLayer {
        BaseLayer {
            id: "amap".into(),
            name: "高德".into(),
            url: "https://webrd0{s}.is.autonavi.com/appmaptile?x={x}&y={y}&z={z}".into(),
            labels_url: String::new(),
            subdomains: vec!["1".into(), "2".into()],
            key: String::new(),
            tms: false,
            datum: TileDatum::Gcj02,
            least_zoom: 3,
            most_zoom: 18,
            attribution: "© 高德".into(),
        }
    }

    fn of(layer: BaseLayer) -> Tiles {
        Tiles { layers: vec![layer], ..Tiles::default() }
    }

    fn fault(change: impl FnOnce(&mut BaseLayer)) -> String {
        let mut layer = amap();
        change(&mut layer);
        of(layer).check().unwrap_err().to_string()
    }

    #[test]
    fn a_layer_says_which_origins_its_pictures_come_from() {
        let tiles = of(amap());
        assert_eq!(tiles.check(), Ok(()));
        assert_eq!(tiles.sources(), ["https://webrd01.is.autonavi.com", "https://webrd02.is.autonavi.com"]);
        let mut own = amap();
        own.url = "/tiles/{z}/{x}/{y}.png".into();
        assert_eq!(of(own.clone()).sources(), Vec::<String>::new());
        assert_eq!(of(own).check(), Ok(()));
    }

    #[test]
    fn what_cannot_be_shown_is_refused_with_the_layer_and_the_reason() {
        assert_eq!(
            fault(|layer| layer.url = "http://tiles.example.com/{z}/{x}/{y}".into()),
            "底图“amap”：地址须以 https:// 或 / 开头，最多 500 个字符，不含空格"
        );
        for elsewhere in [
            "//tiles.example.com/{z}/{x}/{y}",
            "https://tiles example/{z}/{x}/{y}",
            "https://user@tiles.example.com/{z}/{x}/{y}",
            "",
        ] {
            assert!(fault(|layer| layer.url = elsewhere.into()).contains("https://"), "{elsewhere}");
        }
        assert!(fault(|layer| layer.url = "https://a.example.com/{z}/{x}".into()).ends_with("地址缺少 {y}"));
        assert!(fault(|layer| layer.subdomains.clear()).contains("{s}"));
        assert!(
            fault(|layer| layer.labels_url = "https://a.example.com/{z}/{x}/{y}?tk={key}".into())
                .contains("{key}")
        );
        assert!(fault(|layer| layer.least_zoom = 19).contains("缩放级别"));
        assert!(fault(|layer| layer.id = "grid".into()).contains("编号"));
        assert!(fault(|layer| layer.name = " ".into()).contains("名称"));
        let twice = Tiles { layers: vec![amap(), amap()], ..Tiles::default() };
        assert_eq!(twice.check().unwrap_err().to_string(), "底图编号“amap”重复");
        let first = Tiles { first: "osm".into(), ..of(amap()) };
        assert_eq!(first.check().unwrap_err().to_string(), "首选底图“osm”不在可选底图之中");
    }

    #[test]
    fn a_layer_that_browsers_would_bar_is_told_of() {
        let let_in = |sources: &[&str]| {
            let sources: Vec<String> = sources.iter().map(|source| (*source).to_owned()).collect();
            of(amap()).let_in_by(&sources)
        };
        assert_eq!(let_in(&["https://*.is.autonavi.com"]), Ok(()));
        assert_eq!(let_in(&["https://webrd01.is.autonavi.com", "https://webrd02.is.autonavi.com"]), Ok(()));
        let barred = let_in(&["https://webrd01.is.autonavi.com", "https://*.autonavi.example"]).unwrap_err();
        assert!(barred.to_string().contains("https://webrd02.is.autonavi.com"), "{barred}");
    }

    #[test]
    fn configurations_of_before_go_on_to_work() {
        let before: Tiles =
            serde_json::from_str(r#"{"kind":"raster","url":"https://t.example.com/{z}/{x}/{y}.png"}"#)
                .unwrap();
        assert_eq!(before.check(), Ok(()));
        assert_eq!((before.first.as_str(), before.layers.len()), ("", 0));
    }

    #[test]
    fn the_layers_of_the_document_are_fit() {
        let document = include_str!("../../../../docs/map-layers.json");
        let tiles: Tiles = serde_json::from_str(document).unwrap();
        assert_eq!(tiles.check(), Ok(()));
        let datum = |id: &str| tiles.layers.iter().find(|layer| layer.id == id).map(|layer| layer.datum);
        assert_eq!(datum("amap"), Some(TileDatum::Gcj02));
        assert_eq!(datum("tencent"), Some(TileDatum::Gcj02));
        assert_eq!(datum("tianditu"), Some(TileDatum::Cgcs2000));
        assert_eq!(datum("osm"), Some(TileDatum::Wgs84));
        assert!(tiles.layers.iter().any(|layer| layer.tms));
    }
}
